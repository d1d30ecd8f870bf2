"""Candidates for lemmas, made of the model's own words: its predicates, and comparisons of its variables.

A candidate is one such atom, or two of which one holds, for all values of their parameters. Those that a reached state refutes
are left out at once; of the others `houdini` keeps what is inductive. None is trusted: what is kept is proved as if written.
"""

import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.kinds import MEMBERS, NO_MEMBER, Integer, Kind, Member, MemberSet, Record, cells, fill, walk
from ...model.language.reading.beginnings import listed
from ...model.language.reading.program import program
from ...model.language.reading.python_files import names_in_text
from ...model.language.reading.trees import function_in
from ...model.language.settings import Watched
from ...properties.property import Property, always, quantified
from ..compiling.symmetry_samples import walked
from .unsized import variables_of

Names = tuple[str, ...]

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
    names: Names
    negated: bool = False

    @property
    def written(self) -> str:
        """Its text, or that of its opposite."""
        return self.text if not self.negated else f"not {self.text}" if self.text.endswith(")") else f"not ({self.text})"


@dataclass(frozen=True)
class Candidate:
    """One of its atoms holds, for all values of the parameters `names`."""

    atoms: tuple[Atom, ...]
    names: Names
    pool: "Pool"

    @property
    def text(self) -> str:
        """As it is written in Python."""
        return " or ".join(atom.written for atom in self.atoms)

    @cached_property
    def bindings(self) -> list[tuple[int, ...]]:
        """Every value of its parameters."""
        return self.pool.bindings(self.names)

    def holds(self, state: Any) -> bool:
        """Whether it holds in a plain state; what looks up nobody is false."""
        return all(_or_false(self._judge, state, *binding) for binding in self.bindings)

    @cached_property
    def _judge(self) -> Callable[..., Any]:
        return self.pool.judge(self.text, self.names)


class Pool:
    """What can be said of the states of a model under one configuration. `functions`: those whose predicates are used."""

    def __init__(self, model: Model, config: Any, functions: Sequence[Any]) -> None:
        self.model, self.config = model, config
        whole = program([*(action.version(config) for action in model.actions if action.exists(config)), *functions])
        written = {name: original for name, original in whole.originals.items() if name not in whole.writers}
        self.predicates = {name: term for name, term in written.items() if inspect.isfunction(term)}
        self.globals = {"__name__": __name__, "NO_MEMBER": NO_MEMBER, **self.predicates}

    def shapes(self) -> Iterator[Names]:
        """Parameters that candidates range over together: two members and one index of another kind, or one and two."""
        names: dict[str, list[str]] = {}
        for name, dimension in self.model.domains.items():
            names.setdefault(dimension, []).append(name)
        indices = {dimension for _, (_, dimensions) in variables_of(self.model.state) for dimension in dimensions}
        some, members = names.get("partitions", [])[:1], names.get(MEMBERS, [])[:2]
        others = [given[0] for kind, given in names.items() if kind in indices and kind not in ("partitions", MEMBERS)]
        yield (*some, *members)
        yield from ((*some, *members, other) for other in others)
        yield from ((*some, *members[:1], *two) for two in itertools.combinations(others, 2))

    def atoms(self, shape: Names) -> list[Atom]:
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

    def _terms(self, shape: Names) -> tuple[dict[Any, list[str]], list[str], list[str]]:
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

    def _variables(self, shape: Names) -> Iterator[tuple[str, Kind]]:
        """Each variable at each choice of these parameters for its indices."""
        for path, (kind, dimensions) in dict(variables_of(self.model.state)).items():
            yield from ((text, kind) for text in self._at_indices(path, dimensions, shape))

    def _records(self, shape: Names) -> Iterator[tuple[str, Any]]:
        """Each record that holds variables, and its type, at each choice of these parameters for its indices."""
        empty, seen = self.model.state(self.config), set[str]()
        for path, (_, dimensions) in variables_of(self.model.state):
            record = path.rpartition(".")[0]
            depth = record.count("[]")
            if record and record not in seen and all(getattr(self.config, name) for name in dimensions[:depth]):
                seen.add(record)
                of = type(eval(f"s.{record}".replace("[]", "[0]"), {"s": empty}))  # our own text
                yield from ((text, of) for text in self._at_indices(record, dimensions[:depth], shape))

    def _at_indices(self, path: str, dimensions: Names, shape: Names) -> Iterator[str]:
        """The text of a path (`replica[].hw`) at each choice of these parameters for its indices."""
        for chosen in itertools.product(*([name for name in shape if self.model.domains[name] == of] for of in dimensions)):
            yield "s." + path.replace("[]", "[{}]").format(*chosen)

    def _behind(self, setting: str) -> frozenset[str]:
        """The settings that a number comes from: numbers of one kind have the same."""
        watched = Watched(self.config)
        getattr(watched, setting)
        return frozenset(watched.read)

    def _constants(self, shape: Names) -> Iterator[str]:
        """Variables of few values, and the values below 0 of others."""
        for text, kind in self._variables(shape):
            if isinstance(kind, Integer):
                low, high = kind.span(self.config)
                is_small = high - low < MAX_VALUES and not isinstance(kind.high, str)
                yield from (f"{text} == {number}" for number in (range(low, high + 1) if is_small else range(low, 1)))

    def _calls(self, shape: Names) -> Iterator[str]:
        """Each predicate of the model at each choice of its parameters: the shape's of their kinds, and records of the state."""
        records = list(self._records(shape))
        for name, function in self.predicates.items():
            choices = list[list[str]]()
            for parameter in inspect.signature(function).parameters.values():
                of = function.__globals__.get(parameter.annotation, parameter.annotation)
                if parameter.name == "s":
                    choices.append(["s"])
                elif inspect.isclass(of) and issubclass(of, Record):
                    choices.append([text for text, record in records if record is of])
                else:
                    kind = self.model.domains.get(parameter.name)
                    choices.append([term for term in shape if self.model.domains[term] == kind])
            for chosen in itertools.product(*choices):
                if len(set(chosen)) == len(chosen):
                    yield f"{name}({', '.join(chosen)})"

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
        found, said = dict[str, Candidate](), set[frozenset[str]]()
        random, known = list(self._random_states()), dict[str, Any]()
        for shape in self.shapes():
            literals, truths, anywhere = self._judged(shape, states, random, known)
            for places in _strongest(truths, anywhere) if literals else ():
                atoms = tuple(literals[place] for place in places)
                names = tuple(name for name in shape if any(name in atom.names for atom in atoms))
                candidate = Candidate(atoms, names, self)
                if self._exchanged(candidate) not in said:
                    said.add(frozenset(atom.written for atom in atoms))
                    found.setdefault(candidate.text, candidate)
        return list(found.values())

    def _exchanged(self, candidate: Candidate) -> frozenset[str]:
        """What its atoms say with the two members in each other's place: for all members that is the same."""
        members = [name for name, kind in self.model.domains.items() if kind == MEMBERS][:2]
        word = re.compile(rf"(?<![.\w])({'|'.join(members) or '(?!)'})\b")
        other = dict(zip(members, reversed(members), strict=True))
        return frozenset(word.sub(lambda found: other[found[0]], atom.written) for atom in candidate.atoms)

    def _random_states(self) -> Iterator[Any]:
        """States of any values, reached or not: what holds in all of them says nothing."""
        chance, empty = Random(0), self.model.state(self.config)
        kinds = [kind for _, kind, _ in walk(type(empty), empty)]
        for _ in range(RANDOM_STATES):
            values = [chance.randint(*kind.span(self.config)) for kind in kinds]
            yield fill(
                empty.copy(), [NO_MEMBER if isinstance(k, Member) and v < 0 else v for k, v in zip(kinds, values, strict=True)]
            )

    def _judged(
        self, shape: Names, states: Sequence[Any], random: Sequence[Any], known: dict[str, Any]
    ) -> tuple[list[Atom], Any, Any]:
        """The atoms and their negations that can be evaluated, and whether each holds in each state for each binding.

        Of those that hold in all states, or in none, nothing can be said, and of those that are never told apart one stands for
        all. `known`: what other shapes have judged.
        """
        literals, rows, anywhere, said = list[Atom](), list[Any](), list[Any](), set[bytes]()
        sizes = {name: getattr(self.config, self.model.domains[name]) for name in shape}
        for atom in self.atoms(shape):
            if atom.text not in known:
                known[atom.text] = self._truths(atom, states, random)
            if known[atom.text] is not None:
                own = tuple(sizes[name] if name in atom.names else 1 for name in shape)
                row, other = (
                    np.broadcast_to(truths.reshape(-1, *own), (len(truths), *sizes.values())).ravel()
                    for truths in known[atom.text]
                )
                everywhere = np.hstack([other, row])
                if everywhere.tobytes() not in said:
                    literals += [atom, replace(atom, negated=True)]
                    rows += [row, ~row]
                    anywhere += [everywhere, ~everywhere]
                    said |= {everywhere.tobytes(), (~everywhere).tobytes()}
        return literals, np.array(rows), np.array(anywhere)

    def _truths(self, atom: Atom, states: Sequence[Any], random: Sequence[Any]) -> tuple[Any, Any] | None:
        """Whether an atom holds for each binding of its names, in each of these states; None where nothing can be said of it."""
        judge, bindings = self.judge(atom.text, atom.names), self.bindings(atom.names)
        try:
            found = np.array([[bool(judge(state, *binding)) for binding in bindings] for state in states])
        except LookupError:  # an index that is nobody: it can be said only where somebody is there
            return None
        others = np.array([[_or_false(judge, state, *binding) for binding in bindings] for state in random])
        is_constant = found.all() == found.any() == others.all() == others.any()
        return None if is_constant else (found, others)


def walked_states(model: Model, config: Any) -> list[Any]:
    """States that random walks come to."""
    first = listed(model, config, "walks begin in any one of them")
    return list({cells(state): state for state, _ in walked(model, config, first, WALKS, STEPS)}.values())


def _strongest(truths: Any, anywhere: Any) -> Iterator[tuple[int, ...]]:
    """Each literal, and each two of which always one holds, unless it says nothing or a stronger one of these implies it.

    `truths`: where a literal holds in reached states; `anywhere`: and in others.
    """
    every = np.eye(len(truths), dtype=bool)
    stronger = ~_meet(anywhere, ~anywhere) & ~every
    is_enough = truths.all(axis=1)
    alone = is_enough & ~anywhere.all(axis=1) & ~stronger[is_enough].any(axis=0)
    yield from ((int(place),) for place in np.flatnonzero(alone))
    holds = ~_meet(~truths, ~truths) & ~(every | is_enough[:, None] | is_enough[None, :])
    is_trivial = ~_meet(~anywhere, ~anywhere)
    weaker = _meet(stronger.T, _meet((stronger | every).T, holds))
    pairs = np.argwhere(np.triu(holds & ~is_trivial & ~weaker & ~weaker.T))
    for some in np.array_split(pairs, 1 + len(pairs) // 500):
        is_new = _meet(~(anywhere[some[:, 0]] | anywhere[some[:, 1]]), anywhere[alone]).all(axis=1)
        yield from ((int(a), int(b)) for a, b in some[is_new])


def _meet(rows: Any, others: Any) -> Any:
    """For each two rows whether they are true at one place."""
    return (rows.astype(np.float32) @ others.T.astype(np.float32)) > 0


def _or_false(judge: Callable[..., Any], *arguments: Any) -> bool:
    try:
        return bool(judge(*arguments))
    except LookupError:
        return False
