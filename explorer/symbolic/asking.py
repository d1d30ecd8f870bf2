"""A question of any size, put to Z3 in the ways that answer such questions, one after the other.

As a whole, with the lemmas that the same question used at a small size; then in parts, with instances of the lemmas in their
place; then as a whole with all lemmas and more time. Each way is sound: what it refutes, the facts and lemmas refute.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from .conditions import ways
from .induction import RANGES
from .instances import Lemmas, without_witnesses
from .solving import PROVED, UNKNOWN, check
from .splitting import candidates_for, cases_of, parts_of, sort_to_witness

QUICK, FOR_A_PART, FOR_A_WAY = 1.5, 4.0, 8.0
"""Seconds of the first attempt at a whole question, at a part of one, and at a part in one way of its conditions."""

SOME, ITS = "some ", "its "
"""How the names of constants begin that a goal's parameters, and an action's, are read as."""


@dataclass
class Asked:
    """Do the facts and the lemmas imply the goal? `refuted`: when they do, sets of formulas that contradict each other."""

    facts: list[Any]
    lemmas: dict[str, Any]
    goal: Any
    deadline: float
    refuted: list[list[Any]] = field(default_factory=list)

    def answer(self, hint: Callable[[bool], set[str]]) -> tuple[str, tuple[str, ...]]:
        """Proved, with the lemmas of the proof, or unknown: a counterexample is found elsewhere, at a size."""
        for number, names in enumerate((hint(True), {*hint(True), RANGES})):
            if (used := self._whole(names, QUICK, number)) is not None:
                return PROVED, used
        few = hint(False)
        for names in ({*few, RANGES}, set(self.lemmas)):
            if self._in_parts(names):
                return PROVED, tuple(self._named(names))
        attempt = 2
        while (left := self.deadline - time.perf_counter()) > 0:
            names = {*few, RANGES} if attempt % 2 else set(self.lemmas)
            if (used := self._whole(names, min(left, QUICK * 1.7**attempt), attempt)) is not None:
                return PROVED, used
            attempt += 1
        return UNKNOWN, ()

    def _named(self, names: set[str]) -> list[str]:
        """The lemmas of these names, in their order."""
        return [name for name in self.lemmas if name in names]

    def _whole(self, names: set[str], seconds: float, seed: int) -> tuple[str, ...] | None:
        """The lemmas that a proof of the whole question used; None: none was found in this time."""
        solver = z3.Solver()
        solver.set("random_seed", seed)
        solver.add(*self.facts, z3.Not(self.goal))
        labels = {name: z3.Bool(f"lemma {name}") for name in self._named(names)}
        for name, label in labels.items():
            solver.add(z3.Implies(label, self.lemmas[name]))
        if check(solver, max(0.01, min(seconds, self.deadline - time.perf_counter())), *labels.values()) != z3.unsat:
            return None
        core = {literal.get_id() for literal in solver.unsat_core()}
        used = tuple(name for name, label in labels.items() if label.get_id() in core)
        self.refuted = [[*self.facts, z3.Not(self.goal), *(self.lemmas[name] for name in used)]]
        return used

    def _in_parts(self, names: set[str]) -> bool:
        """Whether each part of the goal follows, in each case, with one witness of those that may do."""
        lemmas = without_witnesses([self.lemmas[name] for name in self._named(names)])
        constants = constants_of([*self.facts, self.goal])
        some, its = ([one for one in constants if str(one).startswith(prefix)] for prefix in (SOME, ITS))
        sort, witnesses = sort_to_witness(self.goal), [None]
        if sort is not None:
            witnesses = candidates_for(sort, lemmas.witnesses, [*self.facts, self.goal], [*some, *its])
        self.refuted = []
        for case in cases_of(some, its) if sort is not None else [[]]:
            if not any(self._with(witness, case, lemmas, some) for witness in witnesses):
                return False
        return True

    def _with(self, witness: Any, case: list[Any], lemmas: Lemmas, some: list[Any]) -> bool:
        """Whether each part follows with this witness in this case."""
        found = []
        for part in parts_of(self.goal, witness):
            facts = [*self.facts, *case, z3.Not(part)]
            if not self._refuted(facts, lemmas, some, FOR_A_PART):
                if not all(self._refuted(way, lemmas, some, FOR_A_WAY) for way in ways(facts)):
                    return False
            found.append([*facts, *lemmas.known, *(z3.ForAll(variables, body) for variables, body in lemmas.quantified)])
        self.refuted += found
        return True

    def _refuted(self, facts: list[Any], lemmas: Lemmas, some: list[Any], seconds: float) -> bool:
        """Whether facts and lemmas contradict each other: by instances of the lemmas, or by the solver's own search."""
        left = self.deadline - time.perf_counter()
        seconds = min(seconds, left)
        return left > 0 and (lemmas.refute(facts, some, seconds) or self._contradictory(facts, lemmas, seconds))

    def _contradictory(self, facts: list[Any], lemmas: Lemmas, seconds: float) -> bool:
        """The same with the lemmas themselves."""
        solver = z3.SimpleSolver()
        solver.add(*facts, *lemmas.known, *(z3.ForAll(variables, body) for variables, body in lemmas.quantified))
        return bool(check(solver, seconds) == z3.unsat)


def constants_of(formulas: Sequence[Any]) -> list[Any]:
    """The constants of uninterpreted sorts that formulas name."""
    found, seen, todo = list[Any](), set[int](), list(formulas)
    while todo:
        term = todo.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            if z3.is_const(term) and term.sort().kind() == z3.Z3_UNINTERPRETED_SORT and z3.is_app(term):
                found.append(term)
            todo += [term.body()] if z3.is_quantifier(term) else term.children()
    return sorted(found, key=str)
