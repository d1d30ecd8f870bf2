"""`highwater new NAME` writes a model that is checked at once, with a test that passes and scenarios that pytest reads."""

import json
import sys
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from support.elsewhere import python


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_what_is_new_is_checked_at_once(here, capsys):
    assert main(["new", "some_counters"]) == 0
    assert sorted(one.name for one in here.iterdir()) == ["highwater.toml", "some_counters.py", "test_some_counters.py"]
    capsys.readouterr()
    assert main(["check", "some_counters.py", "--json", "-", "--quiet"]) == 12
    found = {one["name"]: one["verdict"] for one in json.loads(capsys.readouterr().out)["properties"]}
    assert found == {"no_update_is_lost": "violated", "all_write": "witnessed"}
    assert main(["check", "some_counters.py", "--careful", "--clients", "3"]) == 0
    assert "some-counters: A register, and clients" in capsys.readouterr().out
    assert main(["check", "some_counters.py", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "--clients N" in shown and "--careful" in shown and "--brokers" not in shown


def test_its_tests_pass(here):
    main(["new", "other_counters"])
    code, out, _ = python(here, "-m", "pytest", "-q", "-p", "no:cacheprovider", HIGHWATER_COMPILE="no")
    assert code == 0 and "3 passed" in out, out


def test_nothing_is_overwritten(here, capsys):
    Path("highwater.toml").write_text("# mine\n")
    assert main(["new", "mine"]) == 0
    assert Path("highwater.toml").read_text() == "# mine\n" and "left as it is" in capsys.readouterr().out
    assert main(["new", "mine"]) == 2
    assert "is there already; nothing was written" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Two Words", "3d", "class", "../up", ""])
def test_what_is_no_name_is_refused(here, name, capsys):
    assert main(["new", name]) == 2
    assert "cannot be the name of a model" in capsys.readouterr().err and not [*here.iterdir()]
