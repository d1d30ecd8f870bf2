"""Mutants of the model: one function with a rule broken on purpose, put in place of the original everywhere.

A mutant is made from the function's own text: `was` is replaced by `becomes`, and it is an error if `was` is
not there exactly once, so that a mutant never silently equals the model.
"""

import inspect
import sys
import textwrap
from contextlib import contextmanager

from highwater.explorer.plain.breadth_first import breadth_first
from highwater.model.language.actions import Model, Rule


def edited(function, was, becomes):
    """The function with a piece of its text replaced; it sees the same globals."""
    text = textwrap.dedent(inspect.getsource(function))
    assert text.count(was) == 1, f"{function.__name__} has {was!r} {text.count(was)} times"
    scope = {}
    exec(compile(text.replace(was, becomes), f"mutant of {function.__name__}", "exec"), function.__globals__, scope)
    return scope[function.__name__]


@contextmanager
def in_place_of(model: Model, changes):
    """The model while `changes`, from originals to replacements, are in place; then all is as it was."""
    undo = []

    def put(holder, key, value, by_attribute):
        old = getattr(holder, key) if by_attribute else holder[key]
        undo.append((holder, key, old, by_attribute))
        if by_attribute:
            object.__setattr__(holder, key, value)
        else:
            holder[key] = value

    for original, replacement in changes.items():
        for name, module in list(sys.modules.items()):
            if name.startswith("highwater.model"):
                for key, value in list(vars(module).items()):
                    if value is original:
                        put(module, key, replacement, True)
                    elif isinstance(value, Rule):
                        for place, version in enumerate(value.versions):
                            if version is original:
                                put(value.versions, place, replacement, False)
        for action in model.actions:
            if action.function is original:
                put(action, "function", replacement, True)
    assert undo, "nothing was replaced"
    try:
        yield model
    finally:
        for holder, key, old, by_attribute in reversed(undo):
            if by_attribute:
                object.__setattr__(holder, key, old)
            else:
                holder[key] = old


def first_violation(model, config, names, properties, most=30_000):
    """The level of the first violation of a named property, breadth-first and plain, as {name: level}; {} for none."""
    found, states = {}, 0
    for depth, before, action, _, state in breadth_first(model, config):
        if found and depth > min(found.values()):
            break
        states += action is None
        for one in (properties[name] for name in names):
            if action is not None and not (one.holds(before, state) if one.over_steps else one.holds(state)):
                found[one.name] = depth
        assert found or states <= most, f"nothing was violated within {most} states, down to level {depth}"
    return found
