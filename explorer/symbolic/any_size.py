"""Induction for any number of members, offsets and epochs, with the claims and the text that the other engines have.

For each action and claim there is one question: in any state that satisfies all claims, of whatever size, if the action is
enabled, does the claim hold after it? The same question at a small size, unrolled, comes first: if it has a counterexample, so
has the claim of any size; if not, the lemmas that its proof used are the first that the question of any size is asked with.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import z3

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.reading.plugin_checks import validate_every_path_returns
from ...model.language.reading.program import program, validate_reads_only
from ...model.language.reading.specialise import refuses_always, specialise
from ...model.language.settings import Watched
from ...model.language.steps import Action
from ...properties.property import ALWAYS, STEP, Property
from ..processes import run_all
from .asking import ITS, SOME, Asked, facts_about
from .fragment import outside, terms_of
from .frames import REFUSES_LATE, Obligation
from .induction import (
    FEWER,
    RANGES,
    ActionResult,
    Counterexample,
    Goal,
    Induction,
    InstanceResult,
    by_place,
    worst,
    worst_by_place,
)
from .initial import initial_stores
from .orders import for_all, plainly_named
from .proof import Proof, ProofRequest
from .quantified import QuantifiedReader
from .relation import Instance, Relation, SymbolicStep, validate_settings_name
from .second import asked_of_cvc5
from .solving import BROKEN, PROVED, check_by_steps
from .state import within_ranges
from .terms import Truth, Unreadable, as_term, either, negation
from .unread import LenientReader, Unread
from .unsized import Shape, Store, sizes_of

BEFORE = "s."
"""How the names of the variables before a step begin."""

SECONDS_TO_LEAVE_OUT = 0.5
"""How long a proof at a small size is tried without each of the lemmas that it used."""


@dataclass(frozen=True)
class Step:
    """An action with any arguments, taken in any state. `unread`: where its text may do anything, with what was not known."""

    enabled: list[Truth]
    after: Store
    obligations: dict[str, Truth]
    unread: dict[str, str]


def prove_any_size(request: ProofRequest, cvc5: bool = False, proofs: Path | None = None) -> Proof:
    """Prove the claims of a request for any size; its sizes are replaced by those at which the questions are unrolled first."""
    begun = time.perf_counter()
    any_size = AnySize(request.model, request.config, [*request.properties, *request.lemmas], request.timeout, cvc5)
    any_size.proofs = proofs
    initial, found = list(any_size.initial()), list(any_size.all_actions(request.workers))
    places = list(any_size.claim_bounds())
    questions = [*initial, *places, *(question for result in found for question in (*result.goals, *result.bounds))]
    order, decidable = [action.name for action in any_size.actions], sum(not question.outside for question in questions)
    asked = [question.second for question in questions if question.second]
    found.sort(key=lambda result: order.index(result.action))
    unread = sorted({place for result in found for place in result.unread})
    is_bounded = any_size.shape.counts and decidable == len(questions) and not unread
    return Proof(
        replace(request, config=any_size.small_config),
        initial=initial,
        actions=[ActionResult(result.action, [result]) for result in found],
        lemma_bounds=worst_by_place((place.name, place.verdict) for place in places),
        seconds=time.perf_counter() - begun,
        decidable=(decidable, len(questions)),
        second=(asked.count(PROVED), len(asked)) if cvc5 else None,
        cutoff=max(question.members for question in questions) if is_bounded else None,
        unread=unread,
    )


class AnySize:
    """The claims (`properties`, then `lemmas`) of a model in one revision, whose sizes are left open.

    `timeout`: seconds for each question. UsageError for what has no meaning without sizes, with file and line.
    """

    def __init__(self, model: Model, config: Any, claims: Sequence[Property], timeout: float, cvc5: bool = False) -> None:
        self.model, self.timeout, self.cvc5 = model, timeout, cvc5
        self.proofs: Path | None = None  # where cvc5's proofs go
        for claim in claims:
            if claim.kind not in (ALWAYS, STEP):
                raise UsageError(f"{claim.name} is of kind {claim.kind}: only always and step are proved for any size")
        if not sizes_of(config):
            raise UsageError(f"the model {model.name} has no size that could be left open: leave out --any-size")
        room = {name: max(getattr(config, name), config.settings[name].low + 1) for name in sizes_of(config)}
        self.claims, self.config = list(claims), _sized(config, room)  # no variable can have one value only
        self.shape = _shape(self.config, model)
        self.actions = [action for action in model.actions if action.exists(config)]
        self._validate_rules()
        versions = [action.version(config) for action in self.actions]
        whole = program([*versions, *(claim.function for claim in self.claims)], settings=model.config)
        validate_reads_only(whole, [whole.name_of(claim.function) for claim in self.claims])
        validate_settings_name(whole)
        for name, tree in whole.functions.items():
            validate_every_path_returns(whole.files[name], tree)
        self.plugin_code = whole.callers_of(whole.plugin_code)
        self.program = specialise(whole, self.config, model.state, left=self.shape.left)
        names = [whole.name_of(version) for version in versions]
        self.names = {a.name: n for a, n in zip(self.actions, names, strict=True)}
        self.actions = [a for a in self.actions if not refuses_always(self.program.functions, self.names[a.name])]
        self.before, self._known = self.shape.fresh(BEFORE), dict[str, Any]()
        self.assumed = {claim.name: self.says(claim, self.before) for claim in self.claims if not claim.over_steps}
        self.assumed[RANGES] = self.before.within_ranges()

    def _validate_rules(self) -> None:
        """UsageError where a size chooses the version of a rule: another would run at another size."""
        for action in self.model.actions:
            watched = Watched(self.config)
            action.version(watched)
            if size := min(watched.read & set(sizes_of(self.config)), default=""):
                raise UsageError(f"the size {size} chooses what {action.name} is: it cannot be proved for any size")

    def says(self, claim: Property, *states: Store) -> Truth:
        """The claim of a state, or of a step, for all values of its parameters."""
        reader, values = QuantifiedReader(self.program, self.shape, notes=False), self._values(claim, "any ")
        reader.bound += [value.term for value, _ in values]
        truth = self._read(reader, claim, states, values)
        return for_all(reader.bound, either([*map(negation, reader.premises), truth]))

    def _said(self, claim: Property, *states: Store) -> Truth:
        """The claim for values of its parameters about which nothing is known but their range."""
        return self._read(QuantifiedReader(self.program, self.shape, notes=False), claim, states, self._values(claim, SOME))

    def _said_before(self, claim: Property) -> Any:
        """The same of the state before a step, with plain names."""
        if claim.name not in self._known:
            self._known[claim.name] = plainly_named(as_term(self._said(claim, self.before)))
        return self._known[claim.name]

    def _values(self, claim: Property, prefix: str) -> list[tuple[Any, Truth]]:
        """A constant for each parameter, and that it is in its range."""
        pairs = zip(claim.parameters, claim.dimensions, strict=True)
        return [self.shape.index(dimension, f"{prefix}{name}") for name, dimension in pairs]

    def _read(self, reader: QuantifiedReader, claim: Property, states: Sequence[Store], values: list[tuple[Any, Truth]]) -> Truth:
        truth = reader.truth(self.program.name_of(claim.function), *(s.root for s in states), *(value for value, _ in values))
        return either([*(negation(inside) for _, inside in values), truth])

    def step(self, action: Action) -> Step:
        """The action with any arguments, in any state."""
        reader, after = LenientReader(self.program, self.shape), self.before.copy()
        pairs = zip(action.parameters, action.dimensions, strict=True)
        given = [self._argument(dimension, f"{ITS}{name}") for name, dimension in pairs]
        name, values = self.names[action.name], [fact for fact, _ in given]
        enabled = reader.truth(name, after.root, *values)
        obligations = by_place([*reader.obligations, *([] if action.rolls_back else self._refuses_first(name, values))])
        return Step([*(inside for _, inside in given), enabled], after, obligations, reader.unread)

    def _argument(self, dimension: str, name: str) -> tuple[Any, Truth]:
        """Any value of an action's parameter, or anything."""
        try:
            return self.shape.index(dimension, name)
        except Unreadable:
            return Unread(), True

    def _refuses_first(self, name: str, values: list[Any]) -> Iterator[Obligation]:
        """An action that is not Highwater's own has written nothing where it refuses."""
        if name in self.plugin_code:
            after = self.before.copy()
            enabled = LenientReader(self.program, self.shape, guards_first=False).truth(name, after.root, *values)
            line = self.program.functions[name].line
            yield Obligation(self.program.files[name], line, REFUSES_LATE, either([enabled, after.same_as(self.before)]))

    # Questions.

    def initial(self) -> Iterator[Goal]:
        """Each claim in the initial states."""
        for first, known in initial_stores(self.model, self.shape):
            for claim in self.claims:
                if not claim.over_steps:
                    yield self._asked(claim.name, [known], {}, self._said(claim, first))
            yield self._asked(RANGES, [known], {}, first.within_ranges())

    def claim_bounds(self) -> Iterator[Goal]:
        """Each index of the claims lies in its array, in every state, or after every step, that satisfies them."""
        following, broken = self.shape.fresh("next."), self._small.claim_bounds()
        afterwards = [self.says(claim, following) for claim in self.claims if not claim.over_steps]
        for claim in self.claims:
            states = [self.before, following] if claim.over_steps else [self.before]
            reader, values = QuantifiedReader(self.program, self.shape), self._values(claim, SOME)
            self._read(reader, claim, states, values)
            given = [inside for _, inside in values] + ([following.within_ranges(), *afterwards] if claim.over_steps else [])
            for place, holds in by_place(reader.obligations).items():
                if broken.get(place) == BROKEN:
                    yield Goal(place, BROKEN)
                else:
                    yield self._asked(place, given, self.assumed, holds)

    def all_actions(self, workers: int = 1) -> Iterator[InstanceResult]:
        """Every action, with all its questions; in the order in which they are done."""
        assert self._small  # made once, before the processes
        yield from (found for _, found in run_all(self.action, self.actions, workers, FEWER))

    def action(self, action: Action) -> InstanceResult:
        """The questions about one action."""
        step, small = self.step(action), self.unrolled(action)
        places = [self._asked(place, step.enabled[:-1], self.assumed, holds, small) for place, holds in step.obligations.items()]
        names = [*(claim.name for claim in self.claims), RANGES]
        broken = {name: Goal(name, BROKEN, small.seconds) for name in small.broken}
        goals = [broken[name] if name in broken else self.preserved(name, step, small) for name in names]
        possible = BROKEN if small.is_possible else self._asked("possible", step.enabled, self.assumed, False).verdict
        return InstanceResult(action.name, (), possible, tuple(goals), tuple(places), small.counterexample, tuple(step.unread))

    def preserved(self, name: str, step: Step, small: "Unrolled") -> Goal:
        """Whether a claim, or that variables stay in their ranges, holds after a step."""
        given = [*step.enabled, *step.obligations.values()]
        if name == RANGES:
            return self._asked(name, given, self.assumed, step.after.within_ranges(self.before), small)
        claim = next(fact for fact in self.claims if fact.name == name)
        goal = self._said(claim, *([self.before, step.after] if claim.over_steps else [step.after]))
        if not claim.over_steps:
            goal = True if plainly_named(as_term(goal)).eq(self._said_before(claim)) else goal
        return self._asked(name, given, self.assumed, goal, small)

    def _asked(
        self, claim: str, given: Sequence[Truth], lemmas: dict[str, Truth], goal: Truth, small: "Unrolled | None" = None
    ) -> Goal:
        """Do the facts, what is given and the lemmas imply the goal? `small`: the same at a small size."""
        if goal is True:
            return Goal(claim, PROVED)
        begun = time.process_time()
        facts, known = [as_term(fact) for fact in given], {name: as_term(lemma) for name, lemma in lemmas.items()}
        facts = [*facts_about(self.shape.facts.all(), [*facts, *known.values(), as_term(goal)]), *facts]
        if RANGES in known:
            facts += self.shape.ranges_of(BEFORE, [*facts, as_term(goal)])
        asked = Asked(facts, known, as_term(goal), begun + self.timeout)
        verdict, used = asked.answer(small.needed(claim), small.used.get(claim, set())) if small else asked.answer(set(), set())
        second = ""
        if self.cvc5 and verdict == PROVED:
            second = worst(asked_of_cvc5(fact, self.timeout, self.proofs) for fact in asked.refuted)
        beyond = next(filter(None, map(outside, asked.refuted)), "")
        assert second != BROKEN, f"cvc5 refutes what Z3 proved: {claim}"
        members = 0 if beyond else max((terms_of(fact, self.shape.members.sort.name()) for fact in asked.refuted), default=0)
        return Goal(claim, verdict, time.process_time() - begun, used, beyond, second, members)

    # The same at a small size.

    @property
    def small_config(self) -> Any:
        """Sizes at which the questions are unrolled first: two of everything, and three members, where the model has that."""
        counts = self.shape.counts
        return _sized(self.config, {name: 3 if name in counts else 2 for name in sizes_of(self.config)})

    @cached_property
    def _small(self) -> Induction:
        return Induction(Relation(self.model, self.small_config, self.claims), self.claims, (), self.timeout)

    def unrolled(self, action: Action) -> "Unrolled":
        """What the unrolled questions about an action say: what breaks, and what the proofs of the others used."""
        small = self._small
        found = Unrolled(small)
        for instance in small.relation.instances():
            if instance.action.name == action.name:
                result = small.check(instance)
                found.instances.append(instance)
                found.is_possible |= result.possible != PROVED
                for goal in (*result.goals, *result.bounds):
                    found.seconds += goal.seconds
                    found.used.setdefault(goal.name, set()).update(goal.used)
                    if goal.verdict == BROKEN:
                        found.broken.add(goal.name)
                found.counterexample = found.counterexample or result.counterexample
        return found


@dataclass
class Unrolled:
    """Of one action at a small size: whether a state enables it, the claims that break, the lemmas that other proofs used."""

    small: Induction
    instances: list[Instance] = field(default_factory=list)
    is_possible: bool = False
    broken: set[str] = field(default_factory=set)
    used: dict[str, set[str]] = field(default_factory=dict)
    counterexample: Counterexample | None = None
    seconds: float = 0.0

    def needed(self, claim: str) -> set[str]:
        """The lemmas without which a claim, or an index, is not proved at this size."""
        if not self.used.get(claim):
            return set()
        return set[str]().union(*(self._needed(instance, claim) for instance in self.instances))

    def _needed(self, instance: Instance, claim: str) -> set[str]:
        """The lemmas that are left when each that can be is left out."""
        relation, solver = self.small.relation, z3.Solver()
        step = relation.step(instance)
        goal = self._goal(step, claim)
        solver.add(*map(as_term, (relation.domain, step.enabled, *(o.holds for o in step.obligations), negation(goal))))
        core = [z3.Bool(name) for name in self.used[claim]]
        for name in core:
            solver.add(z3.Implies(name, as_term(self.small.assumed[str(name)])))
        for name in list(core):
            rest = [other for other in core if not other.eq(name)]
            if len(rest) < len(core) and check_by_steps(solver, SECONDS_TO_LEAVE_OUT, *rest) == z3.unsat:
                core = solver.unsat_core()
        return set(map(str, core))

    def _goal(self, step: SymbolicStep, name: str) -> Truth:
        """What a claim, or an index, demands after a step."""
        relation = self.small.relation
        for claim in self.small.claims:
            if claim.name == name:
                return relation.says(claim, relation.before, step.after) if claim.over_steps else relation.says(claim, step.after)
        return within_ranges(step.after, relation.before) if name == RANGES else by_place(step.obligations)[name]


def _sized(config: Any, wanted: dict[str, int]) -> Any:
    """The configuration with these sizes, as far as they are in range, and mean something beside the others."""
    for name, size in wanted.items():
        setting = config.settings[name]
        with suppress(UsageError):
            config = config.with_(**{name: min(setting.high, max(setting.low, size))})
    return config


def _shape(config: Any, model: Model) -> Shape:
    try:
        return Shape(config, model.state)
    except Unreadable as error:
        unknown = f"the prover does not know {str(error).rstrip(',')}"
        raise UsageError(
            f"the model {model.name} cannot be proved for any size: {unknown}; without --any-size it can be, at its sizes"
        ) from None
