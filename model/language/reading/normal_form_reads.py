"""What a plugin must not read: variables that the model's own normal form forgets."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..actions import Model
from ..errors import UsageError
from ..settings import Settings
from .footprint import footprint_in
from .program import is_plugin_code, program
from .specialise import specialise
from .typed_tree import called

INDEX = re.compile(r"\[[^]]*\]")


def validate_normal_form_reads(model: Model, config: Settings, functions: Sequence[Callable[..., Any]]) -> None:
    """UsageError when one of these functions, or a version of a rule, is from a plugin and reads what the model's own normal form
    forgets under the configuration.

    States that differ only in that are explored as one, and whether a property is true in all of them, or an action enabled,
    nobody knows. The model's own functions may read it, also for a plugin's that calls them: the normal form was made for
    what they do with it. A normal form that is from a plugin too is its author's own affair.
    """
    normal = model.normal_form
    if normal is None or is_plugin_code(normal):
        return
    collected = program([normal, *functions], settings=model.config)
    rules = (tree for name, tree in collected.functions.items() if collected.files[name].startswith("rule "))
    roots = {*map(collected.name_of, functions), *called(*rules)} & collected.plugin_code
    whole = specialise(collected, config, model.state)
    left = frozenset(whole.functions) - collected.plugin_code
    forgotten = {INDEX.sub("[]", path) for path in footprint_in(whole, collected.name_of(normal), 1, model.state).writes}
    for name in sorted(roots):
        line = collected.originals[name].__code__.co_firstlineno
        states = 2 if whole.functions[name].parameters[1:2] == ("t",) else 1
        shapes = collected.known_shapes.get(name, ())
        read = {INDEX.sub("[]", path): path for path in footprint_in(whole, name, states, model.state, left, shapes).reads}
        for path in sorted(forgotten & read.keys()):
            raise UsageError(
                f"{collected.files[name]}:{line}: {name} reads {path}, which the normal form of {model.name}"
                " forgets where the model's own steps no longer need it: states that differ in it are explored as one; call a"
                " function of the model that reads it, or leave it out"
            )
