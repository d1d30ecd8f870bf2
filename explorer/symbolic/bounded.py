"""Bounded model checking: is a state that violates a property reachable within a number of steps?

The steps are unrolled from the initial states; which action is taken at each is a variable. Depths are
counted as breadth-first search counts them: the initial states are level 1. It is better than
breadth-first search where logs and epochs are large and the steps few, and worse beyond some eight steps.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

from ...model.language.errors import ModelError, UsageError
from ...model.language.kinds import Record, leaves
from ...model.language.reading.beginnings import listed
from ...properties.property import SOMETIMES, Property
from ...traces.words import plural
from ..compiling.failure import look
from .relation import Instance, Relation, SymbolicStep
from .solving import check, new_solver
from .state import domain, plain, within_ranges
from .terms import Number, Truth, Value, as_term, both, compare, either, extended, negation


@dataclass
class Bounded:
    """What was found: `depth` is the level of the first state, or step, that breaks the property, if any was.

    `complete` is the last level whose states were all examined. `states` and `taken` are the path there.
    """

    property: Property
    complete: int
    depth: int | None = None
    unknown: bool = False
    seconds: float = 0.0
    states: list[Any] = field(default_factory=list)
    taken: list[Instance] = field(default_factory=list)


class Unrolling:
    """States one after the other, joined by steps."""

    def __init__(self, relation: Relation, timeout: float) -> None:
        self.relation = relation
        self.instances = list(relation.instances(up_to_renaming=False))
        self.solver, self.timeout = new_solver(), timeout
        self.states = [relation.fresh("0.")]
        self.chosen: list[Any] = []
        self.is_unknown = False
        states = listed(relation.model, relation.config, "the solver is told of every one of them")
        initial = [_equal(self.states[0], state) for state in states]
        self.solver.add(as_term(domain(self.states[0])), as_term(either(initial)))

    def grow(self) -> None:
        """One more step."""
        number, before = len(self.states), self.states[-1]
        steps = [self.relation.step(instance, before) for instance in self.instances]
        self.validate_no_failure(f for step in steps for f in failures_of(step, before))  # before one of them must be taken
        after = self.relation.fresh(f"{number}.")
        chosen = z3.BitVec(f"action {number}", max(1, len(self.instances).bit_length()))
        self.solver.add(as_term(domain(after)), z3.ULT(chosen, len(self.instances)))
        for index, step in enumerate(steps):
            effect = both([step.enabled, _equal(after, step.after)])
            self.solver.add(z3.Implies(chosen == index, as_term(effect)))
        self.states.append(after)
        self.chosen.append(chosen)

    def validate_no_failure(self, failures: Iterable[Truth], claim: Property | None = None) -> None:
        """ModelError where a plugin's action, or the property, fails in a state that is reached, as in an exploration.

        Of Highwater's own models it is proved that they do not.
        """
        solved = self.ask(either(failures)) if self.relation.has_plugin_code else None
        if isinstance(solved, str):
            self.is_unknown = True
        elif solved is not None:
            states = self.path(solved)[0]
            for state in states:
                look(self.relation.model, state, [claim] if claim else [])
            raise ModelError(f"an index, a shift or a range of a plugin's code fails after {plural(len(states) - 1, 'step')}")

    def ask(self, truth: Truth) -> Any:
        """A Z3 model in which `truth` holds; None when there is none; "unknown"."""
        self.solver.push()
        self.solver.add(as_term(truth))
        found = check(self.solver, self.timeout)
        solved = self.solver.model() if found == z3.sat else None
        self.solver.pop()
        return "unknown" if found == z3.unknown else solved

    def path(self, solved: Any) -> tuple[list[Any], list[Instance]]:
        """The plain states and the instances that a Z3 model chooses."""
        states = [plain(state, solved) for state in self.states]
        taken = [self.instances[solved.eval(c, model_completion=True).as_long()] for c in self.chosen]
        return states, taken


def failures_of(step: SymbolicStep, before: Record) -> list[Truth]:
    """When a step looks up outside an array, or leaves a variable outside its range."""
    leaves_a_range = both([step.enabled, negation(within_ranges(step.after, before))])
    return [leaves_a_range, *(negation(obligation.holds) for obligation in step.obligations)]


def _equal(left: Record, right: Record) -> Truth:
    """Every variable is the same."""
    return both(_same(a, b) for a, b in zip(leaves(left), leaves(right), strict=True))


def _same(a: Value, b: Value) -> Truth:
    """Equal, asked of Z3 even where the declared bounds seem to decide it."""
    if isinstance(a, Number) and isinstance(b, Number):
        width = max(a.term.size(), b.term.size()) + 1
        return extended(a, width) == extended(b, width)
    return compare("==", a, b)


def check_bounded(relation: Relation, claim: Property, steps: int, timeout: float) -> Bounded:
    """Look for a state that breaks `claim` within this many steps, level by level: what is found is shortest."""
    if claim.kind == SOMETIMES:
        raise UsageError(f"{claim.name} says that some state is reachable; bounded search looks for what breaks a property")
    begun = time.perf_counter()
    unrolling = Unrolling(relation, timeout)
    result = Bounded(claim, 0)
    for depth in range(1, steps + 2):
        if depth > 1:
            unrolling.grow()
        last = unrolling.states[-1]
        holds: Truth = True
        if not claim.over_steps:
            holds, obligations = relation.read(claim, last)
        elif depth > 1:
            holds, obligations = relation.read(claim, unrolling.states[-2], last)
        else:
            obligations = ()
        unrolling.validate_no_failure((negation(obligation.holds) for obligation in obligations), claim)
        solved = unrolling.ask(negation(holds))
        if isinstance(solved, str) or unrolling.is_unknown:
            result.unknown = True
            break
        if solved is not None:
            result.depth = depth
            result.states, result.taken = unrolling.path(solved)
            break
        result.complete = depth
    result.seconds = time.perf_counter() - begun
    return result
