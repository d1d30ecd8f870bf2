"""Whether sources are still those that were imported. A model is read from its files when it is explored, often long after that;
and the text of the compiler names what it has compiled. Another text must not pass for what runs.
"""

import os
import time
from collections.abc import Iterable
from functools import lru_cache
from types import CodeType

from .errors import UsageError

BEGUN = time.time()
"""When this process, or the one that it is a fork of, began to import Highwater."""


def is_changed(file: str) -> bool:
    """Whether a file was changed since Highwater was imported; not where it lies within an archive."""
    try:
        return os.stat(file).st_ctime > BEGUN
    except OSError:
        return False


def validate_unchanged(files: Iterable[str]) -> None:
    """UsageError when one of these files of Highwater was changed since."""
    for file in files:
        if is_changed(file):
            raise UsageError(f"{file} was changed since highwater began, and is not what runs; begin again")


def has(text: str, code: CodeType) -> bool:
    """Whether a file's text has this function: one that is compiled to the same code, at the same place."""
    return code in _codes_in(text).get(code.co_firstlineno, ())


@lru_cache(maxsize=512)
def _codes_in(text: str) -> dict[int, list[CodeType]]:
    """The functions of a file as they are compiled, by the line where each begins."""
    found: dict[int, list[CodeType]] = {}
    waiting = [compile(text, "<text>", "exec", dont_inherit=True)]
    while waiting:
        inner = [item for item in waiting.pop().co_consts if isinstance(item, CodeType)]
        waiting += inner
        for code in inner:
            found.setdefault(code.co_firstlineno, []).append(code)
    return found
