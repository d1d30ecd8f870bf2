"""`docs/proving.md` shows what the commands in it print; `--rewrite-golden` writes it anew. Times are left out."""

import re
import shlex
from pathlib import Path

import pytest
from highwater.explorer.command_line import main

PAGE = Path(__file__).parents[2] / "docs" / "proving.md"
BLOCK = re.compile(r"(<!-- command: (\S+) -->\n\n)(.*?)(\n\n<!-- end of command -->)", re.S)
NAMES = [match[2] for match in BLOCK.finditer(PAGE.read_text())]


def shown(command, capsys):
    """The command and what it prints, indented as code, with `0.0` for every time."""
    main(shlex.split(command)[1:])
    printed = capsys.readouterr().out
    printed = re.sub(r"(?m)^(\w+ +(?:proved|not inductive) +)\d+\.\d\d", lambda m: m[1] + "0.00", printed)
    printed = re.sub(r"\d+\.\d s\b", "0.0 s", printed)
    return "\n".join(f"    {line}".rstrip() for line in [f"$ {command}", *printed.rstrip().splitlines()])


def without_lemmas_used(text):
    """Without the last column of proved actions: another version of Z3 may find another proof."""
    text = re.sub(r"(?m)^( +\w+ +proved +0\.00).*$", r"\1", text)
    return re.sub(r"(?m)^ {30,}\S.*\n", "", text)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_what_the_command_prints(name, capsys, request):
    text = PAGE.read_text()
    block = next(match for match in BLOCK.finditer(text) if match[2] == name)
    wanted = shown(block[3].splitlines()[0].strip().removeprefix("$ "), capsys)
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(text.replace(block[0], block[1] + wanted + block[4]))
        return
    assert without_lemmas_used(block[3]) == without_lemmas_used(wanted)


def test_the_page_has_the_three_steps_of_the_example():
    assert NAMES == ["prove-alone", "prove-two-lemmas", "prove-closed"]
