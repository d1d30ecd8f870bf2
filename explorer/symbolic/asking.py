"""A question of any size, put to Z3 in the ways that answer such questions, one after the other.

As a whole, with the few lemmas that the same question needs at a small size; then in parts, with instances of the lemmas in
their place; then as a whole with all lemmas and more time. Each way is sound: what it refutes, the facts and lemmas refute.

Time is the processor's, and that of an attempt is counted in Z3's own steps, so a busy machine proves what an idle one does.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from .conditions import ways
from .induction import RANGES
from .instances import Lemmas, declared, without_witnesses
from .solving import PROVED, UNKNOWN, check_by_steps
from .splitting import candidates_for, cases_of, parts_of, sort_to_witness
from .terms import subterms

QUICK, FOR_A_PART = 2.0, (0.2, 1.0, 5.0)
"""Seconds of the first attempt at a whole question, and of those at a part of one: a wrong witness shall not cost much."""

SOME, ITS = "some ", "its "
"""How the names of constants begin that a goal's parameters, and an action's, are read as."""


@dataclass
class Asked:
    """Do the facts and the lemmas imply the goal? `refuted`: when they do, sets of formulas that contradict each other.

    `has_model`: Z3 found a state of some size that satisfies all lemmas, but not the goal: to ask again is of no use.
    """

    facts: list[Any]
    lemmas: dict[str, Any]
    goal: Any
    deadline: float
    refuted: list[list[Any]] = field(default_factory=list)
    has_model: bool = False

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.process_time()

    def answer(self, few: set[str], used: set[str]) -> tuple[str, tuple[str, ...]]:
        """Proved, with the lemmas of the proof, or unknown: a counterexample is found elsewhere, at a size.

        `few`: the lemmas that the proof at a small size needs; `used`: all that it used.
        """
        likely = [few, {*few, RANGES}, {*few, *used, RANGES}]
        for number, names in enumerate(likely):
            if names not in likely[:number] and (found := self._whole(names, QUICK, number)) is not None:
                return PROVED, found
        for names in (likely[1], set(self.lemmas)):
            if self._in_parts(names):
                return PROVED, tuple(self._named(names))
        attempt = 2
        while self.left > 0 and not self.has_model:
            names = likely[1] if attempt % 2 else set(self.lemmas)
            if (found := self._whole(names, QUICK * 1.7**attempt, attempt)) is not None:
                return PROVED, found
            attempt += 1
        return UNKNOWN, ()

    def _named(self, names: set[str]) -> list[str]:
        """The lemmas of these names, in their order."""
        return [name for name in self.lemmas if name in names]

    def _whole(self, names: set[str], seconds: float, seed: int) -> tuple[str, ...] | None:
        """The lemmas that a proof of the whole question used; None: none was found in this time."""
        said, chosen = [*self.facts, z3.Not(self.goal)], {name: self.lemmas[name] for name in self._named(names)}
        solver, labelled = z3.Solver(), z3.SimpleSolver()
        solver.add(*said, *chosen.values())
        labelled.add(*said, *(z3.Implies(label(name), lemma) for name, lemma in chosen.items()))
        for attempt, labels in ((solver, []), (labelled, list(map(label, chosen)))):
            attempt.set("random_seed", seed)
            found = check_by_steps(attempt, min(seconds, self.left), *labels)
            self.has_model = found == z3.sat and len(chosen) == len(self.lemmas)
            if found != z3.unknown:
                break
        if found != z3.unsat:
            return None
        core = {literal.get_id() for literal in attempt.unsat_core()}
        used = tuple(name for name in chosen if not labels or label(name).get_id() in core)
        self.refuted = [[*said, *(chosen[name] for name in used)]]
        return used

    def _in_parts(self, names: set[str]) -> bool:
        """Whether each part of the goal follows, in each case, with one witness of those that may do."""
        lemmas = without_witnesses([self.lemmas[name] for name in self._named(names)])
        constants = constants_of([*self.facts, self.goal])
        some, its = ([constant for constant in constants if str(constant).startswith(prefix)] for prefix in (SOME, ITS))
        sort, witnesses = sort_to_witness(self.goal), [None]
        if sort is not None:
            witnesses = candidates_for(sort, lemmas.witnesses, [*self.facts, self.goal], [*some, *its])
        self.refuted = []
        cases = cases_of(some, its) if sort is not None else [[]]
        for seconds in FOR_A_PART:
            cases = [case for case in cases if not any(self._with(witness, case, lemmas, some, seconds) for witness in witnesses)]
        return not cases

    def _with(self, witness: Any, case: list[Any], lemmas: Lemmas, some: list[Any], seconds: float) -> bool:
        """Whether each part follows with this witness in this case."""
        found = []
        for part in parts_of(self.goal, witness):
            facts = [*self.facts, *case, z3.Not(part)]
            if not self._refuted(facts, lemmas, some, seconds):
                if not all(self._refuted(way, lemmas, some, 2 * seconds) for way in ways(facts)):
                    return False
            found.append([*facts, *lemmas.known, *(z3.ForAll(variables, body) for variables, body in lemmas.quantified)])
        self.refuted += found
        return True

    def _refuted(self, facts: list[Any], lemmas: Lemmas, some: list[Any], seconds: float) -> bool:
        """Whether facts and lemmas contradict each other: by instances of the lemmas, or by the solver's own search."""
        seconds = min(seconds, self.left)
        if seconds <= 0 or lemmas.refute(facts, some, seconds):
            return seconds > 0
        solver = z3.SimpleSolver()
        solver.add(*facts, *lemmas.known, *(z3.ForAll(variables, body) for variables, body in lemmas.quantified))
        return bool(check_by_steps(solver, seconds) == z3.unsat)


def label(lemma: str) -> Any:
    """The truth that stands for a lemma, where a proof shall say whether it used it."""
    return z3.Bool(f"lemma {lemma}")


def facts_about(facts: Sequence[Any], formulas: Sequence[Any]) -> list[Any]:
    """The facts without a witness (`last#7`), and those about witnesses to which the formulas lead."""
    named = [(fact, _witnesses(fact)) for fact in facts]
    reached, size = set(declared(formulas)), 0
    while size < len(reached):
        size = len(reached)
        reached.update(*(witnesses for _, witnesses in named if witnesses & reached))
    return [fact for fact, witnesses in named if not witnesses or witnesses & reached]


KNOWN: dict[int, tuple[Any, set[str]]] = {}
"""The witnesses of facts, which questions share, by the id of the fact; it is kept, so that its id is its own."""


def _witnesses(fact: Any) -> set[str]:
    if fact.get_id() not in KNOWN:
        KNOWN[fact.get_id()] = fact, {name for name in declared([fact]) if "#" in name}
    return KNOWN[fact.get_id()][1]


def constants_of(formulas: Sequence[Any]) -> list[Any]:
    """The constants of uninterpreted sorts that formulas name."""
    constants = [term for term in subterms(formulas) if z3.is_const(term) and z3.is_app(term)]
    return sorted((term for term in constants if term.sort().kind() == z3.Z3_UNINTERPRETED_SORT), key=str)
