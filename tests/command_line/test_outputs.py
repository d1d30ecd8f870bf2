"""What is written beside the report: the verdict comes first, and nothing that is written, or cannot be, changes it."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import threading

import pytest
from highwater.explorer import files
from highwater.explorer.command_line import main
from highwater.model.language import UsageError
from support.elsewhere import PROGRAM, highwater, output_of, refused

SMALL = ["--model", "published", "--brokers", "2", "--generic"]
HOLDS = ["check", *SMALL, "--revision", "kip-320", "--max-records", "1"]
VIOLATED = ["check", *SMALL, "--revision", "high-watermark"]
LIST = ["list", "revisions", "--model", "published"]


# Before the run.


def test_what_cannot_be_written_is_refused_before_the_run(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    assert "it is a folder" in refused(capsys, *HOLDS, "--json", "folder")
    assert "Not a directory" in refused(capsys, *HOLDS, "--junit", "file/x.xml")
    assert "File name too long" in refused(capsys, *HOLDS, "--json", "ü" * 130)
    assert "File name too long" in refused(capsys, *HOLDS, "--sarif", f"{'d' * 256}/x")
    assert "null" in refused(capsys, *HOLDS, "--json", "a\0b") and not (tmp_path / "a").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused_before_the_run(capsys, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o555)
    assert "Permission denied" in refused(capsys, *HOLDS, "--json", "closed/x.json")


def test_a_folder_of_the_system_is_refused_before_the_run(capsys):
    assert "cannot be written" in refused(capsys, *HOLDS, "--json", "/proc/self/x.json")


def test_names_as_long_as_can_be_are_written(capsys, tmp_path):
    assert main([*LIST, "--json", "n" * 250 + ".json"]) == 0
    assert json.loads((tmp_path / ("n" * 250 + ".json")).read_text())
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


# How files are written.


def test_devices_stay_devices(capsys):
    before = os.stat("/dev/null")
    assert main([*LIST, "--json", "/dev/null"]) == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode) and os.stat("/dev/null").st_rdev == before.st_rdev


def test_pipes_are_written_as_they_are(capsys, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_text()))
    reader.start()
    assert main([*LIST, "--json", "pipe"]) == 0
    reader.join()
    assert json.loads(got[0]) and stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


def test_what_a_shell_puts_in_place_of_a_file(tmp_path):
    command = f"{sys.executable} -c '{PROGRAM}' list revisions --model published --json >(cat > out.json); sleep 0.5"
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, capture_output=True)
    assert json.loads((tmp_path / "out.json").read_text())


def test_links_are_followed_and_permissions_stay(capsys, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.json").write_text("old")
    (tmp_path / "real" / "x.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to("real/x.json")
    (tmp_path / "dangling.json").symlink_to("real/new.json")
    assert main([*LIST, "--json", "link.json"]) == main([*LIST, "--json", "dangling.json"]) == 0
    assert (tmp_path / "link.json").is_symlink() and (tmp_path / "dangling.json").is_symlink()
    assert json.loads((tmp_path / "real" / "x.json").read_text()) == json.loads((tmp_path / "real" / "new.json").read_text())
    assert stat.S_IMODE((tmp_path / "real" / "x.json").stat().st_mode) == 0o640


def test_no_file_beside_is_overwritten(capsys, tmp_path):
    """A link with a name that could be guessed was followed once."""
    (tmp_path / "victim").write_text("mine")
    for name in ("x.json.tmp", "x.tmp", ".x.json.tmp"):
        (tmp_path / name).symlink_to("victim")
    assert main([*LIST, "--json", "x.json"]) == 0
    assert (tmp_path / "victim").read_text() == "mine" and (tmp_path / "x.json.tmp").is_symlink()


def test_another_trace_is_not_overwritten_and_names_have_the_settings(capsys, tmp_path):
    traces = tmp_path / "highwater-traces"
    assert main([*VIOLATED, "--quiet"]) == 12
    (first,) = traces.iterdir()
    assert first.name == "published-high-watermark-brokers2-weak_isr.trace"
    assert main([*VIOLATED, "--quiet"]) == 12 and [path.name for path in traces.iterdir()] == [first.name]
    first.write_text("something else")
    assert main([*VIOLATED, "--quiet"]) == 12
    assert first.read_text() == "something else"
    assert sorted(path.name for path in traces.iterdir())[0] == "published-high-watermark-brokers2-weak_isr-2.trace"


# After the run.


@pytest.fixture()
def _nothing_can_be_written(monkeypatch):
    def fails(path, text):
        raise UsageError(f"{path} cannot be written: No space left on device; choose another path")

    for module in ("command_line.check", "output.machine_readable", "command_line.walk"):
        monkeypatch.setattr(f"highwater.explorer.{module}.write_file", fails)


@pytest.mark.usefixtures("_nothing_can_be_written")
@pytest.mark.parametrize(
    ("command", "code", "word"),
    [
        (VIOLATED, 12, "violated: weak_isr"),
        ([*HOLDS, "--deadlock"], 11, "violated: nothing is enabled"),
        ([*HOLDS, "--depth", "3"], 20, "incomplete: "),
        (HOLDS, 2, "holds: "),
        (["walk", *SMALL, "--revision", "high-watermark", "--length", "60", "--seconds", "20"], 12, "violated: "),
    ],
)
def test_the_verdict_comes_first_and_its_code_stays(capsys, command, code, word):
    assert main([*command, "--json", "x.json"]) == code
    captured = capsys.readouterr()
    assert word in captured.out and "x.json cannot be written: No space left on device" in captured.err


def shell(tmp_path, command, redirection):
    """(exit code, standard output, standard error) of a command whose streams are redirected."""
    program = f"{sys.executable} -c '{PROGRAM}' {' '.join(command)}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {program} {redirection}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("command", "code"), [(VIOLATED, 12), (HOLDS, 0)], ids=["violated", "holds"])
def test_a_reader_that_goes_away_changes_nothing(tmp_path, command, code):
    found, out, error = shell(tmp_path, command, "| head -1")
    assert (found, error) == (code, "") and out.startswith("published ")


@pytest.mark.parametrize(("command", "code"), [(VIOLATED, 12), (HOLDS, 2)], ids=["violated", "holds"])
def test_standard_output_that_is_full(tmp_path, command, code):
    found, _, error = shell(tmp_path, command, "> /dev/full")
    assert found == code and error == "highwater: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("redirection", ["2>&-", ">&- 2>&-", "2> /dev/full", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path, redirection):
    found, _, _ = shell(tmp_path, [*VIOLATED, "--run-dir", "run", "--json", "x.json"], redirection)
    assert found == 12 and json.loads((tmp_path / "x.json").read_text())["verdict"] == "violated"
    assert highwater(tmp_path, "verify", "run")[0] == 0


def test_control_characters_do_not_reach_the_terminal(capsys, tmp_path):
    error = output_of(capsys, 2, ["check", "--revision", "\x1b[31mred\x07"]).err
    assert "\x1b" not in error and "\x07" not in error and "red" in error
    code, _, error = highwater(tmp_path, "check", "--revision", b"\xff\xfe".decode("utf-8", "surrogateescape"))
    assert code == 2 and "Traceback" not in error


def test_a_probe_leaves_nothing_behind(tmp_path):
    files.probe(str(tmp_path / "a" / "b" / "c.json"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("form", "begins"), [("--junit", "<?xml"), ("--sarif", '{\n "$schema"'), ("--json", "{")])
def test_each_form_may_go_to_standard_output_and_then_stands_there_alone(capsys, tmp_path, form, begins):
    out = output_of(capsys, 0, [*HOLDS, "--quiet", form, "-"]).out
    assert out.startswith(begins) and "holds:" not in out and not (tmp_path / "-").exists()


def test_two_forms_do_not_share_standard_output(capsys):
    assert "two outputs go to standard output" in refused(capsys, *HOLDS, "--json", "-", "--junit", "-")


def test_the_table_of_a_sweep_is_no_place_for_a_run(capsys, tmp_path):
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "point-0123456789abcdef0123.parquet").write_text("")
    assert "table holds the table of a sweep, not a run" in refused(capsys, *HOLDS, "--run-dir", "table")


def test_the_place_of_a_run_is_none_for_a_table(capsys):
    assert main([*HOLDS, "--quiet", "--run-dir", "run"]) == 0 and capsys.readouterr().out
    sweep = ["sweep", *SMALL[:2], "--vary", "revision=kip-101,kip-320", "--out", "run"]
    assert "run holds a run, not the table of a sweep; choose another --out" in refused(capsys, *sweep)


def test_a_page_beside_each_counterexample_and_a_command_that_is_told(capfd, tmp_path):
    """What goes wrong with the command is said, and does not change the verdict."""
    command = ["check", "--model", "published", "--revision", "high-watermark", "--brokers", "2", "--quiet", "--html"]
    told = [sys.executable, "-c", "import os, sys; print('TOLD', sys.argv[-1], os.environ['HIGHWATER_EXIT_CODE'])"]
    assert main([*command, "--traces", str(tmp_path), "--notify", shlex.join(told)]) == 12
    out, err = capfd.readouterr()
    assert re.search(r"TOLD published high-watermark: violated: weak_isr after 8 steps; .* distinct states, .* 12\n", out)
    [page], [trace] = tmp_path.glob("*.html"), tmp_path.glob("*.trace")
    assert page.stem == trace.stem and f"html: wrote {page}" in err and "<!DOCTYPE html>" in page.read_text()
    assert main([*command, "--traces", str(tmp_path), "--notify", "false"]) == 12
    assert "highwater: --notify: false ended with 1" in capfd.readouterr().err
    for wrong, said in (("no-such-command", "no program 'no-such-command'"), ("", "no program ''"), ("'", "cannot be read")):
        assert said in refused(capfd, *command, "--notify", wrong), "before anything is explored"
