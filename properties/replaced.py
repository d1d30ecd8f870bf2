"""A function of a model in whose place a plugin puts another one, where a switch of the plugin's is on.

A model is plain functions that call each other by name, so whoever calls the function must call the new one: the callers, and
theirs, are copied, and the copies see a rule where the function was. The model itself, and its files, stay what they are.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any

from ..model.language.actions import Action, Model, Rule, parameters_of
from ..model.language.errors import UsageError, hint
from ..model.language.program import Program, program
from ..model.language.settings import Named
from ..model.language.trees import nodes_of
from .catalogue import claims_of

Version = Callable[..., Any]
Replacements = Mapping[str, Mapping[str, Version]]


def replacing(model: Model, replaces: Replacements) -> Model:
    """The model in which these functions stand for its own: {"my_switch": {"has_caught_up": function}}.

    UsageError, in a sentence, for a function that cannot be replaced.
    """
    for switch, row in replaces.items():
        for name, version in row.items():
            model = with_one(model, switch, name, version)
    return model


def with_one(model: Model, switch: str, name: str, version: Version) -> Model:
    """The model with one function replaced where the switch is on."""
    whole = program([action.function for action in model.actions], settings=model.config)
    target = named(model, whole, name)
    refuse_misfit(model, whole, target, version)
    old = whole.originals[target]
    rule = Rule(old.__name__, switch, [old, version])
    made: dict[int, Any] = {id(old): rule}
    for one in (one for one in whole.functions if one in whole.callers_of([target]) and one != target):
        function = whole.originals[one]
        if not hasattr(function, "tree"):  # what a function is short for is made anew from its copy
            made[id(function)] = rewired(function, made)
    actions = tuple(rewired(action, made) for action in model.actions)
    return replace(model, config=with_rows(model.config, made), actions=actions)


def named(model: Model, whole: Program, name: str) -> str:
    """The name in the program of the function that a plugin calls `has_caught_up`, or `isr.has_caught_up` where there are two."""
    stem, _, plain = name.rpartition(".")
    found = [
        one for one, function in whole.originals.items()
        if function.__name__ == plain and not hasattr(function, "tree") and stem in ("", Path(whole.files[one]).stem)
    ]  # fmt: skip
    if not found:
        known = dict.fromkeys(function.__name__ for function in whole.originals.values() if not hasattr(function, "tree"))
        raise UsageError(f"no action of {model.name} calls a function {name!r:.60}, so none is replaced; {hint(plain, known)}")
    below = {id(version) for one in found if isinstance(rule := whole.originals[one], Rule) for version in rule.versions}
    found = [one for one in found if id(whole.originals[one]) not in below]  # of what was replaced before, the rule
    if len(found) > 1:
        several = " or ".join(f"{Path(whole.files[one]).stem}.{plain}" for one in found)
        raise UsageError(f"the model {model.name} has several functions {plain}; name the file, too: {several}")
    return found[0]


def refuse_misfit(model: Model, whole: Program, target: str, version: Version) -> None:
    """UsageError when a function cannot be replaced, or not by this one."""
    old = whole.originals[target]
    name, wanted = old.__name__, parameters_of(old)
    if isinstance(old, Rule) and isinstance(model.config.settings[old.setting], Named):
        rows = f'rules={{"{old.setting}": {{"my-value": {{"{name}": ...}}}}}}'
        raise UsageError(f"{name} is chosen by the setting {old.setting}: give that a further value, {rows}")
    if not isinstance(version, FunctionType) or parameters_of(version) != wanted:
        said = getattr(version, "__name__", repr(version))
        raise UsageError(f"what replaces {name} takes s, {', '.join(wanted)}; {said:.60} does not")
    record = record_among(whole.functions[target])
    if record:
        raise UsageError(f"{name} cannot be replaced: its parameter {record} is a part of the state; replace one that calls it")
    normal = program([model.normal_form], settings=model.config) if model.normal_form else Program()
    if old in normal.originals.values():
        raise UsageError(f"{name} cannot be replaced: the normal form calls it, and was made for what it does; replace a caller")
    claims = [one.name for one in claims_of(model).values() if old in program(one.functions).originals.values()]
    if claims:
        raise UsageError(f"{name} cannot be replaced: the property {claims[0]} calls it, and would say another thing")


def record_among(tree: ast.FunctionDef) -> str:
    """The first parameter after the state of which a field or an element is taken: it is no number; else empty."""
    later = [argument.arg for argument in tree.args.args[1:]]
    taken = {
        node.value.id for node in nodes_of(tree)
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Name)
    }  # fmt: skip
    return next((one for one in later if one in taken), "")


def rewired(one: Any, made: Mapping[int, Any]) -> Any:
    """A copy of a function, a rule or an action, in which names mean what has been made in place of what they meant."""
    if id(one) in made:
        return made[id(one)]
    if isinstance(one, Action):
        return replace(one, function=made[id(one.function)]) if id(one.function) in made else one
    if isinstance(one, Rule):
        return Rule(one.__name__, one.setting, [made.get(id(version), version) for version in one.versions])
    meant = {**one.__globals__, **{key: made[id(value)] for key, value in one.__globals__.items() if id(value) in made}}
    copy = FunctionType(one.__code__, meant, one.__name__, one.__defaults__, one.__closure__)
    copy.__dict__.update(one.__dict__)
    copy.__doc__, copy.__qualname__, copy.__module__ = one.__doc__, one.__qualname__, one.__module__
    return copy


def with_rows(config: Any, made: Mapping[int, Any]) -> Any:
    """The settings, where versions of rules that earlier plugins brought call what has been made."""
    wider = {}
    for name, setting in config.settings.items():
        rows = setting.rows if isinstance(setting, Named) else ()
        if any(id(version) in made for row in rows for version in row.values()):
            other = Named(setting.names, setting.doc, setting.group, setting.members)
            other.rows = tuple({key: made.get(id(version), version) for key, version in row.items()} for row in rows)
            wider[name] = other
    return type(config.__name__, (config,), wider) if wider else config
