"""A proof by induction, and of progress by a ranking beside it, from the request to what is found."""

import time
from dataclasses import dataclass, field
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.property import ALWAYS, Property
from ...properties.ranked import Ranking
from ..compiling.symmetry import promise_refuted
from ..processes import run_all
from ..request import means_nothing
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_NOT_INDUCTIVE
from .induction import FEWER, ActionResult, Counterexample, Goal, Induction, by_action, worst, worst_by_place
from .lookup import ExploredStates
from .needless import Guard, merged, weigh
from .ranking import Asked, Ranked
from .relation import Relation
from .solving import BROKEN, PROVED, UNKNOWN

VERDICTS = {PROVED: "proved", BROKEN: "not inductive", UNKNOWN: "unknown"}


@dataclass
class ProofRequest:
    """What to prove, with which lemmas, and how. `timeout`: seconds for each question."""

    model: Model
    revision: str
    config: Any
    properties: list[Property]
    lemmas: list[Property]
    timeout: float = 60.0
    workers: int = 1
    all_instances: bool = False
    guards: bool = False
    run_directory: str | None = None
    progress: list[tuple[Property, Ranking]] = field(default_factory=list)


@dataclass
class Proof:
    """What was found. `met`: for a counterexample to induction, the level on which a run has met its state.

    `violated`: the claims that the run found violated, and after how many steps. `promises`: what the model promises, and the
    proof rests on (`Outcome.promises`). `decidable`: of a proof for any size, how many
    of its questions lie in a decidable fragment, and how many there are; if all do, `cutoff` is the number of members at which
    each has a counterexample if it has one at all. `second`: how many of the questions
    that Z3 proved a second solver proved, of how many. `unread`: the places whose values it takes for anything.
    """

    request: ProofRequest
    initial: list[Goal] = field(default_factory=list)
    actions: list[ActionResult] = field(default_factory=list)
    lemma_bounds: dict[str, str] = field(default_factory=dict)
    guards: dict[Guard, str] = field(default_factory=dict)
    met: dict[str, int | None] = field(default_factory=dict)
    explored: int = 0
    violated: dict[str, int] = field(default_factory=dict)
    promises: list[str] = field(default_factory=list)
    seconds: float = 0.0
    ranked: dict[str, list[Asked]] = field(default_factory=dict)
    decidable: tuple[int, int] | None = None
    second: tuple[int, int] | None = None
    cutoff: int | None = None
    unread: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Proved, broken or unknown; an index that may be out of bounds counts as broken."""
        found = [goal.verdict for goal in self.initial]
        found += [action.verdict for action in self.actions]
        found += [asked.verdict for some in self.ranked.values() for asked in some]
        return worst([*found, *self.bounds.values()])

    @property
    def bounds(self) -> dict[str, str]:
        """For every index of actions and claims: whether it is proved to lie inside its array."""
        groups = [self.lemma_bounds, *(action.bounds for action in self.actions)]
        return worst_by_place(pair for group in groups for pair in group.items())

    @property
    def exit_code(self) -> int:
        """What CI sees."""
        return {PROVED: EXIT_HOLDS, BROKEN: EXIT_NOT_INDUCTIVE, UNKNOWN: EXIT_INCOMPLETE}[self.verdict]

    @property
    def counterexamples(self) -> list[Counterexample]:
        """One counterexample to induction for each action that has one."""
        return [a.counterexample for a in self.actions if a.counterexample is not None]

    @property
    def vacuous(self) -> list[str]:
        """Actions that no state which satisfies the claims enables."""
        return [a.name for a in self.actions if a.is_vacuous]


def prove(request: ProofRequest) -> Proof:
    """Prove, or say which action stands in the way. UsageError when the request makes no sense."""
    begun = time.perf_counter()
    progress = [item for item, _ in request.progress]
    for claim in (*request.properties, *request.lemmas, *progress):
        if not claim.applies(request.config):
            raise UsageError(means_nothing(claim, request.config))
    for lemma in request.lemmas:
        if lemma.kind != ALWAYS:
            raise UsageError(f"{lemma.name} is not a claim about every state: it cannot be a lemma")
    if not request.all_instances and not request.model.asymmetry(request.config):
        reason = promise_refuted(request.model, request.config, [*request.properties, *request.lemmas])
        if reason:
            remedy = "use --all-instances, or declare symmetric=True"
            raise UsageError(f"one member cannot represent all of them here: {reason}; {remedy}")
    explored = None
    if request.run_directory is not None:
        explored = ExploredStates(request.run_directory, request.model, request.revision, request.config)
    measures = [measure for _, ranking in request.progress for measure in ranking.measures]
    relation = Relation(request.model, request.config, [*request.properties, *request.lemmas, *progress], measures)
    induction = Induction(relation, request.properties, request.lemmas, request.timeout, request.all_instances)
    proof = Proof(request, induction.initial(), lemma_bounds=induction.claim_bounds())
    named = {"symmetry": relation.renames and not request.all_instances, "fairness": progress, "faults": progress}
    proof.promises = [name for name, rests_on in named.items() if rests_on]
    proof.actions = by_action(relation, induction.steps(request.workers))
    for goal, ranking in request.progress:
        ranked = Ranked(relation, goal, ranking, request.lemmas, request.timeout)
        proof.ranked[goal.name] = list(ranked.questions(request.workers))
    if request.guards:
        proof.guards = redundant_guards(relation, induction, request)
    if explored is not None:
        proof.explored = explored.states
        known = {item.name: explored.violated_after(item) for item in (*request.properties, *request.lemmas)}
        proof.violated = {name: steps for name, steps in known.items() if steps is not None}
        assert not proof.violated or proof.verdict != PROVED, f"proved, and violated by the run: {proof.violated}"
        proof.met = {c.action: explored.level_of(relation.state_of(c.before)) for c in proof.counterexamples}
    proof.seconds = time.perf_counter() - begun
    return proof


def redundant_guards(relation: Relation, induction: Induction, request: ProofRequest) -> dict[Guard, str]:
    """Each guard of each action, beside the claims."""
    instances = list(relation.instances(not request.all_instances))
    assumed, timeout = induction.assumed, request.timeout
    weighed = run_all(lambda claim: weigh(relation, claim, assumed, timeout), instances, request.workers, FEWER)
    found = merged(guards for _, guards in weighed)
    order = {action.name: index for index, action in enumerate(relation.actions)}
    return dict(sorted(found.items(), key=lambda item: (order[item[0].action], item[0].line, item[0].test)))
