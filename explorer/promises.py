"""A model's promises, tested on states of every depth of a finished run: that members can be renamed (`Model.asymmetry`), and
that a state and its normal form behave alike, also for functions of a user.

The verdict names that of symmetry all the same (`Outcome.promises`): what is tested is a sample.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations, product
from math import factorial, prod
from random import Random
from typing import Any

import numpy as np

from ..model.language.errors import ModelError
from ..model.language.kinds import cells
from ..model.language.reading.step_checks import plugin_actions
from ..properties.property import Property
from ..traces.words import plural
from .compiling.arrays import WORD_BITS, Words
from .compiling.compiled import Compiled
from .compiling.memory import outboxes
from .compiling.meta_words import action_code
from .compiling.symmetry_samples import MOST_ORDERS, Order, renamed
from .compiling.walker import Walker, spread

TESTED = 400
"""States of a run that are renamed: the same number from each level, but at least one."""

SAMPLED = 64
"""States of each level that a search keeps for this."""

COMPARED = 60
"""States of a run from which steps are taken, to compare what they lead to with its normal form."""

ORDERS = 3
"""Renamings of each state, drawn by chance where there are more."""

NORMAL_FORM = "the normal form"

FAILURES = (IndexError, ArithmeticError, ValueError)


def validate_promises(compiled: Compiled, properties: Sequence[Property], sampled: Callable[[], Sequence[Words]]) -> None:
    """ModelError when some states of each level show that a promise is broken on which a search relied."""
    if compiled.symmetry:
        validate_promised_symmetry(compiled, properties, sampled())
    if needs_normal_states(compiled):
        validate_promised_normal_form(compiled, properties, sampled())


def validate_promised_symmetry(compiled: Compiled, properties: Sequence[Property], levels: Sequence[Words]) -> None:
    """ModelError when one of these states, some of every level, shows that members cannot be renamed.

    Renamed, it must have the same representative, violate and witness the same properties, and the steps of each action must
    lead to the same states up to renaming: of several that differ only in names one may be chosen.
    """
    each, views = max(1, TESTED // max(1, len(levels))), _Views(compiled, properties)
    chance, sizes = Random(0), [int(size) for size in compiled.renaming]
    few = list(product(*map(permutations, map(range, sizes))))[1:] if prod(map(factorial, sizes)) <= MOST_ORDERS else []
    for depth, keys in enumerate(levels, 1):
        for place in chance.sample(range(len(keys)), min(each, len(keys))):
            state, seen = compiled.state_of(keys[place]), views.of(keys[place])
            for order in chance.sample(few, min(ORDERS, len(few))) or drawn(chance, sizes):
                key = compiled.plain.words_of(compiled.plain.key_of(renamed(state, order)))
                try:
                    name = differing(seen, views.of(np.array(key, np.uint64)))
                except FAILURES:  # in one of the two alone: the run has expanded the other
                    name = "something"
                if name:
                    name = blamed(compiled, state, order, name)
                    raise ModelError(
                        f"{name} prefers a member by its number in a state of level {depth}, and the model promises that nothing"
                        f" does (its asymmetry, or symmetric=True), so no verdict follows; leave out --symmetry, or mend {name}"
                    )


def drawn(chance: Random, sizes: Sequence[int]) -> Iterator[Order]:
    """Orders of the members of each sort, by chance."""
    for _ in range(ORDERS if max(sizes) > 1 else 0):
        yield tuple(tuple(chance.sample(range(size), size)) for size in sizes)


View = dict[str, Any]
"""What a state shows, by what shows it: its own representative, findings of properties, representatives that actions lead to."""


class _Views:
    """What states show, by the compiled code of the search."""

    def __init__(self, compiled: Compiled, properties: Sequence[Property]) -> None:
        self.compiled, self.properties, self.scratch = compiled, properties, compiled.scratch()
        self.boxes = outboxes(1, 2, 2 * len(self.scratch.rows), compiled.key_words)

    def of(self, key: Words) -> View:
        """What the state of a key shows, which need not be a representative."""
        compiled, boxes, checks, keys = self.compiled, self.boxes, self.compiled.checks(self.properties), key[np.newaxis]
        least = np.zeros_like(keys)
        compiled.module.canonise(compiled.rows_of(keys), compiled.packing, self.scratch, compiled.renaming, least)
        boxes.filled[:] = 0
        compiled.expand(keys, 0, 1, 0, 0, np.uint64(WORD_BITS - 1), self.scratch, checks, boxes, False)
        view: View = {NORMAL_FORM: least.tobytes()}
        for box in range(2):
            for place in range(int(boxes.filled[0, box])):
                action, _ = compiled.decode(int(action_code(boxes.meta[0, box, place])))
                view.setdefault(action.name, set()).add(boxes.key[0, box, place].tobytes())
        return view | {claim.name: True for claim, row, _, _ in compiled.properties.notes() if checks.notes[row, 0] >= 0}


def differing(left: View, right: View) -> str:
    """By what two views differ; empty where they do not."""
    return next((name for name in (*left, *right) if left.get(name) != right.get(name)), "")


def blamed(compiled: Compiled, state: Any, order: Order, name: str) -> str:
    """The normal form, where it is that which tells apart what follows from a state; else the name."""
    following = [after for _, _, after in compiled.model.enabled(state)]
    images = [renamed(after, order) for after in following]
    alike = not following or (compiled.keys_of(following) == compiled.keys_of(images)).all()
    return name if alike else NORMAL_FORM


def sample(keys: Words) -> Words:
    """Some states of a level, spread over it."""
    return keys[:: max(1, len(keys) // SAMPLED)][:SAMPLED].copy()


def validate_promised_normal_form(compiled: Compiled, properties: Sequence[Property], levels: Sequence[Words]) -> None:
    """ModelError when a step from one of these states, some of every level, shows that the normal form forgets too much."""
    chance, each = Random(0), max(1, COMPARED // max(1, len(levels)))
    some = ((depth, keys[chance.sample(range(len(keys)), min(each, len(keys)))]) for depth, keys in enumerate(levels))
    validate_normal_form_after(compiled, properties, some)


def validate_walked(compiled: Compiled, properties: Sequence[Property], length: int) -> None:
    """The same of states to which random walks of at most this length come."""
    if needs_normal_states(compiled):
        walker, chance = Walker(compiled, [], length), Random(0)
        validate_normal_form_after(compiled, properties, (walked(walker, chance) for _ in range(COMPARED)))


def walked(walker: Walker, chance: Random) -> tuple[int, Words]:
    """The length of a walk, as often one step as many, and the key of the state where it ends."""
    walker.begin(chance.randrange(walker.beginnings))
    walker.walk(int(len(walker.codes) ** chance.random()) - 1, spread(chance.getrandbits(32)))
    return walker.length, walker.compiled.canonised(walker.scratch.rows[:1])


def validate_normal_form_after(compiled: Compiled, properties: Sequence[Property], some: Iterable[tuple[int, Words]]) -> None:
    """ModelError when a step from one of these states leads to one in which functions of a user do not do what they do in its
    normal form: states that differ in what this forgets are explored as one. `some`: after how many steps, and keys.
    """
    model = compiled.model
    steps, claims = model.steps(compiled.config), [claim for claim in properties if not claim.over_steps]
    theirs = plugin_actions(model.actions, model.config)
    own = [step for step in steps if step[0].name in theirs]
    for depth, keys in some:
        for key in keys:
            for action, arguments, after in model.enabled(compiled.state_of(key), steps):
                alike = after.copy()
                model.normal_form(alike)  # type: ignore[misc]
                name = "" if alike == after else differing(*(shown(model, own, claims, one) for one in (after, alike)))
                if name:
                    raise ModelError(
                        f"{name} does not do the same in a state and in its normal form: after {action.label(arguments)} from a"
                        f" state {plural(depth, 'step')} from the beginning it sees, also by what it calls, what the normal form"
                        f" forgets, so no verdict follows; give {name} what it needs in a variable of its own, or mend the normal"
                        " form"
                    )


def needs_normal_states(compiled: Compiled) -> bool:
    """Whether there is a normal form, and a function of a user that could see what it forgets."""
    return compiled.model.normal_form is not None and compiled.plugin_code


def shown(model: Any, own: Sequence[Any], claims: Sequence[Property], state: Any) -> View:
    """What a plain state shows: the truth of claims, and the normal forms to which its own steps lead."""
    view: View = {claim.name: claim.holds(state) for claim in claims}
    for action, _, after in model.enabled(state, own):
        model.normal_form(after)
        view.setdefault(action.name, []).append(cells(after))
    return view
