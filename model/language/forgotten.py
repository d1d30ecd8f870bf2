"""What a plugin must not read: variables that the model's own normal form forgets."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from .errors import UsageError
from .footprint import footprint_in
from .kinds import State
from .program import Program

INDEX = re.compile(r"\[[^]]*\]")


def refuse_forgotten(
    whole: Program, program: Program, given: Iterable[Callable[..., Any]], normal_form: str, state: type[State]
) -> None:
    """UsageError when a foreign one of these functions reads what the model's own normal form forgets.

    States that differ only in that are explored as one, and whether the property is true in all of them, or the action enabled,
    nobody knows. `whole`: the program for a configuration; `program`: as it was collected. The model's own functions may read it,
    also for a foreign one that calls them: the normal form was made for what they do with it.
    """
    theirs = {program.files[name] for name in program.foreign}
    left = frozenset(name for name in whole.functions if whole.files[name] not in theirs)
    forgotten = {INDEX.sub("[]", path) for path in footprint_in(whole, normal_form, 1, state).writes}
    for function in given:
        name = program.name_of(function)
        if name not in program.foreign:
            continue
        states = 2 if [a.arg for a in whole.functions[name].args.args][1:2] == ["t"] else 1
        read = {INDEX.sub("[]", path): path for path in footprint_in(whole, name, states, state, left).reads}
        for path in sorted(forgotten & read.keys()):
            raise UsageError(
                f"{program.files[name]}:{function.__code__.co_firstlineno}: {name} reads {path}, which the normal form of the"
                " model forgets where its own steps need it no more: states that differ in it are explored as one; call a"
                " function of the model that reads it, or leave it out"
            )
