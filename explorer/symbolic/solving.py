"""One solver for the questions about one action: lemmas are assumptions with names, each goal a question."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from .terms import Truth, as_term

PROVED, BROKEN, UNKNOWN = "proved", "broken", "unknown"


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
        self.solver = z3.Solver()
        self.solver.set("timeout", max(1, int(timeout * 1000)))
        self.solver.add(*map(as_term, facts))
        self.names = {name: z3.Bool(f"lemma {name}") for name in lemmas}
        for name, lemma in lemmas.items():
            self.solver.add(z3.Implies(self.names[name], as_term(lemma)))

    def possible(self, *also: Truth) -> Answer:
        """Is there a state with the facts, all lemmas and `also`? `BROKEN` says yes, `PROVED` says no."""
        begun = time.perf_counter()
        self.solver.push()
        self.solver.add(*map(as_term, also))
        found = self.solver.check(*self.names.values())
        seconds = time.perf_counter() - begun
        if found == z3.sat:
            answer = Answer(BROKEN, seconds, (), self.solver.model())
        elif found == z3.unsat:
            core = {str(literal) for literal in self.solver.unsat_core()}
            answer = Answer(PROVED, seconds, tuple(n for n, literal in self.names.items() if str(literal) in core))
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
        best = self.solver.model() if self.solver.check(*self.names.values()) == z3.sat else None
        for choices in wishes:
            for wish in choices:
                if best is None or time.perf_counter() > deadline:
                    break
                granted = best if z3.is_true(best.eval(as_term(wish), model_completion=True)) else self._with(wish)
                if granted is not None:
                    self.solver.add(as_term(wish))
                    best = granted
                    break
        self.solver.pop()
        return best

    def _with(self, wish: Truth) -> Any:
        """A model in which the wish comes true too, if there is one."""
        self.solver.push()
        self.solver.add(as_term(wish))
        found = self.solver.model() if self.solver.check(*self.names.values()) == z3.sat else None
        self.solver.pop()
        return found
