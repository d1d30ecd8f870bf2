"""Text from a file on its way to people: nothing in it acts on a terminal, breaks XML, reorders a page or commands a workflow.

Everything that is read from a file and goes to a terminal, XML, HTML, a workflow's log or a notebook passes through `visible`.
"""

import html
import re
import unicodedata

KEPT = "\n\t"

COMMAND = re.compile(r"(?m)^([^\S\n]*)::")
"""How a line of a workflow's log begins that is a command; `##[` is one anywhere."""


def visible(text: object, begins: bool = True, kept: str = KEPT) -> str:
    """The text with every character shown that has no visible form: controls, overrides of direction, half characters.

    `begins`: it may begin a line of a log, so it must not begin as a command does. `kept`: controls that stay as they are.
    """
    out = str(text)
    if not out.isprintable():
        out = "".join(character if character in kept or has_form(character) else shown(character) for character in out)
    if "::" in out:
        first, *rest = out.split("\n", 1)
        later = [COMMAND.sub(r"\1\\::", character) for character in rest]
        out = "\n".join([COMMAND.sub(r"\1\\::", first) if begins else first, *later])
    return out.replace("##[", "#\\#[")


def has_form(name: str) -> bool:
    """Whether a character is printed as itself: a letter, a sign, or a space of any width."""
    return name.isprintable() or unicodedata.category(name) == "Zs"


def shown(name: str) -> str:
    """A character by its number."""
    return name.encode("unicode_escape", "backslashreplace").decode()


def escape(text: object) -> str:
    """The same for HTML and SVG."""
    return html.escape(visible(text))
