"""The tasks that find the states from which goals are out of reach: two jobs, each with a shuffle between its halves.

    look_again   expands a shard's states once more: which goals are true there or one step on, and the other steps that matter
    keep_steps   takes the steps to a shard's states, and writes them
    step_back    from the states of a shard that have just reached goals, to the states from which steps lead there
    take_back    which of a shard's open states have now reached which goals

Only steps that are no faults count, and that change something. A step matters for the goals that are true at neither of its ends
and that no step from where it begins leads to: all else is known when the state is expanded. As in `tasks` a file has a name of
its own and counts when the driver names it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...properties.catalogue import claims_of
from ...properties.property import Property
from ..compiling.arrays import Words
from ..compiling.compiled import Compiled
from ..compiling.meta_words import action_code, parent_index
from ..progress.decide import fairness_of
from ..progress.kernels import FAULTY
from ..progress.labels import Labels
from ..runs.manifests import File
from .batch import fingerprints
from .folder import Folder
from .masks import OPEN, REACHED, STEPS, Collected, Columns, Masks, United, addressed, from_bytes, places_of, read_rows
from .tasks import Probe, Routed, Subject, expander_of, frontier_in_parts, settle, unprobed


@dataclass(frozen=True)
class Question:
    """Properties of progress that are looked at together, in a form that travels; `uri`: of the run directory; `place`:
    the folder there for what belongs to the question."""

    subject: Subject
    names: tuple[str, ...]
    uri: str
    place: str
    shards: int
    probe: Probe = unprobed

    def properties(self) -> list[Property]:
        """The properties themselves."""
        known = claims_of(self.subject.request().model)
        return [known[name] for name in self.names]


def collected(question: Question, kind: str, shard: int) -> Collected:
    """A collector of a shard's rows for files."""
    return Collected(Folder(question.uri), question.place, kind, question.subject.width, shard, question.subject.budget)


@dataclass
class LookInput:
    """The input of a task of the first job: a shard, and files with its states by level."""

    shard: int
    levels: list[tuple[int, list[File]]]


@dataclass
class BackInput:
    """The input of a task of the second job: a shard, levels back so far, steps, states just reached, and open states."""

    shard: int
    back: int
    steps: list[File]
    reached: list[File]
    open: list[File]


@dataclass
class Kept:
    """A shard's result of a job: its new files; `taken`: the steps of each action from its states; `asked`: as in a stage."""

    shard: int
    steps: list[File] = field(default_factory=list)
    open: list[File] = field(default_factory=list)
    reached: list[File] = field(default_factory=list)
    expanded: int = 0
    taken: NDArray[np.int64] | None = None
    asked: int = 0


class Goals:
    """The goals of properties as bits of one word."""

    def __init__(self, compiled: Compiled, properties: list[Property]) -> None:
        self.labels, self.properties = Labels(compiled, properties), properties
        counts = [len(list(claim.bindings(compiled.config))) for claim in properties]
        self.first = np.cumsum([0, *counts]).tolist()
        self.all = np.uint64((1 << self.first[-1]) - 1)

    def mask_of(self, place: int) -> np.uint64:
        """The bits of a property."""
        return np.uint64((1 << self.first[place + 1]) - (1 << self.first[place]))

    def of(self, keys: Words) -> tuple[Masks, Masks]:
        """Which goals are true in these states, and which are asked for."""
        goals, asked = np.zeros(len(keys), np.uint64), np.zeros(len(keys), np.uint64)
        for place, claim in enumerate(self.properties):
            true, premise = self.labels.of(claim, keys)
            goals |= true << np.uint64(self.first[place])
            asked |= self.mask_of(place) if claim.premise is None else premise << np.uint64(self.first[place])
        return goals, asked


class Looker:
    """Expands states once more, for a question."""

    def __init__(self, question: Question) -> None:
        self.question, self.expander = question, expander_of(question.subject)
        self.compiled = self.expander.compiled
        self.goals = Goals(self.compiled, question.properties())
        self.faulty = fairness_of(self.compiled) == FAULTY
        self.checks = self.compiled.checks([])
        self.asked = np.uint64(0)

    def look(self, fps: Words, keys: Words, level: int, opened: Collected, reached: Collected) -> Iterator[Columns]:
        """The steps that matter from the states of a level: (targets, sources, goals); the states are noted."""
        at = 0
        while at < len(keys):
            begun, at = at, self.expander.expand(keys, at, self.checks, only_check=False)
            goals, asked = self.goals.of(keys[begun:at])
            self.asked |= np.bitwise_or.reduce(asked)
            near = goals.copy()
            steps = [self._steps(number, keys, begun, goals) for number in range(2)]
            for sources, _, true in steps:
                np.bitwise_or.at(near, sources - begun, true)
            missing = self.goals.all & ~near
            some, new = missing != 0, near & ~goals
            opened.add(fps[begun:at][some], missing[some], asked[some], np.full(int(some.sum()), level, np.uint64))
            reached.add(fps[begun:at][new != 0], new[new != 0])
            for sources, ends, true in steps:
                wanted = missing[sources - begun] & ~true
                used = wanted != 0
                targets = fingerprints(self.compiled, ends[used], self.question.subject.width)
                yield targets, fps[sources[used]], wanted[used]

    def _steps(self, number: int, keys: Words, begun: int, goals: Masks) -> Columns:
        """The successors in a box that matter: (places of the sources, keys of the ends, their goals)."""
        boxes = self.expander.boxes
        count = int(boxes.filled[0, number])
        metas, ends = boxes.meta[0, number, :count], boxes.key[0, number, :count]
        sources = parent_index(metas).astype(np.int64)
        used = (goals[sources - begun] != self.goals.all) & ~self.faulty[action_code(metas).astype(np.int64)]
        used[used] = (ends[used] != keys[sources[used]]).any(axis=1)
        sources, ends = sources[used], ends[used]
        here, there = (self.goals.labels.paid(np.ascontiguousarray(some)) for some in (keys[sources], ends))
        sources, ends = sources[there <= here], np.ascontiguousarray(ends[there <= here])
        return sources, ends, self.goals.of(ends)[0]


@cache
def looker_of(question: Question) -> Looker:
    """The compiled model and goals, once per process."""
    return Looker(question)


def look_again(question: Question, inputs: Iterable[LookInput]) -> Iterator[Routed]:
    """The steps that matter, each to the owner of its target; and to itself what a shard says of its states."""
    looker, subject = looker_of(question), question.subject
    folder = Folder(question.uri)
    for given in inputs:
        looker.checks.taken[:], looker.asked = 0, np.uint64(0)
        kept = Kept(given.shard)
        opened, reached = (collected(question, kind, given.shard) for kind in (OPEN, REACHED))
        for level, files in given.levels:
            for fps, keys in frontier_in_parts(folder, files, given.shard, question.shards, looker.compiled, subject.width):
                kept.expanded += len(keys)
                for steps in looker.look(fps, keys, level, opened, reached):
                    yield from addressed(steps, question.shards)
        kept.open, kept.reached, kept.taken = opened.files(), reached.files(), looker.checks.taken.copy()
        kept.asked = int(looker.asked)
        question.probe("looked", given.levels[-1][0], given.shard)
        yield given.shard, kept
    settle("look", subject)


def keep_steps(question: Question, shard: int, arriving: Iterable[Routed]) -> Iterator[Kept]:
    """Write the steps to the states of a shard."""
    steps = collected(question, STEPS, shard)
    kept = None
    for _, data in arriving:
        if isinstance(data, bytes):
            steps.add(*from_bytes(data, 3))
        else:
            kept = data
    assert kept is not None, "every shard sends itself what it says"
    kept.steps = steps.files()
    yield kept
    settle("keep", question.subject)


def step_back(question: Question, inputs: Iterable[BackInput]) -> Iterator[Routed]:
    """The states from which steps lead to what a shard has just reached, each to its owner; and to itself what is open."""
    width, folder = question.subject.width, Folder(question.uri)
    for given in inputs:
        new, back = United(width), United(width)
        for file in given.reached:
            for fps, masks in read_rows(folder, REACHED, width, file):
                new.add(fps, masks)
        states, goals = new.all()
        for file in given.steps if len(states) else ():
            for targets, sources, wanted in read_rows(folder, STEPS, width, file, states):
                place = places_of(targets, states)
                there = place >= 0
                masks = wanted[there] & goals[place[there]]
                back.add(sources[there][masks != 0], masks[masks != 0])
        yield from addressed(back.all(), question.shards)
        yield given.shard, given
    settle("back", question.subject)


def take_back(question: Question, shard: int, arriving: Iterable[Routed]) -> Iterator[Kept]:
    """Which open states of a shard have now reached what; what stays open is written again, if anything has changed."""
    subject, folder = question.subject, Folder(question.uri)
    arrived, kept, back = United(subject.width), Kept(shard), 0
    for _, data in arriving:
        if isinstance(data, bytes):
            arrived.add(*from_bytes(data, 2))
        else:
            kept.open, back = data.open, data.back
    states, goals = arrived.all()
    if len(states):
        opened, reached = (collected(question, kind, shard) for kind in (OPEN, REACHED))
        for file in kept.open:
            for fps, missing, asked, level in read_rows(folder, OPEN, subject.width, file):
                place = places_of(fps, states)
                new = np.where(place >= 0, goals[place], np.uint64(0)) & missing
                left = missing & ~new
                reached.add(fps[new != 0], new[new != 0])
                opened.add(fps[left != 0], left[left != 0], asked[left != 0], level[left != 0])
        kept.reached = reached.files()
        if kept.reached:
            kept.open = opened.files()
    question.probe("stepped", back, shard)
    yield kept
    settle("take", subject)
