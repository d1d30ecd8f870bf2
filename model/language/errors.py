"""What can be wrong with what a user gave us, and with a model, as opposed to what is wrong with the tool."""

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """Bad input. The message is one sentence: what, where, the usual cause, what to do. Exit code 2."""


class LanguageError(Exception):
    """A model function uses what the language of models does not have: file, line and construct."""


class NoRoom(UsageError):
    """This machine has no room for what was asked: nothing is wrong with the request, and elsewhere it may succeed."""


class ModelError(Exception):
    """A model or a property failed while it ran, as by an index outside its array. One sentence; exit code 75."""


class LayoutError(Exception):
    """A value that its variable cannot hold: the model is wrong."""


def reason_of(error: BaseException) -> str:
    """Why something could not be read or written: what the system says, or else the error's own message."""
    return str(getattr(error, "strerror", None) or error)


MAX_NAMES = 20
"""More names are not listed in a sentence."""


def hint(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """What someone may have meant who wrote `word`: the nearest of what is known, or `otherwise`, or what is known."""
    names = list(known)
    near = difflib.get_close_matches(word, names, 1) or difflib.get_close_matches(word.lower(), names, 1)
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"did you mean {near[0]}?" if near else otherwise or f"known are {', '.join(names[:MAX_NAMES])}{more}"


def is_number(text: str) -> bool:
    """Whether what someone has typed is digits only, and not more than fit into a word."""
    return text.isascii() and text.isdecimal() and len(text) < 18


def short(file: str) -> str:
    """The last two parts of a path."""
    return "/".join(file.replace("\\", "/").split("/")[-2:])
