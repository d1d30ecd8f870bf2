"""`highwater verify` reads everything that a run counts, and says where it is not what was written."""

import errno
import json
import os
import random
import shutil

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.runs import reading
from highwater.explorer.runs.reading import Unread
from support.elsewhere import output_of
from support.runs import manifest_of, without_permission

RUN = ["check", "--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic", "--quiet", "--depth", "9"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("finished")
    assert main([*RUN, "--run-dir", str(path / "run"), "--traces", str(path)]) == 20
    return path / "run"


def test_a_run_is_sound(capsys, finished):
    assert "sound: 9 levels, 1,345 states, 9 files" in output_of(capsys, 0, ["verify", str(finished)]).out
    found = json.loads(output_of(capsys, 0, ["verify", f"file:{finished}", "--json", "-"]).out)
    assert (found["verdict"], found["levels"], found["sound"], found["wrong"]) == ("sound", 9, 9, [])


def test_how_the_run_ended(capsys, finished, tmp_path):
    """The verdict and each property's, from the directory alone; not that of an earlier end; damage drops no level."""
    path = shutil.copytree(finished, tmp_path / "run")
    assert main(["verify", str(path), "--json", str(tmp_path / "v.json")]) == 0
    out, ended = capsys.readouterr().out, json.loads((tmp_path / "v.json").read_text())["ended"]
    how = "incomplete: the bound of depth 9; every level to depth 9 is complete"
    assert how in " ".join(out.split()) and "weak_isr" in out
    verdicts = {claim["name"]: claim["verdict"] for claim in ended["properties"]}
    assert ended["verdict"] == verdicts["weak_isr"] == "incomplete"
    assert main(["show", str(path)]) == 2 and "is the directory of a run" in capsys.readouterr().err
    whole = (path / "outcome.json").read_text()
    (path / "outcome.json").write_text(whole.replace("incomplete", "holds"))
    out = output_of(capsys, 2, ["verify", str(path)]).out
    assert "outcome.json was damaged or changed" in out and "--resume-from" not in out
    assert main([*RUN, "--depth", "10", "--run-dir", str(path), "--resume"]) == 20
    (path / "outcome.json").write_text(whole)
    capsys.readouterr()
    assert main(["verify", str(path)]) == 0 and "verdict: not recorded" in capsys.readouterr().out


def test_a_damaged_file_is_named_with_the_last_sound_level(capsys, finished, tmp_path):
    path = shutil.copytree(finished, tmp_path / "run")
    data = bytearray((path / "level-0004.states").read_bytes())
    data[33] ^= 4
    (path / "level-0004.states").write_bytes(data)
    (path / "level-0006.states").unlink()
    told = output_of(capsys, 2, ["verify", str(path)]).out
    assert "level-0004.states: its digest differs" in told and "level-0006.states: No such file" in told
    assert "sound up to level 3" in told and "--resume-from 3" in told
    (path / "manifest" / "0003.json").write_text("{}")
    assert "sound up to level 2" in output_of(capsys, 2, ["verify", str(path)]).out
    (path / "manifest" / "0000.json").write_text("{}")
    assert "start a new run" in output_of(capsys, 2, ["verify", str(path)]).out


def test_every_flipped_bit_is_found(finished, tmp_path):
    """A bit of each byte of some files, one after the other."""
    path, dice = shutil.copytree(finished, tmp_path / "run"), random.Random(4)
    for name in ("manifest/0000.json", "manifest/0005.json", "level-0005.states"):
        whole = (path / name).read_bytes()
        for at in dice.sample(range(len(whole)), 60):
            data = bytearray(whole)
            data[at] ^= 1 << dice.randrange(8)
            (path / name).write_bytes(data)
            assert main(["verify", str(path), "--json", str(tmp_path / "v.json")]) == 2, (name, at)
        (path / name).write_bytes(whole)
    assert main(["verify", str(path)]) == 0


def test_what_is_no_run_is_refused(capsys, tmp_path):
    for place in (tmp_path, tmp_path / "nowhere"):
        assert "holds no run" in output_of(capsys, 2, ["verify", str(place)]).err
    (tmp_path / "file").write_text("")
    assert "cannot be read: Not a directory" in output_of(capsys, 2, ["verify", str(tmp_path / "file")]).err


@pytest.mark.parametrize("name", ["manifest/0000.json", "manifest/0004.json", "level-0004.states"])
def test_a_file_that_cannot_be_read_is_not_damaged(capsys, finished, tmp_path, name):
    """No level is to be dropped for it, not even for what is damaged beside it."""
    path = shutil.copytree(finished, tmp_path / "run")
    with pytest.MonkeyPatch.context() as patch:
        without_permission(patch, name)
        shown = output_of(capsys, 2, ["verify", str(path), "--json", str(tmp_path / "v.json")]).out
        assert f"{name} cannot be read: Permission denied" in shown and "--resume-from" not in shown and "new run" not in shown
        (path / "level-0002.states").unlink()
        assert "--resume-from" not in output_of(capsys, 2, ["verify", str(path)]).out
    found = json.loads((tmp_path / "v.json").read_text())
    assert (found["verdict"], found["wrong"], len(found["unread"])) == ("unreadable", [], 1)
    assert "--resume-from 1" in output_of(capsys, 2, ["verify", str(path)]).out


def test_an_error_that_passes_is_waited_for(finished, monkeypatch):
    """As of a file system on a network; one that stays is reported after some attempts."""
    failed, whole = [], os.listdir
    monkeypatch.setattr(reading, "WAITS", (0.0, 0.0))

    def failing(folder):
        failed.append(folder)
        if len(failed) <= 2:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return whole(folder)

    monkeypatch.setattr(os, "listdir", failing)
    assert main(["verify", str(finished)]) == 0 and len(failed) > 2
    with pytest.raises(Unread, match="some: Stale file handle"), reading.reading("some"):
        reading.patiently(lambda: always(errno.ESTALE))


def test_a_run_that_cannot_be_written_can_be_read(finished, tmp_path):
    path = shutil.copytree(finished, tmp_path / "run")
    os.chmod(path, 0o555)
    assert main(["verify", str(path)]) == 0
    os.chmod(path, 0o755)
    assert manifest_of(path)["states"] > 0


def always(number):
    raise OSError(number, os.strerror(number))
