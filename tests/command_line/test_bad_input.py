"""Bad input gets one sentence on standard error and exit code 2: no traceback, nothing half-written."""

import json
from pathlib import Path

import pytest
from highwater.explorer.command_line import COMMANDS, main
from support.elsewhere import output_of, refused

REVISION = ["--revision", "kip-279"]


@pytest.fixture(autouse=True)
def _nothing_is_left(tmp_path):
    yield
    assert not (tmp_path / "highwater-traces").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chek"], "did you mean check?"),
        (["check"], "--revision is missing"),
        (["check", "--revision", "kip-32"], "did you mean kip-320?"),
        (["check", "--revison", "kip-320"], "did you mean --revision?"),
        (["guards", "--function", "expand_irs"], "did you mean expand_isr?"),
        (["check", *REVISION, "--brokers"], "expected one argument"),
        (["check", *REVISION, "--brokers", "0"], "between 1 and 9"),
        (["check", *REVISION, "--brokers", "10"], "between 1 and 9"),
        (["check", *REVISION, "--brokers", "9" * 400], "whole number"),
        (["check", *REVISION, "--brokers", "1e3"], "whole number"),
        (["check", *REVISION, "--brokers", "-3"], "between 1 and 9"),
        (["check", *REVISION, "--log-size", "3.5"], "whole number"),
        (["check", *REVISION, "--fetch", "by-post"], "one of rendezvous, in-flight"),
        (["check", *REVISION, "--replicas", "3", "--brokers", "2"], "one broker holds one replica"),
        (["check", *REVISION, "--property", "strong_irs"], "did you mean strong_isr?"),
        (["check", *REVISION, "--threads", "0"], "above 0"),
        (["check", *REVISION, "--seconds", "soon"], "number of seconds"),
        (["check", *REVISION, "--seconds", "nan"], "number of seconds"),
        (["check", *REVISION, "--resume"], "--run-dir"),
        (["check", *REVISION, "--model", "raft"], "there is no model"),
        (["check", *REVISION, "--model"], "expected one argument"),
        (["check", *REVISION, "--config", "nowhere.toml"], "cannot be read"),
        (["check", "--model", "published", *REVISION, "--crashes", "1"], "has no setting crashes"),
        (["walk", *REVISION, "--walks", "-1"], "whole number above 0"),
        (["walk", *REVISION, "--length", "99999999"], "at most 1,000,000"),
        (["replay"], "required: FILE"),
        (["replay", "nowhere.trace"], "cannot be read"),
        (["replay", "."], "cannot be read"),
        (["show", "nowhere.trace"], "cannot be read"),
        (["list", "shapes"], "invalid choice"),
        (["graph", *REVISION, "--most-states", "500"], "more than 500 states"),
        (["graph", "--model", "published", *REVISION, "--format", "gif"], "invalid choice"),
        (["matrix", "--model", "kafka", "--brokers", "77"], "between 1 and 9"),
        (["bench", "--repeat", "0"], "above 0"),
        (["guards", "--markdown", "/"], "/ cannot be written: it is a folder"),
        (["guards", "--markdown", "."], ". cannot be written: it is a folder"),
        (["guards", "--keep"], "--keep needs --markdown PATH, a page that is there"),
        (["guards", "--keep", "--markdown", "none.md"], "--keep: none.md cannot be read: No such file or directory"),
        (["check", *REVISION, "--json", "same", "--junit", "./same"], "same, and the second would replace the first"),
        (["check", *REVISION, "--run-dir", ""], "a folder without a name was given"),
        (["check", *REVISION, "--depth", "9" * 20], "must be a whole number above 0 of at most 17 digits"),
        (["stats", "run", "--sql", "select 1", "--html", "page.html"], "give one of them"),
    ],
)
def test_arguments(capsys, arguments, says):
    assert says in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x00\xff\xfe\x80binary", "not text"),
        (b"brokers = ", "not TOML"),
        (b"[settings\n", "not TOML"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "not TOML"),
        (b"x = 1" + b" " * (1 << 20), "larger than 1 MB"),
        (b"colour = 'red'", "unknown key 'colour'"),
        (b"model = 3", "model must be text, not a whole number"),
        (b"settings = 3", "settings must be a table"),
        (b"properties = 'strong_isr'", "properties must be a list"),
        (b"properties = [1]", "properties[0] must be text"),
        (b"[settings]\nbrokers = 1" + b"0" * 300, "a number of many digits"),
        (b"[settings]\nmax_epoch = 1\nbrokers = [1, 2]", "settings.brokers must be true or false, a whole number or text"),
        (b"[settings]\nbrokers = 2.0", "settings.brokers must be true or false, a whole number or text, not a number with a"),
        (b"[settings]\nbrokers = true", "whole number"),
        (b"[settings]\nbrokrs = 2", "did you mean brokers?"),
        (b"[settings.brokers]\nx = 1", "not a table"),
        (b"[bounds]\nseconds = -1", "above 0"),
        (b"[bounds]\ndepth = 2.5", "bounds.depth must be a whole number"),
        (b"[bounds]\nfuel = 3", "unknown key 'fuel'"),
        (b"model = 'raft'", "a plugin's is known with --plugin"),
        (b"revision = 'kip-999'", "has no revision"),
    ],
)
def test_configuration_files(capsys, tmp_path, content, says):
    (tmp_path / "h.toml").write_bytes(content)
    revision = [] if b"revision" in content else REVISION
    assert says in refused(capsys, "check", *revision, "--config", "h.toml")


def test_results_that_could_not_be_written_are_refused_before_the_run(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    for flag in ("--json", "--junit"):
        assert "cannot be written" in refused(capsys, "check", *REVISION, flag, "file/inside.json")
        assert "cannot be written" in refused(capsys, "check", *REVISION, flag, tmp_path)
    assert "cannot be written" in refused(capsys, "check", *REVISION, "--traces", "file")
    assert "cannot be written" in refused(capsys, "matrix", "--json", "file/x")
    assert (tmp_path / "file").read_text() == ""


def test_a_run_directory_of_another_run_is_refused(capsys, tmp_path):
    small = ["check", "--model", "published", "--brokers", "2", "--generic", "--quiet", "--traces", "t", "--depth", "3"]
    assert main([*small, "--revision", "kip-320", "--run-dir", "run"]) == 20
    capsys.readouterr()
    again = [*small, "--run-dir", "run"]
    assert "add --resume" in refused(capsys, *again, "--revision", "kip-320")
    assert "its revision" in refused(capsys, *again, "--revision", "kip-279", "--resume")
    assert "its settings" in refused(capsys, *again, "--revision", "kip-320", "--max-records", "1", "--resume")
    assert "no run to resume" in refused(capsys, *small, "--revision", "kip-320", "--run-dir", "empty", "--resume")
    assert not list(Path("empty").glob("*"))


def test_a_page_that_guards_did_not_write_keeps_nothing(capsys):
    for name in ("page.md", "page-table.md"):
        Path(name).write_text("# A page\n")
    says = refused(capsys, "guards", "--keep", "--markdown", "page.md")
    assert "--keep: page-table.md has no row that guards wrote" in says and Path("page.md").read_text() == "# A page\n"


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help_with_an_example(capsys, command):
    assert f"example: highwater {command}" in output_of(capsys, 0, [command, "--help"]).out


def test_help_of_the_whole(capsys):
    told = output_of(capsys, 0, ["--help"]).out
    assert all(name in told for name in COMMANDS) and "exit codes" in told
    assert main([]) == 2


@pytest.mark.parametrize("command", list(COMMANDS))
def test_help_can_be_read(capsys, monkeypatch, command):
    """The settings of all models, more than a hundred, are in `list settings`."""
    monkeypatch.setenv("COLUMNS", "80")
    assert len(output_of(capsys, 0, [command, "--help"]).out.splitlines()) <= 80


def test_settings_by_set(capsys):
    small = ["check", "--generic", "--revision", "kip-320", "--quiet", "--json", "-"]
    given = (["--brokers", "2", "--fetch", "in-flight"], ["--set", "brokers=2", "--set", "fetch=in-flight"])
    told = [(main([*small, *how, "--depth", "3"]), json.loads(capsys.readouterr().out)["config"]) for how in given]
    assert told[0] == told[1] and told[0][0] == 20 and told[0][1]["fetch"] == "in-flight"
    assert "takes NAME=VALUE, not 'brokers'" in refused(capsys, *small, "--set", "brokers")
    assert "has no setting broker; did you mean brokers" in refused(capsys, *small, "--set", "broker=2")
    assert "brokers must lie between 1 and" in refused(capsys, *small, "--set", "brokers=77")


def test_settings_are_listed_by_group(capsys):
    told = output_of(capsys, 0, ["list", "settings"]).out
    assert "sizes" in told and "brokers = 3  (1.." in told and "fetch = rendezvous  (rendezvous | in-flight)" in told
