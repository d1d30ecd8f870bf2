"""Indices that are numbers, in code that is not Highwater's own: compared with the sizes before anything runs."""

import ast
from collections.abc import Iterable

from .errors import UsageError
from .plugin_checks import SUFFIX
from .program import Program
from .settings import Settings
from .trees import nodes_of


def validate_constant_indices(program: Program, config: Settings, roots: Iterable[str]) -> None:
    """UsageError for an index that is a number, and too large under the configuration for which this was specialised.

    `roots`: the functions that are called. What the settings rule out below them is not looked at.
    """
    needed = program.called_by(roots)
    for name, tree in program.functions.items():
        if name not in needed:
            continue
        for node in nodes_of(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "within":
                index, size = node.args
                number = index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else None
                known = getattr(config, size.attr) if isinstance(size, ast.Attribute) else None
                if number is not None and known is not None and not 0 <= number < known:
                    raise UsageError(
                        f"{program.files[name]}:{node.lineno}: the index {number} in {name.removesuffix(SUFFIX)} lies"
                        f" outside an array of {known}; choose larger sizes, or let it depend on the setting"
                    )
