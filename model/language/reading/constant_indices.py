"""Indices that are numbers, in code that is not Highwater's own: compared with the sizes before anything runs."""

import ast
from collections.abc import Iterable
from typing import Any

from ..errors import UsageError
from ..settings import Settings
from .plugin_checks import SUFFIX
from .program import BOUNDS, Program
from .specialise import Lengths
from .trees import called, copied
from .typed_tree import Call, Field, Number, having


def validate_constant_indices(program: Program, config: Settings, roots: Iterable[str]) -> None:
    """UsageError for an index that is a number, and too large under the configuration for which this was specialised.

    `roots`: the functions that are called. What the settings rule out below them is not looked at.
    """
    needed = program.called_by(roots)
    for name in [name for name in program.functions if name in needed]:
        for call in having(Call, program.function(name)):
            match call:
                case Call(function="within", arguments=(Number(value=number), Field(name=size))):
                    if not 0 <= number < getattr(config, size):
                        raise UsageError(
                            f"{program.files[name]}:{call.line}: the index {number} in {name.removesuffix(SUFFIX)} lies outside"
                            f" an array of {getattr(config, size)}; choose larger sizes, or let it depend on the setting"
                        )


def without_bounds(program: Program, config: Settings) -> Program:
    """The program in which checks know the sizes of this configuration, and no function has them as a parameter."""
    taking = {name for name, tree in program.functions.items() if tree.args.args and tree.args.args[-1].arg == BOUNDS}
    if not taking:
        return program
    sizes, calling = _Sizes(config, taking), program.callers_of(taking)
    functions = {name: sizes.visit(copied(tree)) if name in calling else tree for name, tree in program.functions.items()}
    return Program(functions, program.constants, program.files, program.names)


class _Sizes(Lengths):
    """Puts in numbers, and leaves out the parameter in functions and calls; `taking`: the functions that have it."""

    def __init__(self, config: Settings, taking: set[str]) -> None:
        super().__init__(dict(config.numbers()))
        self.taking = taking

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.name in self.taking:
            node.args.args.pop()
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        if called(node) in self.taking:
            node.args.pop()
        return self.generic_visit(node)
