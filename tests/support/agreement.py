"""The symbolic step beside the plain step: one Z3 numeral per (state, action), decoded and compared."""

import random

import z3
from highwater.explorer.symbolic.relation import Instance, Relation
from highwater.explorer.symbolic.terms import as_term, both, extended
from highwater.model.language.kinds import NO_MEMBER, Member, cells, fill, leaves, walk

WIDTH = 20
"""Bits for each number of a state; negative ones in two's complement."""


class SymbolicStep:
    """One action instance, read once from any state, then evaluated at states by substitution."""

    def __init__(self, relation: Relation, instance: Instance) -> None:
        self.relation, self.instance = relation, instance
        step = relation.step(instance)
        self.before = leaves(relation.before)
        self.after = leaves(step.after)
        self.changed = [i for i, (a, b) in enumerate(zip(self.before, self.after, strict=True)) if a is not b]
        in_bounds = both(o.holds for o in step.obligations)
        flags = [z3.If(as_term(t), z3.BitVecVal(1, WIDTH), z3.BitVecVal(0, WIDTH)) for t in (step.enabled, in_bounds)]
        numbers = [extended(self.after[i], WIDTH) for i in self.changed]
        self.term = z3.Concat(*flags, *numbers)

    def at(self, numbers: tuple[int, ...], state: z3.ModelRef) -> tuple[bool, bool, tuple[int, ...]]:
        """(enabled, every index in bounds, successor) at the state of these cells, which `state` gives to the constants."""
        found = state.eval(self.term).as_long()
        parts = [found >> (WIDTH * i) & ((1 << WIDTH) - 1) for i in range(len(self.changed) + 2)][::-1]
        after = list(numbers)
        for index, number in zip(self.changed, parts[2:], strict=True):
            after[index] = number - (1 << WIDTH) if number >> (WIDTH - 1) else number
        return bool(parts[0]), bool(parts[1]), tuple(after)


def as_model(relation: Relation, numbers: tuple[int, ...]) -> z3.ModelRef:
    """The state of these cells as values of the relation's constants."""
    model = z3.Model()
    for value, number in zip(leaves(relation.before), numbers, strict=True):
        if hasattr(value, "term"):
            model.update_value(value.term, z3.BitVecVal(number, value.term.size()))
    return model


def plain_step(state, instance):
    """The same from the model's own function: None for the successor when it indexes out of bounds."""
    after = state.copy()
    step = instance.action.version(state.config)
    try:
        enabled = bool(step(after, *instance.arguments))
    except (IndexError, ValueError):
        return None
    return enabled, cells(after)


def random_state(model, config, dice: random.Random):
    """Any state within the ranges; almost none is reachable."""
    empty = model.state(config)
    numbers = []
    for _, kind, _ in walk(type(empty), empty):
        low, high = kind.span(config)
        number = dice.randint(low, min(high, 40))
        numbers.append(NO_MEMBER if isinstance(kind, Member) and number < 0 else number)
    return fill(empty, numbers)


def disturbed(state, dice: random.Random):
    """A reachable state with a few variables changed: guards pass more often than in a random one."""
    numbers = list(cells(state))
    kinds = [kind for _, kind, _ in walk(type(state), state)]
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(numbers))
        low, high = kinds[at].span(state.config)
        number = dice.randint(low, min(high, 40))
        numbers[at] = NO_MEMBER if isinstance(kinds[at], Member) and number < 0 else number
    return fill(state.copy(), numbers)


def compare_on(relation: Relation, states) -> tuple[int, int, int]:
    """Compare every instance at every state: how many pairs, how many enabled, how many out of bounds."""
    steps = [SymbolicStep(relation, instance) for instance in relation.instances(up_to_renaming=False)]
    pairs = enabled = outside = 0
    for state in states:
        numbers = cells(state)
        known = as_model(relation, numbers)
        for step in steps:
            mine, theirs = step.at(numbers, known), plain_step(state, step.instance)
            pairs += 1
            where = f"{step.instance.label} at {numbers}"
            if theirs is None:
                outside += 1
                assert not mine[1], f"the plain step indexes out of bounds, and no obligation says so: {where}"
                continue
            assert mine[1], f"an obligation fails, and the plain step indexes within bounds: {where}"
            assert mine[0] == theirs[0], f"enabled: {mine[0]}, plain: {theirs[0]}: {where}"
            if mine[0]:
                enabled += 1
                assert mine[2] == theirs[1], f"another successor: {where}"
    return pairs, enabled, outside


def agree_at_random(model, times: int, **settings) -> None:
    """Compare every instance of a model with one revision at some random states, reachable or not."""
    relation = Relation(model, model.configure("only", **settings), list(model.properties))
    dice = random.Random(1)
    for instance in relation.instances(False):
        symbolic = SymbolicStep(relation, instance)
        for _ in range(times):
            state = random_state(model, relation.config, dice)
            wanted = plain_step(state, instance)
            enabled, inside, after = symbolic.at(cells(state), as_model(relation, cells(state)))
            assert not inside if wanted is None else enabled == wanted[0] and (not enabled or after == wanted[1])
