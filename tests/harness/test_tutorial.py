"""docs/tutorial.md and docs/index.md: the outputs are those of the commands, and the pages and commands exist."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest
from highwater.explorer.command_line import COMMANDS, main

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "tutorial.md").read_text()
SHOWN = [
    (lines[0], lines[1:])
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S)
    for lines in (part.splitlines() for part in re.split(r"^\$ ", block, flags=re.M)[1:])
]


def told(command, capsys, monkeypatch):
    """What a command of the page prints; `echo '...' |` gives it its input. Code for all sizes is there already."""
    given = re.match(r"echo '(.*)' \| ", command)
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{given[1]}\n" if given else ""))
    words = shlex.split(command[given.end() :] if given else command)[1:]
    main([*words, "--generic"] if words[0] == "check" else words)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def is_shown(shown, line):
    """Whether a line of the page is this line of the output; `…` stands for the rest."""
    return line.startswith(shown[:-1].rstrip()) if shown.endswith("…") else line == shown.rstrip()


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[" ".join(command.split()[:5]) for command, _ in SHOWN])
def test_the_tutorial_shows_what_the_command_prints(command, shown, capsys, monkeypatch):
    """Lines that follow each other on the page do so in the output; `...` stands for any number of lines."""
    lines, at, free = told(command, capsys, monkeypatch), 0, False
    for line in shown:
        if line == "...":
            free = True
            continue
        found = next((i for i in range(at, len(lines)) if is_shown(line, lines[i])), None)
        assert found is not None and (free or found == at), f"{line!r} is not printed here: {lines[at : at + 5]}"
        at, free = found + 1, False
    assert free or at == len(lines), f"the page does not show {lines[at : at + 3]}"


@pytest.mark.parametrize("page", ["index.md", "tutorial.md"])
def test_pages_and_commands_that_are_named_exist(page):
    text = (DOCS / page).read_text()
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (DOCS / link).exists(), link
    for command in re.findall(r"`highwater ([a-z]+)", text):
        assert command in COMMANDS, command
