"""docs/highwater.1, the man page: generated from the parsers of all commands, and installed with the wheel."""

import argparse
import sys
from pathlib import Path

import pytest
from argparse_manpage.manpage import Manpage
from highwater.explorer.command_line import COMMANDS, parser_for
from highwater.properties.registry import MODELS

PAGE = Path(__file__).parents[1] / "docs" / "highwater.1"


def generated():
    """The page, as roff: every command with all its flags, but those of settings (`highwater list settings`)."""
    whole, _ = parser_for("", MODELS)
    commands = next(action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    for name in COMMANDS:
        commands.choices[name] = parser_for(name, MODELS)[1]
    for choice in (whole, *commands.choices.values()):
        choice.formatter_class = argparse.RawDescriptionHelpFormatter
    page = Manpage(whole, _data={"project_name": "highwater", "manual_section": "1", "manual_title": "Highwater"})
    return f"{page}\n"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse of another Python writes usages in another way")
def test_the_man_page_is_that_of_the_commands(request):
    text = generated()
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, "--rewrite-golden writes it anew"
    assert all(f"highwater {name}" in text for name in COMMANDS)
