"""One solver for the questions about one action: lemmas are assumptions with names, each goal a question."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from ..budget import Bounds
from .terms import Truth, as_term

PROVED, BROKEN, UNKNOWN = "proved", "broken", "unknown"

FIRST_SECONDS = 0.5
"""Seconds of the first attempt at a question; each further attempt has twice as many."""

STEPS_PER_SECOND = 2_000_000
"""What Z3 counts as steps (`rlimit`) in a second, as measured with questions that have quantifiers."""

CANCELED = ("canceled", "interrupted from keyboard")
"""How Z3 says that an attempt was ended from outside: by a key, or by its own clock."""

OUT_OF_MEMORY = "max. memory exceeded"
"""How Z3 says that it would take more memory than it may."""

OUT_OF_TIME = ("timeout", *CANCELED)
"""How Z3 says that an attempt took too long."""


@dataclass(frozen=True)
class Answer:
    """What Z3 says of one question: `used` names the lemmas of the proof, `solved` is a model of the opposite."""

    verdict: str
    seconds: float
    used: tuple[str, ...] = ()
    solved: Any = None


class Questions:
    """A solver that knows facts and, under their names, lemmas."""

    def __init__(self, facts: Sequence[Truth], lemmas: Mapping[str, Truth], timeout: float) -> None:
        self.solver, self.timeout, self.is_full = new_solver(), timeout, False
        self.solver.add(*map(as_term, facts))
        self.names = {name: z3.Bool(f"lemma {name}") for name in lemmas}
        for name, lemma in lemmas.items():
            self.solver.add(z3.Implies(self.names[name], as_term(lemma)))

    def possible(self, *also: Truth) -> Answer:
        """Is there a state with the facts, all lemmas and `also`? `BROKEN` says yes, `PROVED` says no."""
        begun = time.perf_counter()
        if self.is_full:  # what the solver holds is not known any more
            return Answer(UNKNOWN, 0.0)
        try:
            self.solver.push()
            self.solver.add(*map(as_term, also))
            found, solver = self._solve(begun + self.timeout)
        except z3.Z3Exception as error:
            if OUT_OF_MEMORY not in str(error):
                raise
            self.is_full = True
            return Answer(UNKNOWN, time.perf_counter() - begun)
        seconds = time.perf_counter() - begun
        if found == z3.sat:
            answer = Answer(BROKEN, seconds, (), solver.model())
        elif found == z3.unsat:
            core = {literal.get_id() for literal in solver.unsat_core()}
            answer = Answer(PROVED, seconds, tuple(n for n, literal in self.names.items() if literal.get_id() in core))
        else:
            answer = Answer(UNKNOWN, seconds)
        self.solver.pop()
        return answer

    def follows(self, goal: Truth) -> Answer:
        """Do the facts and the lemmas imply `goal`?"""
        if goal is True:
            return Answer(PROVED, 0.0)
        return self.possible(z3.Not(as_term(goal)))

    def simplest(self, goal: Truth, wishes: Sequence[Sequence[Truth]], seconds: float) -> Any:
        """A model in which `goal` is false and, of each list of wishes in turn, the first that is possible comes true."""
        deadline = time.perf_counter() + seconds
        self.solver.push()
        self.solver.add(z3.Not(as_term(goal)))
        best = self._model(deadline)
        for choices in wishes:
            for wish in choices:
                if best is None or time.perf_counter() > deadline:
                    break
                granted = best if z3.is_true(best.eval(as_term(wish), model_completion=True)) else self._with(wish, deadline)
                if granted is not None:
                    self.solver.add(as_term(wish))
                    best = granted
                    break
        self.solver.pop()
        return best

    def _with(self, wish: Truth, deadline: float) -> Any:
        """A model in which the wish comes true too, if one is found."""
        self.solver.push()
        self.solver.add(as_term(wish))
        found = self._model(deadline)
        self.solver.pop()
        return found

    def _model(self, deadline: float) -> Any:
        """A model of all that is asked now, if one is found."""
        found, solver = self._solve(deadline)
        return solver.model() if found == z3.sat else None

    def _solve(self, deadline: float) -> tuple[z3.CheckSatResult, z3.Solver]:
        """What a solver finds until the deadline, and that solver.

        The time depends more on the seed than on the question: one question of the Kafka model takes 0.02 to 60 s. So an attempt
        that takes long is given up, and a new solver begins with another seed and twice the time.
        """
        solver, attempt = self.solver, 0
        while True:
            left = deadline - time.perf_counter()
            found = check(solver, min(left, FIRST_SECONDS * 2**attempt), *self.names.values())
            is_over = time.perf_counter() >= deadline or solver.reason_unknown() not in OUT_OF_TIME
            if found != z3.unknown or is_over:
                return found, solver
            solver, attempt = new_solver(), attempt + 1
            solver.set("random_seed", attempt)
            solver.add(*self.solver.assertions())


def new_solver() -> z3.Solver:
    """A solver that knows nothing. It says that it does not know where Z3 would take more than this process' share of memory."""
    bounds, solver = Bounds(), z3.Solver()
    bounds.limit_to_machine()
    solver.set("max_memory", max(1, (bounds.available or 0) >> 20))
    return solver


def check(solver: z3.Solver, seconds: float, *assumptions: Any) -> z3.CheckSatResult:
    """What the solver finds within this many seconds.

    Z3 swallows an interrupt: it returns as if its time had run out.

    Raises KeyboardInterrupt if it gave up well before its time.
    """
    allowed, begun = max(1, int(1000 * seconds)), time.perf_counter()
    solver.set("timeout", allowed)
    found: z3.CheckSatResult = solver.check(*assumptions)
    is_early = 1000 * (time.perf_counter() - begun) < 0.9 * allowed
    if found == z3.unknown and solver.reason_unknown() in CANCELED and is_early:
        raise KeyboardInterrupt
    return found


def check_by_steps(solver: z3.Solver, seconds: float, *assumptions: Any) -> z3.CheckSatResult:
    """What the solver finds in the steps that it takes in about this many seconds of a processor that does nothing else.

    An interrupt is not given to Z3: it is raised when these steps are over.
    """
    solver.set("rlimit", max(1, int(seconds * STEPS_PER_SECOND)))
    solver.set("ctrl_c", False)
    found: z3.CheckSatResult = solver.check(*assumptions)
    return found
