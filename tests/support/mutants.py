"""Mutants of the model: one rule broken, as `finer_mutants` breaks it, put in place of the original everywhere.

A test chooses the rule by its name: file, function and text, `isr.is_current_writer: not (version == node.version)`; a name that
there is not is refused with those that are near. Rules of another text, `variants`, are functions of the test's own.
"""

import sys
from collections import Counter
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache

from highwater.explorer.mutation.mutants import break_all
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.model.language.actions import Model
from highwater.model.language.errors import UsageError
from highwater.model.language.reading.specialise import decided
from highwater.model.language.steps import Rule

from support.finer_mutants import FinerBreaker

broken = cache(break_all)


def without(model: Model, name):
    """The model while the rule of this name is broken; then all is as it was."""
    whole, mutants, _ = broken(model, FinerBreaker)
    mutant = mutant_named(mutants, name)
    tree = decided(whole.functions[mutant.function], mutant.settings)
    original = whole.originals[mutant.function]
    scope = {**whole.originals, **original.__globals__}
    exec(compile(tree.python, f"mutant of {original.__name__}", "exec"), scope)
    return in_place_of(model, {original: scope[tree.name]})


def mutant_named(mutants, name):
    """The mutant of this name; UsageError, with those that are near, when there is none. The second of a name is `name (2)`."""
    known = {}
    count = Counter()
    for mutant in mutants:
        count[mutant.name] += 1
        known[mutant.name if count[mutant.name] == 1 else f"{mutant.name} ({count[mutant.name]})"] = mutant
    if name not in known:
        near = get_close_matches(name, known, 3, 0.3)
        same = [one for one in known if one.partition(":")[0] == name.partition(":")[0]]
        raise UsageError(f"there is no rule {name!r}; near are {'; '.join(dict.fromkeys([*near, *same]))}")
    return known[name]


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
    claims = [[properties[name] for name in names if properties[name].over_steps == steps] for steps in (True, False)]
    for depth, before, action, _, state in breadth_first(model, config):
        if found and depth > min(found.values()):
            break
        states += action is None
        for claim in claims[action is None]:
            if not (claim.holds(before, state) if claim.over_steps else claim.holds(state)):
                found.setdefault(claim.name, depth)
        assert found or states <= most, f"nothing was violated within {most} states, down to level {depth}"
    return found
