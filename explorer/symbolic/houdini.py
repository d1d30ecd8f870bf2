"""Houdini: of many candidates for lemmas, the largest set that is inductive, and of these the few that a proof needs.

All candidates that hold at first are assumed; each that an action then breaks is dropped, until none is. What is left holds in
every reachable state. A counterexample to induction drops at once whatever its second state violates.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from ...model.language.kinds import leaves
from ...model.language.reading.beginnings import listed
from ...properties.lemmas import known_for
from ...properties.property import Property
from .candidates import PREFIX, Atom, Candidate, Pool, walked_states
from .interpreter import Interpreter
from .lookup import ExploredStates
from .proof import ProofRequest
from .relation import Relation, SymbolicStep
from .solving import BROKEN, PROVED, Questions
from .state import domain, plain, within_ranges
from .terms import Truth, as_term, both, either, negation

MOST_STATES = 2000
"""Of a run so many states are looked at, evenly spread over its levels' files."""


@dataclass
class Found:
    """What was found: of `candidates` that hold in so many reached `states` the `kept` are inductive, and `lemmas` are needed.

    `written`: of so many lemmas that persons have written for the properties, and how many of these follow from what is kept.
    """

    states: int
    candidates: int
    kept: int
    lemmas: list[Property]
    written: tuple[int, int]


def find_lemmas(request: ProofRequest) -> Found:
    """The lemmas with which the properties of a request, or those of them that can be, are proved; its own are candidates too."""
    model, config = request.model, request.config
    if request.run_directory is None:
        states = walked_states(model, config)
    else:
        states = ExploredStates(request.run_directory, model, request.revision, config).some(MOST_STATES)
    pool, wanted = Pool(model, config, [claim.function for claim in request.properties]), [*request.properties, *request.lemmas]
    candidates = pool.candidates(states)
    atoms = {atom.text: atom.names for candidate in candidates for atom in candidate.atoms}
    known = {text: pool.property_of(f"atom_{number}", text, names) for number, (text, names) in enumerate(atoms.items())}
    written = {claim.name: claim for claim in wanted if not claim.over_steps and all(map(claim.holds, states))}
    named = {f"{PREFIX}{number}": candidate for number, candidate in enumerate(candidates, 1)}
    others = [o for o in known_for(model, [claim.name for claim in request.properties]) if o.applies(config) and not o.over_steps]
    relation = Relation(model, config, [*wanted, *others, *known.values()])
    houdini = Houdini(relation, {**written, **named}, known, request.timeout)
    houdini.run()
    questions = Questions([relation.domain], {name: houdini.says[name] for name in houdini.kept}, request.timeout)
    follow = sum(questions.follows(relation.says(lemma, relation.before)).verdict == PROVED for lemma in others)
    used = houdini.needed(claim for claim in request.properties if claim.over_steps or claim.name in houdini.kept)
    lemmas = [o if isinstance(o, Property) else pool.property_of(name, o.text, o.names) for name, o in used.items()]
    return Found(len(states), len(named) + len(written), len(houdini.kept), lemmas, (len(others), follow))


class Reading:
    """What candidates say of one symbolic state. Atoms that look up nothing a step has changed are not read again."""

    def __init__(self, relation: Relation, state: Any, atoms: dict[str, Property]) -> None:
        self.relation, self.state, self.atoms = relation, state, atoms
        self.values = leaves(state)
        self.known: dict[tuple[str, tuple[int, ...]], Truth] = {}

    def says(self, claim: Property | Candidate) -> Truth:
        """The candidate, for all values of its parameters."""
        if isinstance(claim, Property):
            return self.relation.says(claim, self.state)
        return both(either(self._literal(atom, claim.names, binding) for atom in claim.atoms) for binding in claim.bindings)

    def _literal(self, atom: Atom, names: Sequence[str], binding: Sequence[int]) -> Truth:
        values = dict(zip(names, binding, strict=True))
        found = self._truth(atom.text, tuple(values[name] for name in atom.names))
        return negation(found) if atom.negated else found

    def _truth(self, text: str, binding: tuple[int, ...]) -> Truth:
        if (text, binding) not in self.known:
            relation, name = self.relation, self.relation.program.name_of(self.atoms[text].function)
            truth, looked = relation.of_before(name, binding, 1)
            if not all(self.values[number] is relation.variables[number] for number in looked):
                truth = Interpreter(relation.program).truth(name, self.state, *binding)
            self.known[text, binding] = truth
        return self.known[text, binding]


@dataclass
class Houdini:
    """The candidates that are left, over a relation that knows their `atoms`. `seconds`: for each question."""

    relation: Relation
    candidates: dict[str, Property | Candidate]
    atoms: dict[str, Property]
    seconds: float

    def __post_init__(self) -> None:
        first = listed(self.relation.model, self.relation.config, "each candidate is looked at in every one of them")
        self.kept = {name: candidate for name, candidate in self.candidates.items() if all(map(candidate.holds, first))}
        before = Reading(self.relation, self.relation.before, self.atoms)
        self.says = {name: before.says(obligation) for name, obligation in self.kept.items()}
        self.steps = [self.relation.step(instance) for instance in self.relation.instances()]
        self.goals = [self._changed(step) for step in self.steps]

    def _changed(self, step: SymbolicStep) -> dict[str, Truth]:
        """What each candidate says after a step, of those that the step can change."""
        after = Reading(self.relation, step.after, self.atoms)
        goals = {name: after.says(obligation) for name, obligation in self.kept.items()}
        return {name: goal for name, goal in goals.items() if not as_term(goal).eq(as_term(self.says[name]))}

    def run(self) -> None:
        """Drop candidates until each action preserves what is left."""
        while sum(self._drop(step, goals) for step, goals in zip(self.steps, self.goals, strict=True)):
            pass

    def _questions(self, step: SymbolicStep) -> Questions:
        facts = [self.relation.domain, step.enabled, *(obligation.holds for obligation in step.obligations)]
        return Questions(facts, {name: self.says[name] for name in self.kept}, self.seconds)

    def _drop(self, step: SymbolicStep, goals: dict[str, Truth]) -> bool:
        """Drop what a step does not preserve, whether or not it is known why; whether anything was dropped."""
        questions, before = self._questions(step), len(self.kept)
        goals = {name: goal for name, goal in goals.items() if name in self.kept}
        while goals:
            answer = questions.possible(z3.Or([z3.Not(as_term(goal)) for goal in goals.values()]))
            if answer.verdict == PROVED:
                break
            lost = set(goals)
            if answer.verdict == BROKEN:
                after = plain(step.after, answer.solved)
                lost = {name for name, claim in self.kept.items() if not claim.holds(after)} or lost
            elif len(goals) > 1:
                lost = {name for name, goal in goals.items() if questions.follows(goal).verdict != PROVED}
            for name in lost:
                self.kept.pop(name, None)
                questions.names.pop(name, None)
                goals.pop(name, None)
        return len(self.kept) < before

    def needed(self, claims: Iterable[Property]) -> dict[str, Property | Candidate]:
        """Of what is left the few with which these claims, and they themselves, and the indices of all actions, are proved."""
        claims, used, relation = list(claims), set[str](), self.relation
        lemmas = {name: self.says[name] for name in self.kept}
        bare = Questions([relation.domain], lemmas, self.seconds)
        following = Questions([relation.domain, domain(relation.following)], lemmas, self.seconds)
        for claim in claims:
            _use(following, both(obligation.holds for obligation in relation.obligations_of(claim)), used)
        asked = [self._questions(step) for step in self.steps]
        for step, questions in zip(self.steps, asked, strict=True):
            _use(bare, both(obligation.holds for obligation in step.obligations), used)
            _use(questions, within_ranges(step.after, relation.before), used)
            for claim in claims:
                states = (relation.before, step.after) if claim.over_steps else (step.after,)
                _use(questions, relation.says(claim, *states), used)
        done = {claim.name for claim in claims}
        while todo := used - done:
            done |= todo
            for name in sorted(todo):
                known = self.kept[name]
                for atom in [known] if isinstance(known, Property) else [self.atoms[each.text] for each in known.atoms]:
                    _use(following, both(obligation.holds for obligation in relation.obligations_of(atom)), used)
                for questions, goals in zip(asked, self.goals, strict=True):
                    _use(questions, goals.get(name, True), used)
        return {name: o for name, o in self.kept.items() if name in used and name not in {claim.name for claim in claims}}


def _use(questions: Questions, goal: Truth, used: set[str]) -> None:
    """Add what the proof of a goal needs beside what is used already: no lemma of it can be left out."""
    every = questions.names

    def core(names: set[str]) -> set[str] | None:
        questions.names = {name: label for name, label in every.items() if name in names}
        answer = questions.follows(goal)
        return set(answer.used) if answer.verdict == PROVED else None

    found = core(used)
    if found is None:
        found = core(set(every)) or set()
        for name in sorted(found - used):
            if name in found:
                less = core((found | used) - {name})
                found = found if less is None else less
    questions.names = every
    used |= found
