"""How a function that goes to LLVM directly fails: an error that its text raises, as a plugin's checks do (`plugin_checks`).

Such a function has one more parameter, the address of a word. To raise is to write the number of the error there and to return;
whoever called looks at the word, and returns as well, or, if it is Numba's, raises.
"""

from __future__ import annotations

import ast
import hashlib
from typing import NamedTuple

ERRORS = ("IndexError", "ValueError")
"""The errors that texts raise."""


class Failure(NamedTuple):
    """An error by its name, and what it says."""

    error: str
    message: str

    @property
    def number(self) -> int:
        """What stands for it, never 0: it does not depend on the text, for code of several texts is kept and linked."""
        return 1 + int.from_bytes(hashlib.sha256(f"{self.error}: {self.message}".encode()).digest()[:7])


def failure_of(node: ast.Raise) -> Failure | None:
    """The failure that a statement raises; None if that depends on more than the text."""
    call = node.exc
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in ERRORS or node.cause:
        return None
    said = call.args[0] if len(call.args) == 1 and not call.keywords else None
    return Failure(call.func.id, said.value) if isinstance(said, ast.Constant) and isinstance(said.value, str) else None
