"""A goal in parts: smaller questions, all of which together say what the goal says, or more."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import z3

from .instances import declared, positions_of
from .orders import FRESH
from .terms import negation

MAX_PARTS = 200
"""A goal that falls into more parts is asked as a whole."""


MAX_PAIRS, MAX_WITNESSES = 3, 12
"""More of either are not tried."""


def parts_of(goal: Any, witness: Any = None) -> list[Any]:
    """Formulas that together imply the goal. What a "for all" ranges over becomes a new constant.

    With a `witness`, a "there is" of its sort at the top of the goal is decided by it: then they may say more than the goal.
    """
    found = list(itertools.islice(_parts(goal, witness), MAX_PARTS + 1))
    return found if len(found) <= MAX_PARTS else [goal]


def sort_to_witness(goal: Any) -> Any:
    """The sort of the first "there is" at the top of a goal, or None."""
    for part in parts_of(goal):
        for disjunct in disjuncts(part):
            inner = disjunct.arg(0) if z3.is_not(disjunct) else disjunct
            if z3.is_quantifier(inner) and inner.is_exists() != z3.is_not(disjunct) and inner.num_vars() == 1:
                return inner.var_sort(0)
    return None


def disjuncts(truth: Any) -> list[Any]:
    """The parts of a disjunction, to whatever depth."""
    return [part for child in truth.children() for part in disjuncts(child)] if z3.is_or(truth) else [truth]


def cases_of(some: Sequence[Any], its: Sequence[Any]) -> list[list[Any]]:
    """Every way in which the values of a goal's parameters are those of an action's, or not; one case if there are many."""
    pairs = [(constant, other) for constant in some for other in its if constant.sort() == other.sort()]
    if len(pairs) > MAX_PAIRS:
        return [[]]
    ways = itertools.product(*([pair == other, pair != other] for pair, other in pairs))
    return [list(way) for way in ways]


def candidates_for(sort: Any, witnesses: Sequence[Any], facts: Sequence[Any], constants: Sequence[Any]) -> list[Any]:
    """Terms that may witness: what the lemmas' own witnesses are for the constants, then what the facts name of the sort, then
    each function of the facts of one of the constants."""
    found: dict[int, Any] = {}
    for function in witnesses:
        if function.range() == sort:
            choices = [[c for c in constants if c.sort() == function.domain(i)] for i in range(function.arity())]
            for chosen in itertools.product(*choices):
                term = function(*chosen)
                found[term.get_id()] = term
    for place in positions_of(facts).values():
        found.update((key, term) for key, term in place.items() if term.sort() == sort)
    for function in declared(facts).values():
        if function.range() == sort and function.arity() == 1:
            terms = [function(constant) for constant in constants if constant.sort() == function.domain(0)]
            found.update((term.get_id(), term) for term in terms)
    return list(found.values())[:MAX_WITNESSES]


def _parts(goal: Any, witness: Any) -> Iterator[Any]:
    if z3.is_and(goal):
        for child in goal.children():
            yield from _parts(child, witness)
    elif z3.is_quantifier(goal):
        if goal.is_forall():
            yield from _parts(_instance(goal, _constants(goal)), witness)
        elif witness is not None and goal.num_vars() == 1 and goal.var_sort(0) == witness.sort():
            yield from _parts(_instance(goal, [witness]), witness)
        else:
            yield goal
    elif z3.is_not(goal):
        yield from _parts_of_negation(goal, witness)
    elif z3.is_or(goal):
        yield from _parts_of_disjunction(goal.children(), witness)
    elif z3.is_implies(goal):
        yield from _parts_of_disjunction([negation(goal.arg(0)), goal.arg(1)], witness)
    elif z3.is_app_of(goal, z3.Z3_OP_ITE):
        test, yes, no = goal.children()
        yield from _parts_of_disjunction([negation(test), yes], witness)
        yield from _parts_of_disjunction([test, no], witness)
    else:
        yield goal


def _parts_of_negation(goal: Any, witness: Any) -> Iterator[Any]:
    inner = goal.arg(0)
    if z3.is_or(inner):
        for child in inner.children():
            yield from _parts(negation(child), witness)
    elif z3.is_and(inner):
        yield from _parts_of_disjunction([negation(child) for child in inner.children()], witness)
    elif z3.is_quantifier(inner) and inner.is_exists():
        yield from _parts(negation(_instance(inner, _constants(inner))), witness)
    elif z3.is_quantifier(inner) and witness is not None and inner.num_vars() == 1 and inner.var_sort(0) == witness.sort():
        yield from _parts(negation(_instance(inner, [witness])), witness)
    else:
        yield goal


def _parts_of_disjunction(children: Sequence[Any], witness: Any) -> Iterator[Any]:
    """One disjunct after the other is split; the others stay beside each of its parts."""
    for index, child in enumerate(children):
        pieces = list(_parts(child, witness))
        if len(pieces) != 1 or not pieces[0].eq(child):
            rest = [constant for other, constant in enumerate(children) if other != index]
            for piece in pieces:
                yield from _parts_of_disjunction([*rest, piece], witness)
            return
    yield z3.Or(list(children)) if len(children) > 1 else children[0]


def _constants(quantifier: Any) -> list[Any]:
    """A new constant for each of its variables."""
    return [
        z3.Const(f"{quantifier.var_name(i)}!{next(FRESH)}", quantifier.var_sort(i)) for i in range(quantifier.num_vars())
    ]


def _instance(quantifier: Any, terms: Sequence[Any]) -> Any:
    """The body of a quantifier for these terms."""
    return z3.substitute_vars(quantifier.body(), *reversed(terms))
