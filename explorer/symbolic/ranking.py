"""Progress proved by a ranking: while a property waits, something that can happen, or must, makes its measures smaller.

The states looked at are all that satisfy the declared ranges and the lemmas, which are proved by induction beside it; so what
is proved holds at any depth. For each tuple of the property's values these are the questions to Z3, each about one step from any
state in which the property waits:

    led down     some instance of a helpful action is enabled, is no fault, and leads to the goal or to smaller measures
    kept         (not of what is recoverable) any other step leads to the goal, or the wait goes on and no measure is larger;
                 if all are the same, an instance that was of use before is of use after. For a fault only: the wait goes on

An instance of use stays so until it is taken, so weak fairness has it taken, and then the measures are smaller. They cannot get
smaller for ever.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from ...model.language.errors import UsageError
from ...model.language.kinds import cells, leaves
from ...model.language.reading.faults import counters
from ...model.language.steps import FAULT, STRONG, WEAK
from ...properties.property import RECOVERABLE, Property
from ...properties.ranked import Ranking
from ..processes import run_all
from .induction import FEWER, by_place, simplest
from .interpreter import Interpreter
from .relation import Instance, Relation, one_of_each
from .solving import BROKEN, PROVED, Answer, Questions
from .terms import Truth, Value, both, compare, either, is_named, negation, subterms

IN_BOUNDS, LED_DOWN, KEPT = "in bounds", "led down", "kept"


@dataclass(frozen=True)
class Stand:
    """What a property says in a state, for one tuple of its values: whether it waits, whether the goal is true, the measures."""

    waits: Truth
    goal: Truth
    measures: tuple[Value, ...]


@dataclass(frozen=True)
class Refuted:
    """Why a ranking proves nothing: a state in which the property waits, and the step that breaks the rule, if it is one."""

    question: str
    binding: tuple[int, ...]
    before: tuple[int, ...]
    measures: tuple[int, ...]
    step: str = ""
    after: tuple[int, ...] = ()
    measures_after: tuple[int, ...] = ()


@dataclass(frozen=True)
class Asked:
    """One question of the proof and its answer; `step`: the instance that it is about."""

    question: str
    binding: tuple[int, ...]
    verdict: str
    seconds: float
    step: str = ""
    used: tuple[str, ...] = ()
    refuted: Refuted | None = None


class Ranked:
    """A property with its ranking over a relation, in which the lemmas are known."""

    def __init__(self, relation: Relation, claim: Property, ranking: Ranking, lemmas: Sequence[Property], timeout: float) -> None:
        self.relation, self.claim, self.ranking, self.timeout = relation, claim, ranking, timeout
        self.assumed = {lemma.name: relation.says(lemma, relation.before) for lemma in lemmas}
        self.everything = list(relation.instances(False))
        self.helpful = [instance for instance in self.everything if self._may_help(instance)]
        self._paid = counters(relation.model, relation.config).values()
        self._known: dict[tuple[int, ...], tuple[Stand, list[Truth], set[str]]] = {}

    def _may_help(self, instance: Instance) -> bool:
        action = instance.action
        if action.name not in self.ranking.helpful:
            return False
        if self.claim.kind != RECOVERABLE and (action.fairness not in (WEAK, STRONG) or action.fair_with):
            why = "it is fair only together with others (any_of)" if action.fair_with else "it is not fair"
            raise UsageError(f"{action.name} is called helpful for {self.claim.name}, and may be put off for ever: {why}")
        return True

    def questions(self, workers: int = 1) -> Iterator[Asked]:
        """Every question, answered; in the order in which that is done."""
        jobs: list[tuple[tuple[int, ...], Instance | None]] = []
        for binding in self.bindings():
            self._before(binding)
            jobs.append((binding, None))
            if self.claim.kind != RECOVERABLE:
                jobs += [(binding, instance) for instance in self.everything]
            yield from self._in_bounds(binding)
        yield from (asked for _, asked in run_all(lambda job: self._ask(*job), jobs, workers, FEWER))

    def _in_bounds(self, binding: tuple[int, ...]) -> Iterator[Asked]:
        """Each index of premise, goal and measures lies in its array, in every state that satisfies the lemmas."""
        reader = Interpreter(self.relation.program)
        self._read(reader, self.relation.before, binding)
        questions = Questions([self.relation.domain], self.assumed, self.timeout)
        for holds in by_place(reader.obligations).values():
            answer = questions.follows(holds)
            yield Asked(IN_BOUNDS, binding, answer.verdict, answer.seconds, used=answer.used)

    def bindings(self) -> Iterable[tuple[int, ...]]:
        """The property's values; up to a renaming of members one of each kind is enough."""
        values = self.claim.bindings(self.relation.config)
        return one_of_each(self.claim, values) if self.relation.renames else values

    def _before(self, binding: tuple[int, ...]) -> tuple[Stand, list[Truth], set[str]]:
        """What the property says before a step, when each helpful instance is of use, and the variables on which that depends."""
        if binding not in self._known:
            before = self.relation.before
            here = self.stand(before, binding)
            uses = [self.use(helper, before, here, binding) for helper in self.helpful]
            self._known[binding] = here, uses, constants_of([here.waits, here.goal, *here.measures, *uses])
        return self._known[binding]

    def _ask(self, binding: tuple[int, ...], instance: Instance | None) -> Asked:
        here, uses, depends_on = self._before(binding)
        if instance is None:
            facts, truth = [here.waits], either(uses)
        else:
            step = self.relation.step(instance)
            if not self._changed(step.after) & depends_on:
                return Asked(KEPT, binding, PROVED, 0.0, instance.label)
            facts = [here.waits, step.enabled, *(obligation.holds for obligation in step.obligations)]
            truth = self._keeps(instance, step.after, here, uses, binding)
        questions = Questions([self.relation.domain, *facts], self.assumed, self.timeout)
        answer = questions.follows(truth)
        refuted = self._refuted(questions, truth, answer, binding, instance) if answer.verdict == BROKEN else None
        label, question = (instance.label, KEPT) if instance is not None else ("", LED_DOWN)
        return Asked(question, binding, answer.verdict, answer.seconds, label, answer.used, refuted)

    def stand(self, state: Any, binding: Sequence[int]) -> Stand:
        """What the property says in a state."""
        return self._read(Interpreter(self.relation.program), state, binding)

    def _read(self, reader: Interpreter, state: Any, binding: Sequence[int]) -> Stand:
        name_of = self.relation.program.name_of
        goal = reader.truth(name_of(self.claim.function), state, *binding)
        premise = True if self.claim.premise is None else reader.truth(name_of(self.claim.premise), state, *binding)
        measures = tuple(reader.number(name_of(measure), state, *binding) for measure in self.ranking.measures)
        return Stand(both([premise, negation(goal)]), goal, measures)

    def use(self, instance: Instance, state: Any, here: Stand, binding: Sequence[int]) -> Truth:
        """Whether the instance leads from the state to the goal, or on to smaller measures, and is no fault."""
        step = self.relation.step(instance, state)
        there = self.stand(step.after, binding)
        down = either([there.goal, both([there.waits, smaller(there.measures, here.measures)])])
        return both([step.enabled, negation(self.is_fault(instance, state, step.after)), down])

    def is_fault(self, instance: Instance, before: Any, after: Any) -> Truth:
        """Whether the step is one: it is declared so, or pays."""
        if instance.action.fairness == FAULT:
            return True
        old, new = list(leaves(before)), list(leaves(after))
        return either(compare("!=", old[place], new[place]) for place in self._paid if old[place] is not new[place])

    def _keeps(self, instance: Instance, after: Any, here: Stand, uses: Sequence[Truth], binding: Sequence[int]) -> Truth:
        """Whether a step leads to the goal, or keeps the wait, the measures and what is of use."""
        there = self.stand(after, binding)
        still = []
        for helper, use in zip(self.helpful, uses, strict=True):
            if use is not False:
                still.append(either([negation(use), self.use(helper, after, there, binding)]))
        same = both(compare("==", a, b) for a, b in zip(there.measures, here.measures, strict=True))
        fair = either([smaller(there.measures, here.measures), both([same, *still])])
        fault = self.is_fault(instance, self.relation.before, after)
        return either([there.goal, both([there.waits, either([fault, fair])])])

    def _changed(self, after: Any) -> set[str]:
        """The names of the variables that a step changes."""
        pairs = zip(leaves(self.relation.before), leaves(after), strict=True)
        return constants_of([old for old, new in pairs if old is not new])

    def _refuted(
        self, questions: Questions, truth: Truth, answer: Answer, binding: tuple[int, ...], instance: Instance | None
    ) -> Refuted:
        """The state, and the step from it as the model itself takes it, which must break the rule too."""
        relation, measures = self.relation, self.ranking.measures
        _, before = simplest(relation, questions, truth, answer.solved, self.timeout)
        if self.claim.function(before, *binding):
            raise AssertionError(f"the goal of {self.claim.name} is true where it must not be: {cells(before)}")
        ranks = tuple(int(measure(before, *binding)) for measure in measures)
        if instance is None:
            return Refuted(LED_DOWN, binding, cells(before), ranks)
        after = before.copy()
        if not instance.action.version(relation.config)(after, *instance.arguments):
            raise AssertionError(f"the symbolic and the plain step differ: {instance.label} at {cells(before)}")
        then = tuple(int(measure(after, *binding)) for measure in measures)
        return Refuted(KEPT, binding, cells(before), ranks, instance.label, cells(after), then)


def smaller(these: Sequence[Value], those: Sequence[Value]) -> Truth:
    """Whether the first measure that differs is smaller."""
    if not these:
        return False
    (first, *rest), (other, *others) = these, those
    return either([compare("<", first, other), both([compare("==", first, other), smaller(rest, others)])])


def constants_of(terms: Sequence[Value]) -> set[str]:
    """The names of the variables in terms."""
    given = [getattr(item, "term", item) for item in terms if not isinstance(item, (bool, int))]
    return {str(term) for term in subterms(given) if z3.is_const(term) and is_named(term)}
