"""Induction: what holds at first and is preserved by every action holds in every reachable state.

A property and its lemmas are proved together. The initial states are looked at as they are; each action is
one set of questions: in any state that satisfies them all, if the action is enabled, does each of them
hold in the state that it leaves? The declared ranges of the variables count as one more lemma, for the
bit-vectors of the state before are as wide as the ranges and no wider.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...model.language.errors import UsageError
from ...model.language.kinds import cells, leaves, walk
from ...model.language.reading.beginnings import in_turn, listed
from ...properties.property import SOMETIMES, Property
from ..processes import run_all
from .frames import Obligation
from .relation import Instance, Relation, SymbolicStep
from .solving import BROKEN, PROVED, UNKNOWN, Questions
from .state import domain, plain, within_ranges
from .terms import Truth, Value, as_term, both, bounds, compare

FEWER = "give fewer --threads"
"""What to do when a process that proves is killed."""

RANGES = "declared ranges"
"""The name of the claim that every variable stays within its declared range."""

MAX_CHOICES = 40
"""Numbers that are tried for one variable when a counterexample is made simple."""


@dataclass(frozen=True)
class Goal:
    """One claim of the set, after one action: its verdict, the time that it took and the lemmas it needed.

    Of a proof for any size: `outside`: the sorts of a cycle, where the question lies in no decidable fragment; elsewhere
    `members` is the number of members that decides it. `second`: what cvc5 says of what Z3 proved.
    """

    name: str
    verdict: str
    seconds: float = 0.0
    used: tuple[str, ...] = ()
    outside: str = ""
    second: str = ""
    members: int = 0


@dataclass(frozen=True)
class Counterexample:
    """A counterexample to induction: a state that satisfies every claim, and a step after which `goal` fails.

    The state need not be reachable. States are given by their cells; `after` is empty when the step looks up
    outside an array, which compiled code would not notice.
    """

    goal: str
    action: str
    arguments: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True)
class InstanceResult:
    """What was found of one action instance; `unread`: the places whose values the proof takes for anything."""

    action: str
    arguments: tuple[int, ...]
    possible: str
    goals: tuple[Goal, ...]
    bounds: tuple[Goal, ...]
    counterexample: Counterexample | None = None
    unread: tuple[str, ...] = ()


@dataclass
class ActionResult:
    """All instances of one action together."""

    name: str
    instances: list[InstanceResult] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Proved when every claim is preserved by every instance."""
        return worst(goal.verdict for instance in self.instances for goal in instance.goals)

    @property
    def seconds(self) -> float:
        """Time spent on its questions."""
        return sum(goal.seconds for instance in self.instances for goal in (*instance.goals, *instance.bounds))

    @property
    def broken(self) -> list[str]:
        """The claims that it violates, or about which nothing is known."""
        return list(dict.fromkeys(g.name for instance in self.instances for g in instance.goals if g.verdict != PROVED))

    @property
    def used(self) -> list[str]:
        """The lemmas that Z3 named in its proofs."""
        return list(dict.fromkeys(n for instance in self.instances for goal in instance.goals for n in goal.used))

    @property
    def is_vacuous(self) -> bool:
        """No state that satisfies the claims enables it: then what is proved of it says nothing."""
        return all(instance.possible == PROVED for instance in self.instances)

    @property
    def counterexample(self) -> Counterexample | None:
        """The first counterexample to induction."""
        return next((instance.counterexample for instance in self.instances if instance.counterexample is not None), None)

    @property
    def bounds(self) -> dict[str, str]:
        """For each place with an index: whether it is proved to lie inside its array."""
        return worst_by_place((goal.name, goal.verdict) for instance in self.instances for goal in instance.bounds)


def worst(verdicts: Iterable[str]) -> str:
    """Broken outranks unknown, which outranks proved."""
    found = set(verdicts)
    return next((v for v in (BROKEN, UNKNOWN) if v in found), PROVED)


def worst_by_place(found: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The worst verdict on each place."""
    out: dict[str, str] = {}
    for place, verdict in found:
        out[place] = worst((verdict, out.get(place, PROVED)))
    return out


@dataclass
class Induction:
    """The claims (`properties` first, then `lemmas`) over a relation, and how to ask."""

    relation: Relation
    properties: Sequence[Property]
    lemmas: Sequence[Property]
    timeout: float = 60.0
    all_instances: bool = False

    def __post_init__(self) -> None:
        self.claims = list({p.name: p for p in (*self.properties, *self.lemmas)}.values())
        for claim in self.claims:
            if claim.kind == SOMETIMES:
                raise UsageError(f"{claim.name} says that some state is reachable; induction cannot show that: see check")
        before = self.relation.before
        self.assumed = {c.name: self.relation.says(c, before) for c in self.claims if not c.over_steps}

    def initial(self) -> list[Goal]:
        """Each claim in the initial states."""
        states = listed(self.relation.model, self.relation.config, "prove looks at each claim in every one of them")
        inside = all(kind.legal(n, s.config) for s in states for _, kind, n in walk(type(s), s))
        goals = [Goal(RANGES, PROVED if inside else BROKEN)]
        for claim in self.claims:
            if not claim.over_steps:
                goals.append(Goal(claim.name, PROVED if all(map(claim.holds, states)) else BROKEN))
        return goals

    def claim_bounds(self) -> dict[str, str]:
        """Each index of the claims lies in its array, in every state that satisfies them."""
        relation = self.relation
        facts = [relation.domain, domain(relation.following)]
        facts += [relation.says(claim, relation.following) for claim in self.claims if not claim.over_steps]
        questions = Questions(facts, self.assumed, self.timeout)
        needed = [obligation for claim in self.claims for obligation in relation.obligations_of(claim)]
        return {name: questions.follows(holds).verdict for name, holds in by_place(needed).items()}

    def steps(self, workers: int = 1) -> Iterator[InstanceResult]:
        """Every action instance, checked; in the order in which they are done."""
        instances = list(self.relation.instances(not self.all_instances))
        yield from (found for _, found in run_all(self.check, instances, workers, FEWER))

    def check(self, instance: Instance) -> InstanceResult:
        """All claims after one action instance."""
        relation = self.relation
        step = relation.step(instance)
        bounds, first = self._bounds(step)
        inside = [obligation.holds for obligation in step.obligations]
        questions = Questions([relation.domain, step.enabled, *inside], self.assumed, self.timeout)
        possible = questions.possible().verdict
        goals = []
        for name, truth in self._after(step):
            answer = questions.follows(truth)
            goals.append(Goal(name, answer.verdict, answer.seconds, answer.used))
            if answer.verdict == BROKEN and first is None:
                first = self._counterexample(questions, step, name, truth, answer.solved)
        return InstanceResult(instance.action.name, instance.arguments, possible, tuple(goals), bounds, first)

    def _after(self, step: SymbolicStep) -> Iterator[tuple[str, Truth]]:
        """Each claim after the step; what the step cannot have changed is true."""
        relation = self.relation
        for claim in self.claims:
            truth = relation.says(claim, relation.before, step.after) if claim.over_steps else relation.says(claim, step.after)
            if not claim.over_steps and as_term(truth).eq(as_term(self.assumed[claim.name])):
                truth = True
            yield claim.name, truth
        yield RANGES, within_ranges(step.after, relation.before)

    def _bounds(self, step: SymbolicStep) -> tuple[tuple[Goal, ...], Counterexample | None]:
        """Each index of the step lies in its array, enabled or not, for guards look up too; if not, in which state."""
        relation = self.relation
        questions = Questions([relation.domain], self.assumed, self.timeout)
        goals, first = [], None
        for name, holds in by_place(step.obligations).items():
            answer = questions.follows(holds)
            goals.append(Goal(name, answer.verdict, answer.seconds, answer.used))
            if answer.verdict == BROKEN and first is None:
                _, before = simplest(relation, questions, holds, answer.solved, self.timeout)
                first = Counterexample(name, step.instance.action.name, step.instance.arguments, cells(before), ())
        return tuple(goals), first

    def _counterexample(self, questions: Questions, step: SymbolicStep, name: str, goal: Truth, solved: Any) -> Counterexample:
        """The counterexample, after the model's own step has confirmed it."""
        relation = self.relation
        solved, before = simplest(relation, questions, goal, solved, self.timeout)
        after, replayed = plain(step.after, solved), before.copy()
        enabled = step.instance.action.version(relation.config)(replayed, *step.instance.arguments)
        if not enabled or cells(replayed) != cells(after):
            raise AssertionError(f"the symbolic and the plain step differ: {step.instance.label} at {cells(before)}")
        return Counterexample(name, step.instance.action.name, step.instance.arguments, cells(before), cells(after))


def simplest(relation: Relation, questions: Questions, goal: Truth, solved: Any, timeout: float) -> tuple[Any, Any]:
    """A counterexample near to an initial state, the same each time, and its first state; `solved`: any counterexample."""
    first = next(in_turn(relation.model, relation.config))
    wishes = [near(a, b) for a, b in zip(leaves(relation.before), leaves(first), strict=True)]
    found = questions.simplest(goal, wishes, min(20.0, timeout))
    solved = solved if found is None else found
    return solved, plain(relation.before, solved)


def near(value: Value, initial: int) -> list[Truth]:
    """That the value is the initial one, or the number next to it, and so on for a while."""
    low, high = bounds(value)
    numbers = sorted(range(low, min(high, low + MAX_CHOICES) + 1), key=lambda n: (abs(n - initial), n))
    return [compare("==", value, number) for number in numbers]


def by_place(obligations: Sequence[Obligation]) -> dict[str, Truth]:
    """What holds at each place that indexes, all ways to get there together."""
    found: dict[str, list[Truth]] = {}
    for obligation in obligations:
        found.setdefault(f"{obligation.place} {obligation.what}", []).append(obligation.holds)
    return {name: both(parts) for name, parts in found.items()}


def by_action(relation: Relation, checked: Iterable[InstanceResult]) -> list[ActionResult]:
    """The results in the order of the model's Next."""
    results = {action.name: ActionResult(action.name) for action in relation.actions}
    for obligation in checked:
        results[obligation.action].instances.append(obligation)
    for result in results.values():
        result.instances.sort(key=lambda answer: answer.arguments)
    return list(results.values())
