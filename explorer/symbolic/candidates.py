"""Candidates for lemmas, made of the model's own words: its predicates, and comparisons of its variables.

A candidate is one such atom, or two of which one holds, for all values of their parameters. Those that a reached state refutes
are left out at once; of the others `houdini` keeps what is inductive. None is trusted: what is kept is proved as if written.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.kinds import MEMBERS, NO_MEMBER, Integer, Kind, Member, MemberSet, cells, fill, walk
from ...model.language.reading.program import program
from ...model.language.reading.python_files import names_in_text
from ...model.language.reading.trees import function_in
from ...model.language.settings import Watched
from ...properties.property import Property, always, quantified
from .unsized import variables_of

PREFIX = "found_"
"""How the names of candidates begin."""

RANDOM_STATES = 500
"""Of a candidate that holds in as many states of any values it is taken that it holds in all."""

WALKS, STEPS = 80, 25
"""Without a run's states those that so many random walks of so many steps come to count as reached."""

MAX_VALUES = 4
"""A variable of so few values is compared with each of them."""


@dataclass(frozen=True)
class Atom:
    """Something that holds or does not, or, with `negated`, its opposite: its text, and the parameters that it names."""

    text: str
    names: tuple[str, ...]
    negated: bool = False

    @property
    def written(self) -> str:
        """Its text, or that of its opposite."""
        return self.text if not self.negated else f"not {self.text}" if self.text.endswith(")") else f"not ({self.text})"


@dataclass(frozen=True)
class Candidate:
    """One of its atoms holds, for all values of the parameters `names`."""

    atoms: tuple[Atom, ...]
    names: tuple[str, ...]
    pool: "Pool"

    @property
    def text(self) -> str:
        """As it is written in Python."""
        return " or ".join(atom.written for atom in self.atoms)

    @cached_property
    def _judge(self) -> Callable[..., Any]:
        return self.pool.judge(self.text, self.names)

    @cached_property
    def bindings(self) -> list[tuple[int, ...]]:
        """Every value of its parameters."""
        return self.pool.bindings(self.names)

    def holds(self, state: Any) -> bool:
        """Whether it holds in a plain state; what looks up nobody is false."""
        return all(_or_false(self._judge, state, *binding) for binding in self.bindings)

    def as_property(self, name: str) -> Property:
        """A property of this name that says the same."""
        return self.pool.property_of(name, self.text, self.names)


class Pool:
    """What can be said of the states of a model under one configuration. `functions`: those whose predicates are used."""

    def __init__(self, model: Model, config: Any, functions: Sequence[Any]) -> None:
        self.model, self.config = model, config
        whole = program([*(action.version(config) for action in model.actions if action.exists(config)), *functions])
        written = {name: original for name, original in whole.originals.items() if name not in whole.writers}
        self.predicates = {name: term for name, term in written.items() if inspect.isfunction(term)}
        self.globals = {"__name__": __name__, "NO_MEMBER": NO_MEMBER, **self.predicates}

    def shapes(self) -> Iterator[tuple[str, ...]]:
        """Parameters that candidates range over together: two members, and one index of each other kind in turn."""
        names: dict[str, list[str]] = {}
        for name, dimension in self.model.domains.items():
            names.setdefault(dimension, []).append(name)
        indices = {dimension for _, (_, dimensions) in variables_of(self.model.state) for dimension in dimensions}
        always_there = [*names.get("partitions", ())[:1], *names.get(MEMBERS, ())[:2]]
        yield tuple(always_there)
        for dimension, some in names.items():
            if dimension in indices and dimension not in ("partitions", MEMBERS):
                yield (*always_there, some[0])

    def atoms(self, shape: tuple[str, ...]) -> list[Atom]:
        """What can be said of these parameters."""
        found, (numbers, members, sets) = list[str](), self._terms(shape)
        for group in numbers.values():
            for several, other in itertools.combinations(group, 2):
                found += [f"{several} <= {other}", f"{other} <= {several}", f"{several} == {other}"]
        found += [f"{term} == {other}" for term, other in itertools.combinations(members, 2)]
        found += [f"{member} == NO_MEMBER" for member in members if member not in shape]
        found += [f"{group} >> {member} & 1 == 1" for group in sets for member in members]
        found += [f"{group} == 0" for group in sets]
        found += [f"{order} & ~{other} == 0" for order, other in itertools.permutations(sets, 2)]
        found += [*self._constants(shape), *self._calls(shape)]
        return [Atom(text, tuple(name for name in shape if name in names_in_text(text))) for text in dict.fromkeys(found)]

    def _terms(self, shape: tuple[str, ...]) -> tuple[dict[Any, list[str]], list[str], list[str]]:
        """Texts of variables and parameters: numbers by what bounds them, members, and sets of members."""
        numbers: dict[Any, list[str]] = {}
        members, sets = [name for name in shape if self.model.domains[name] == MEMBERS], list[str]()
        for name in shape:
            if self.model.domains[name] != MEMBERS:
                numbers.setdefault(self._behind(self.model.domains[name]), []).append(name)
        for text, kind in self._variables(shape):
            if isinstance(kind, Member):
                members.append(text)
            elif isinstance(kind, MemberSet):
                sets.append(text)
            elif isinstance(kind, Integer) and isinstance(kind.high, str):
                numbers.setdefault(self._behind(kind.high), []).append(text)
        return numbers, members, sets

    def _variables(self, shape: tuple[str, ...]) -> Iterator[tuple[str, Kind]]:
        """Each variable at each choice of these parameters for its indices."""
        for path, (kind, dimensions) in dict(variables_of(self.model.state)).items():
            choices = [[name for name in shape if self.model.domains[name] == dimension] for dimension in dimensions]
            for chosen in itertools.product(*choices):
                text = f"s.{path}"
                for name in chosen:
                    text = text.replace("[]", f"[{name}]", 1)
                yield text, kind

    def _behind(self, setting: str) -> frozenset[str]:
        """The settings that a number comes from: numbers of one kind have the same."""
        watched = Watched(self.config)
        getattr(watched, setting)
        return frozenset(watched.read)

    def _constants(self, shape: tuple[str, ...]) -> Iterator[str]:
        """Variables of few values, and the values below 0 of others."""
        for text, kind in self._variables(shape):
            if isinstance(kind, Integer):
                low, high = kind.span(self.config)
                is_small = high - low < MAX_VALUES and not isinstance(kind.high, str)
                yield from (f"{text} == {number}" for number in (range(low, high + 1) if is_small else range(low, 1)))

    def _calls(self, shape: tuple[str, ...]) -> Iterator[str]:
        """Each predicate of the model, whose parameters are all of the shape's kinds, for each choice of these."""
        for name, function in self.predicates.items():
            first, *rest = inspect.signature(function).parameters
            kinds = [self.model.domains.get(term) for term in rest]
            if first == "s" and None not in kinds:
                choices = [[term for term in shape if self.model.domains[term] == kind] for kind in kinds]
                for chosen in itertools.product(*choices):
                    if len(set(chosen)) == len(chosen):
                        yield f"{name}({', '.join(('s', *chosen))})"

    def judge(self, text: str, names: Sequence[str]) -> Callable[..., Any]:
        """The function of a state, and of these parameters, that a text is."""
        judge: Callable[..., Any] = eval(f"lambda {', '.join(('s', *names))}: {text}", dict(self.globals))  # our own text
        return judge

    def bindings(self, names: Sequence[str]) -> list[tuple[int, ...]]:
        """Every value of these parameters."""
        return list(itertools.product(*(range(getattr(self.config, self.model.domains[name])) for name in names)))

    def property_of(self, name: str, text: str, names: Sequence[str]) -> Property:
        """A text as a property, whose function is read from it."""
        source = f"def {name}({', '.join(('s', *names))}):\n    return {text}\n"
        scope: dict[str, Any] = dict(self.globals)
        exec(source, scope)  # our own text
        function = scope[name]
        function.tree, function.file = function_in(source), "candidates"
        function.__doc__ = text
        return quantified([always(function)], self.model.domains)[0]

    def candidates(self, states: Sequence[Any]) -> list[Candidate]:
        """The candidates that hold in these states, without those that a stronger one, or nothing, implies."""
        found: dict[str, Candidate] = {}
        random = list(self._random_states())
        for shape in self.shapes():
            literals, truths, anywhere = self._judged(shape, states, random)
            holds, is_trivial = ~_meet(~truths, ~truths), ~_meet(~anywhere, ~anywhere)  # of each two literals one
            implies = ~_meet(anywhere, ~anywhere)
            strictly = implies & ~implies.T
            weaker = _meet(strictly.T, (holds @ implies).T) | _meet(implies.T, (holds @ strictly).T)
            one_is_enough = truths.all(axis=1)
            needless = (one_is_enough[:, None] | one_is_enough[None, :]) & ~np.eye(len(truths), dtype=bool)
            for a, b in zip(*np.nonzero(np.triu(holds & ~is_trivial & ~weaker & ~needless)), strict=True):
                term, other = literals[a], literals[b]
                names = tuple(name for name in shape if name in (*term.names, *other.names))
                candidate = Candidate((term,) if a == b else (term, other), names, self)
                found.setdefault(candidate.text, candidate)
        return list(found.values())

    def _random_states(self) -> Iterator[Any]:
        """States of any values, reached or not: what holds in all of them says nothing."""
        chance, empty = Random(0), self.model.state(self.config)
        kinds = [kind for _, kind, _ in walk(type(empty), empty)]
        for _ in range(RANDOM_STATES):
            values = [chance.randint(*kind.span(self.config)) for kind in kinds]
            yield fill(
                empty.copy(), [NO_MEMBER if isinstance(k, Member) and v < 0 else v for k, v in zip(kinds, values, strict=True)]
            )

    def _judged(self, shape: tuple[str, ...], states: Sequence[Any], random: Sequence[Any]) -> tuple[list[Atom], Any, Any]:
        """The atoms and their negations that can be evaluated, and whether each holds in each state for each binding."""
        bindings = self.bindings(shape)
        literals, rows, anywhere = list[Atom](), list[Any](), list[Any]()
        for atom in self.atoms(shape):
            judge = self.judge(atom.text, shape)
            try:
                row = np.array([bool(judge(state, *binding)) for state in states for binding in bindings])
            except LookupError:  # an index that is nobody: it can be said only where somebody is there
                continue
            other = np.array([_or_false(judge, state, *binding) for state in random for binding in bindings])
            literals += [atom, replace(atom, negated=True)]
            rows += [row, ~row]
            anywhere += [other, ~other]
        return literals, np.array(rows), np.array(anywhere)


def walked(model: Model, config: Any) -> list[Any]:
    """States that random walks come to."""
    chance, steps, seen = Random(0), model.steps(config), dict[tuple[int, ...], Any]()
    for _ in range(WALKS):
        state = chance.choice(model.initial_states(config))
        for _ in range(STEPS):
            seen.setdefault(cells(state), state.copy())
            following = [after for _, _, after in model.enabled(state, steps)]
            if not following:
                break
            state = chance.choice(following)
    return list(seen.values())


def _meet(rows: Any, others: Any) -> Any:
    """For each two rows whether they are true at one place."""
    return (rows.astype(np.float32) @ others.T.astype(np.float32)) > 0


def _or_false(judge: Callable[..., Any], *arguments: Any) -> bool:
    try:
        return bool(judge(*arguments))
    except LookupError:
        return False
