"""A function of a model in whose place a plugin puts another one, where a switch of the plugin's is on.

A model is plain functions that call each other by name, so whoever calls the function must call the new one: the callers, and
theirs, are copied, and the copies see a rule where the function was. The model itself, and its files, stay what they are.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError, hint, short
from ..model.language.reading.parsed import parse
from ..model.language.reading.plugin_checks import called_with
from ..model.language.reading.program import Program, program
from ..model.language.reading.shapes import NUMBER
from ..model.language.reading.typed_reading import function_of
from ..model.language.reading.typed_tree import Element, Field, Function, written
from ..model.language.reading.values import returns_value
from ..model.language.settings import Named
from ..model.language.steps import Action, Rule, parameters_of
from .catalogue import claims_of

Version = Callable[..., Any]
Replacements = Mapping[str, Mapping[str, Version]]


def replacing(model: Model, replaces: Replacements, forgets: Collection[str] = ()) -> Model:
    """The model in which these functions stand for its own: {"my_switch": {"has_caught_up": function}}.

    `forgets`: functions of the history that they may leave out. UsageError, in a sentence, where one cannot be replaced.
    """
    for switch, row in replaces.items():
        for name, version in row.items():
            model = with_one(model, switch, name, version, forgets)
    return model


def with_one(model: Model, switch: str, name: str, version: Version, forgets: Collection[str]) -> Model:
    """The model with one function replaced where the switch is on."""
    whole = program([action.function for action in model.actions], settings=model.config)
    target = named(model, whole, name)
    validate_replacement(model, whole, target, version)
    validate_remembers(whole, target, version, forgets)
    old = whole.originals[target]
    rule = Rule(old.__name__, switch, [old, version], shapes_for(model, whole, target))
    made: dict[int, Any] = {id(old): rule}
    for caller in (item for item in whole.functions if item in whole.callers_of([target]) and item != target):
        function = whole.originals[caller]
        if not hasattr(function, "tree"):  # what a function is short for is made anew from its copy
            made[id(function)] = rewired(function, made)
    actions = tuple(rewired(action, made) for action in model.actions)
    return replace(model, config=with_rows(model.config, made), actions=actions)


def named(model: Model, whole: Program, name: str) -> str:
    """The name in the program of the function that a plugin calls `has_caught_up`, or `isr.has_caught_up` where there are two."""
    stem, _, plain = name.rpartition(".")
    found = [
        original for original, function in whole.originals.items()
        if function.__name__ == plain and not hasattr(function, "tree") and stem in ("", Path(whole.files[original]).stem)
    ]  # fmt: skip
    if not found:
        known = dict.fromkeys(function.__name__ for function in whole.originals.values() if not hasattr(function, "tree"))
        raise UsageError(f"no action of {model.name} calls a function {name!r:.60}, so none is replaced; {hint(plain, known)}")
    below = {id(version) for caller in found if isinstance(rule := whole.originals[caller], Rule) for version in rule.versions}
    found = [caller for caller in found if id(whole.originals[caller]) not in below]  # of what was replaced before, the rule
    if len(found) > 1:
        several = " or ".join(f"{Path(whole.files[caller]).stem}.{plain}" for caller in found)
        raise UsageError(f"the model {model.name} has several functions {plain}; name the file, too: {several}")
    return found[0]


def validate_replacement(model: Model, whole: Program, target: str, version: Version) -> None:
    """UsageError when a function cannot be replaced, or not by this one."""
    old = whole.originals[target]
    name, wanted = old.__name__, parameters_of(old)
    if isinstance(old, Rule) and isinstance(model.config.settings[old.setting], Named):
        rows = f'rules={{"{old.setting}": {{"my-value": {{"{name}": ...}}}}}}'
        raise UsageError(f"{name} is chosen by the setting {old.setting}: give that a further value, {rows}")
    if not isinstance(version, FunctionType) or parameters_of(version) != wanted:
        said = getattr(version, "__name__", repr(version))
        raise UsageError(f"what replaces {name} takes s, {', '.join(wanted)}; {said:.60} does not{begins_at(version)}")
    answers, said = returns_value(whole.functions[target]), returns_value(function_of(parse(version)[0]))
    if answers != said and said is not None:  # None: on some paths only, which is refused as it is checked
        theirs = f"{version.__name__:.60} returns {'one' if said else 'none'}"
        raise UsageError(f"{name} returns {'a' if answers else 'no'} value; {theirs}{begins_at(version)}")
    normal = program([model.normal_form], settings=model.config) if model.normal_form else Program()
    if old in normal.originals.values():
        raise UsageError(f"{name} cannot be replaced: the normal form calls it, and relies on what it does; replace a caller")
    claims = [claim.name for claim in claims_of(model).values() if old in program(claim.functions).originals.values()]
    if claims:
        raise UsageError(f"{name} cannot be replaced: the property {claims[0]} calls it, and would change its meaning")


def begins_at(version: Any) -> str:
    """` (mine.py:12)`, where a function begins."""
    code = getattr(version, "__code__", None)
    return f" ({Path(code.co_filename).name}:{code.co_firstlineno})" if code else ""


def validate_remembers(whole: Program, target: str, version: Version, forgets: Collection[str]) -> None:
    """UsageError when a version writes what the model writes only as it remembers something for the properties, and does not
    remember it: what was committed would be nothing, and a property of it would hold.
    """
    own, theirs = whole.called_by([target]), program([version], settings=whole.settings)
    known, places = {*theirs.originals.values()}, dict[str, list[str]]()
    for caller in (item for item in own if of_history(function := whole.originals.get(item)) and function not in known):
        callers = [name for name in own if caller in whole.calls[name]]
        observed = {node.name for name in callers for node in written_in(whole.functions[name])}
        for name in theirs.functions:
            mine = name in theirs.plugin_code or target in callers  # the model's own remembers below its caller
            for node in written_in(theirs.functions[name]) if mine and not of_history(theirs.originals[name]) else ():
                if node.name in observed and whole.originals[caller].__name__ not in forgets:
                    place = f"{short(theirs.files[name])}:{node.line}: {name} writes {node.name}"
                    places.setdefault(place, []).append(caller)
    for place, several in places.items():
        several.sort()
        said, quoted = " and ".join(several), ", ".join(f'"{item}"' for item in several)
        raise UsageError(
            f"{place}, and does not call {said}, as the model's own does: properties would not see what it does; call it, or say"
            f" extended(..., forgets=[{quoted}])"
        )


def of_history(function: Any) -> bool:
    """Whether a function is one that remembers, for properties alone."""
    return (getattr(function, "__module__", None) or "").endswith(".history")


def written_in(function: Function) -> Iterator[Field]:
    """The fields that a function itself writes."""
    for place in written(function):
        field = place.owner if isinstance(place, Element) else place
        if isinstance(field, Field):
            yield field


def shapes_for(model: Model, whole: Program, target: str) -> tuple[Any, ...]:
    """What the arguments of a function are where the model calls it; empty where all but the state are numbers.

    UsageError when it is not given the state, which knows whether the switch is on, or not always the same parts of it.
    """
    actions = [whole.name_of(action.function) for action in model.actions]
    found = called_with(whole, actions, target, model.state, model.config)
    given = [shapes for shapes in found if shapes[0] is model.state]
    if len(given) < len(found) or len(found) > 1:
        why = "it is not given the state" if len(given) < len(found) else "it is called with different parts of the state"
        raise UsageError(f"{whole.originals[target].__name__} cannot be replaced: {why}; replace one that calls it")
    return given[0] if given and any(name is not NUMBER for name in given[0][1:]) else ()


def rewired(claim: Any, made: Mapping[int, Any]) -> Any:
    """A copy of a function, a rule or an action, in which names mean what has been made in place of what they meant."""
    if id(claim) in made:
        return made[id(claim)]
    if isinstance(claim, Action):
        return replace(claim, function=made[id(claim.function)]) if id(claim.function) in made else claim
    if isinstance(claim, Rule):
        return Rule(claim.__name__, claim.setting, [made.get(id(version), version) for version in claim.versions], claim.shapes)
    meant = {**claim.__globals__, **{key: made[id(value)] for key, value in claim.__globals__.items() if id(value) in made}}
    copy = FunctionType(claim.__code__, meant, claim.__name__, claim.__defaults__, claim.__closure__)
    copy.__dict__.update(claim.__dict__)
    copy.__doc__, copy.__qualname__, copy.__module__ = claim.__doc__, claim.__qualname__, claim.__module__
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
