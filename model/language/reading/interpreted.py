"""The text of a program, as functions of Python: what is compiled, with the checks of what is from a plugin (`plugin_checks`).

The functions of a model, run as they are written, count with numbers of any size. This text refuses what compiled code refuses.
"""

import ast
from collections.abc import Callable, Iterable
from typing import Any

from .program import Program
from .trees import copied


def interpreted(whole: Program, roots: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """These functions of a program, and all that they call, by name; each at its lines in its file."""
    needed = whole.called_by(roots)
    names: dict[str, Any] = {"__name__": "", **whole.constants}
    for name, tree in whole.functions.items():
        if name in needed:
            exec(compile(ast.fix_missing_locations(ast.Module([copied(tree)], [])), whole.files[name], "exec"), names)
    return names
