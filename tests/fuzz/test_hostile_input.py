"""Whatever is given to the command, the exit code is one of the table, and never that of a defect."""

import pytest
from fuzz.hostile import cases
from highwater.explorer.command_line import main

CODES = {0, 2, 11, 12, 15, 16, 17, 20, 75}


def try_all(capsys, folder, seed, count):
    """Run the cases; those that ended in another way, with what was said."""
    wrong = []
    for number, kind, arguments in cases(seed, count, folder):
        code = main(arguments)
        said = capsys.readouterr()
        clean = code in CODES and "Traceback" not in said.err
        if code == 2 and not said.out:
            clean = clean and said.err.startswith("highwater: ") and "\x1b" not in said.err
        if not clean:
            wrong.append((number, kind, arguments, code, said.err[-600:]))
    return wrong


@pytest.mark.parametrize("seed", range(3))
def test_some(capsys, tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    assert try_all(capsys, tmp_path, seed, 100) == []


@pytest.mark.long
def test_ten_thousand(capsys, tmp_path, monkeypatch):
    """Five minutes: the same, with other seeds."""
    monkeypatch.chdir(tmp_path)
    assert try_all(capsys, tmp_path, "long", 10_000) == []
