"""A model for one configuration as a module of TLA+, read from the same syntax trees that every engine reads (`tla_writer`).

Each variable of the state is a variable of the module: records are records, arrays functions from 0, members and choices numbers.
An action is true where its function is, and the last names of what it writes are the new values.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.reading.beginnings import listed
from ...model.language.reading.footprint import footprint_in
from ...model.language.reading.normal_form_reads import INDEX
from ...model.language.reading.program import program
from ...model.language.reading.specialise import specialise
from ...model.language.sizes import MAX_DERIVED, MIN_DERIVED, spans
from ...properties.property import ALWAYS, STEP, Property
from .tla_words import Frame, let, literal, truth_of
from .tla_writer import BITS, REMAINDER, Writer

HELPERS = r"""
RECURSIVE BitAnd(_, _), BitOr(_, _)
BitAnd(x, y) == IF x = 0 \/ y = 0 THEN 0 ELSE IF x = -1 THEN y ELSE IF y = -1 THEN x
                ELSE 2 * BitAnd(x \div 2, y \div 2) + (x % 2) * (y % 2)
BitOr(x, y) == IF x = 0 THEN y ELSE IF y = 0 THEN x ELSE IF x = -1 \/ y = -1 THEN -1
               ELSE 2 * BitOr(x \div 2, y \div 2) + (IF (x % 2) + (y % 2) = 0 THEN 0 ELSE 1)
BitXor(x, y) == BitOr(x, y) - BitAnd(x, y)
Remainder(x, y) == IF y > 0 THEN x % y ELSE -((-x) % (-y))
"""

WHY = "a property of steps reads what the normal form forgets, with which each action of the module ends"
"""Why properties are left out."""


def module(name: str, model: Model, config: Any, properties: Iterable[Property]) -> tuple[str, str]:
    """The module of a model under a configuration, and what TLC is to check of it (`.cfg`)."""
    for path, low, high in spans(model.state, config, normal=False):
        if low < MIN_DERIVED or high > MAX_DERIVED:
            raise UsageError(f"{path} goes from {low} to {high}, and a number of TLC has 32 bits; choose smaller sizes")
    without = left_out(model, config, properties := list(properties))
    chosen = [claim for claim in properties if claim.kind in (ALWAYS, STEP) and claim.name not in without]
    actions = [claim for claim in model.actions if claim.exists(config)]
    more = [model.normal_form] if model.normal_form else []
    functions = [*(claim.version(config) for claim in actions), *(claim.function for claim in chosen), *more]
    whole = program(functions, settings=model.config)
    writer = Writer(specialise(whole, config, model.state), model.state, config)
    normal = whole.name_of(more[0]) if more else ""
    variables = list(model.state.fields)
    parts = [initial_text(model, config)]
    for action in actions:
        frame, states = Frame(action.name, "", {}), writer.begin(["s"])
        names = [f"{parameter}_i" for parameter in action.parameters]
        result = writer.called(whole.name_of(action.version(config)), states, names, frame)
        if normal:
            writer.called(normal, states, [], frame)
        lines = [truth_of(result), *(f"{variable}' = {writer.values['s', variable]}" for variable in variables)]
        said = "(" + " /\\ ".join(lines) + ")"
        parts.append(f"{titled(action.name)}{arguments(names)} ==\n    {let(frame.lets, said)}")
    calls = [f"{titled(claim.name)}{arguments(f'{parameter}_i' for parameter in claim.parameters)}" for claim in actions]
    steps = [some(claim.dimensions, claim.parameters, config, "E") + call for claim, call in zip(actions, calls, strict=True)]
    parts.append("Next ==\n" + "\n".join(f"    \\/ {step}" for step in steps))
    parts.append(f"vars == <<{', '.join(variables)}>>\n\nSpec == Init /\\ [][Next]_vars")
    for each in chosen:
        frame, states = Frame(each.name, "", {}), writer.begin(["s", "t"] if each.over_steps else ["s"])
        names = [f"{parameter}_i" for parameter in each.parameters]
        result = writer.called(whole.name_of(each.function), states, names, frame)
        said = f"{some(each.dimensions, each.parameters, config, 'A')}{let(frame.lets, truth_of(result))}"
        parts.append(f"{titled(each.name)} ==\n    " + (f"[][{said}]_vars" if each.over_steps else said))
    head = f"---- MODULE {name} ----\n\\* {model.title}, written by highwater export --tla.\n"
    head += f"\\* Without {', '.join(without)}: {WHY}.\n" if without else ""
    head += "EXTENDS Integers, Sequences\n"
    body = "\n\n".join([f"VARIABLES {', '.join(variables)}", *parts])
    lines = ["SPECIFICATION Spec", "CHECK_DEADLOCK FALSE"]
    lines += [f"{'PROPERTY' if claim.over_steps else 'INVARIANT'} {titled(claim.name)}" for claim in chosen]
    return f"{head}{HELPERS}\n{body}\n\n====\n", "\n".join(lines) + "\n"


def left_out(model: Model, config: Any, properties: Iterable[Property]) -> list[str]:
    """The properties of steps that TLC cannot decide: they read what the normal form forgets, with which an action ends there."""
    steps = [claim for claim in properties if claim.kind == STEP]
    if model.normal_form is None or not steps:
        return []
    functions = [model.normal_form, *(claim.function for claim in steps)]
    collected = program(functions, settings=model.config)
    whole = specialise(collected, config, model.state)
    normal, *names = map(collected.name_of, functions)

    def paths(found: Iterable[str]) -> set[str]:
        return {INDEX.sub("[]", path) for path in found}

    forgotten = paths(footprint_in(whole, normal, 1, model.state).writes)
    read = [paths(footprint_in(whole, name, 2, model.state).reads) for name in names]
    return [claim.name for claim, some in zip(steps, read, strict=True) if forgotten & some]


def initial_text(model: Model, config: Any) -> str:
    """Where a behaviour may begin."""
    ways = []
    for state in listed(model, config, "the module names every one of them"):
        if model.normal_form is not None:
            model.normal_form(state)
        ways.append(" /\\ ".join(f"{name} = {literal(kind, getattr(state, name))}" for name, kind in state.fields.items()))
    return "Init ==\n" + "\n".join(f"    \\/ ({way})" for way in dict.fromkeys(ways))


def titled(name: str) -> str:
    """`take_lease` as TLA+ writes it: TakeLease."""
    found = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return f"{found}_" if found in ("Init", "Next", "Spec", REMAINDER, *BITS.values()) else found


def arguments(names: Iterable[str]) -> str:
    """The parameters of a definition or of a call."""
    found = ", ".join(names)
    return f"({found})" if found else ""


def some(dimensions: Sequence[str], parameters: Sequence[str], config: Any, which: str) -> str:
    """The quantifiers of parameters."""
    ranges = [f"{p}_i \\in 0..{getattr(config, d) - 1}" for p, d in zip(parameters, dimensions, strict=True)]
    return f"\\{which} {', '.join(ranges)} : " if ranges else ""
