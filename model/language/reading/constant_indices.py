"""Indices that are numbers, in code that is not Highwater's own: compared with the sizes before anything runs."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..errors import UsageError
from ..settings import Settings
from .plugin_checks import SUFFIX
from .program import BOUNDS, Program
from .typed_tree import Call, Field, Function, Name, Number, having, with_parts


def validate_constant_indices(program: Program, config: Settings, roots: Iterable[str]) -> None:
    """UsageError for an index that is a number, and too large under the configuration for which this was specialised.

    `roots`: the functions that are called. What the settings rule out below them is not looked at.
    """
    needed = program.called_by(roots)
    for name in [name for name in program.functions if name in needed]:
        for call in having(Call, program.functions[name]):
            match call:
                case Call(function="within", arguments=(Number(value=number), Field(name=size))):
                    if not 0 <= number < getattr(config, size):
                        raise UsageError(
                            f"{program.files[name]}:{call.line}: the index {number} in {name.removesuffix(SUFFIX)} lies outside"
                            f" an array of {getattr(config, size)}; choose larger sizes, or let it depend on the setting"
                        )


def without_bounds(program: Program, config: Settings) -> Program:
    """The program in which checks know the sizes of this configuration, and no function has them as a parameter."""
    taking = {name for name, function in program.functions.items() if function.parameters[-1:] == (BOUNDS,)}
    if not taking:
        return program
    sizes, calling = dict(config.numbers()), program.callers_of(taking)

    def without(node: Any) -> Any:
        node = with_parts(node, without)
        match node:
            case Field(owner=Name(name=owner), name=name) if owner == BOUNDS and name in sizes:
                return Number(sizes[name])
            case Call(function=name, arguments=(*arguments, _)) if name in taking:
                return replace(node, arguments=tuple(arguments))
            case Function(name=name, parameters=(*parameters, _)) if name in taking:
                return replace(node, parameters=tuple(parameters))
        return node

    functions = {name: without(part) if name in calling else part for name, part in program.functions.items()}
    return Program(functions, program.files, program.names)
