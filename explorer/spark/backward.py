"""Whether goals are within reach of every state: backwards from where they are true, over steps that are no faults.

The search is over, and its run directory holds every state. All of them are expanded once more, for the steps and for the goals;
then the goals are propagated backwards along the steps, level by level, until no state is new. The states left reach no goal.
A level is one job; a small one runs in the driver with the same functions. After each of them a manifest is committed, in a
folder of the question's own beside the levels, from which an interrupted run continues.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from ...model.language.errors import UsageError
from ...properties.property import RECOVERABLE, Property
from ..compiling.arrays import WORD_BITS
from ..progress.labels import goals_of, validate_goal_count
from ..runs.identity import digest, text_of
from ..runs.manifests import QUESTION
from ..runs.stages import BackwardStage, Files, Stages
from ..search import Found
from ..verdict import HOLDS, INCOMPLETE, NEVER, NOT_APPLICABLE, VIOLATED, Finding
from .backward_tasks import BackInput, Goals, Kept, LookInput, Question, keep_steps, look_again, step_back, take_back
from .masks import OPEN, order_of, read_rows
from .search import SparkSearch, by_shard
from .tasks import run_job

TOGETHER = 1 << 21
"""About as many states for each shard are expanded between two manifests."""

STEPS_OF_DRIVER = 10
"""A level backwards runs in the driver while it has at most this many steps for each state that a level may have there."""


class Lost(NamedTuple):
    """Where a goal is out of reach: the first such state, as a number, its level; how many states there are."""

    state: int
    level: int
    states: int


def validate_decidable(properties: Sequence[Property], config: Any) -> None:
    """UsageError when a property is not decided here."""
    for claim in properties:
        if claim.kind != RECOVERABLE:
            raise UsageError(
                f"{claim.name} is a property of progress of the kind {claim.kind}, and on Spark only those that are recoverable"
                " are decided: cycles are not looked for there; leave out --engine spark, or name others"
            )
        validate_goal_count(claim, config)


def questions(search: SparkSearch, properties: Sequence[Property]) -> Iterator[list[Property]]:
    """The properties in groups whose goals fit into the bits of a word."""
    some: list[Property] = []
    for claim in properties:
        if sum(goals_of(other, search.compiled.config) for other in (*some, claim)) > WORD_BITS:
            yield some
            some = []
        some.append(claim)
    if some:
        yield some


@dataclass
class Backward:
    """One question to a search that is complete."""

    search: SparkSearch
    properties: list[Property]

    def __post_init__(self) -> None:
        search = self.search
        about = [f"{claim.name} {digest(text_of(claim))}" for claim in self.properties]
        identity = {"asked": True, "goals": about, "run": search.manifests.last, "shards": search.shards}
        name = f"{QUESTION}{digest(identity)}"
        self.stages = Stages(search.manifests, name)
        names = tuple(claim.name for claim in self.properties)
        self.question = Question(search.subject, names, search.uri, name, search.shards, search.how.probe)
        found = self.stages.begin(identity, bool(self.stages.numbers()), {})
        self.now = found[-1] if found else BackwardStage(0, 0, [0] * len(search.counted.taken), 0)

    def run(self) -> bool:
        """Continue until no state is new; False when it was interrupted."""
        search = self.search
        while not search.stopped:
            looked = self.now.levels == len(search.levels)
            if looked and not any(self.now.reached.values()):
                return True
            search.stop_at(search.bounds.reached(0))
            if not search.stopped:
                (self._back if looked else self._look)()
        return False

    def _look(self) -> None:
        """Expand some levels again."""
        search, before = self.search, self.now
        shards, some = search.shards, [before.levels]
        while some[-1] + 1 < len(search.levels) and self._states([*some, some[-1] + 1]) <= TOGETHER * shards:
            some.append(some[-1] + 1)
        files = [(number + 1, by_shard(search.committed[number].files, shards)) for number in some]
        inputs = [LookInput(shard, [(number, every[shard]) for number, every in files]) for shard in range(shards)]
        kept = self._job(inputs, look_again, keep_steps, self._states(some) < search.narrow_backward)
        if kept is None:
            return
        taken = np.array(before.taken) + sum(report.taken for report in kept if report.taken is not None)
        asked = reduce(or_, (report.asked for report in kept), before.asked)
        looked = sum(report.expanded for report in kept)
        last = some[-1] + 1
        if looked != self._states(some) or (last == len(search.levels) and (taken != search.counted.taken).any()):
            what = f"{looked:,} of {self._states(some):,} states of levels {some[0] + 1} to {last} have other steps than before"
            raise search.manifests.damaged(f"level={last}", some[0], what)
        self._commit(
            BackwardStage(
                last, 0, taken.tolist(), asked, joined(before.steps, {report.shard: report.steps for report in kept}),
                joined(before.open, {report.shard: report.open for report in kept}),
                joined(before.reached, {report.shard: report.reached for report in kept}),
            )
        )  # fmt: skip

    def _states(self, levels: Sequence[int]) -> int:
        return sum(self.search.levels[number] for number in levels)

    def _back(self) -> None:
        """One level backwards."""
        now, narrow = self.now, self.search.narrow_backward
        small = rows_in(now.reached) < narrow and rows_in(now.steps) <= STEPS_OF_DRIVER * narrow
        inputs = [
            BackInput(shard, now.back, now.steps.get(shard, []), now.reached.get(shard, []), now.open.get(shard, []))
            for shard in range(self.search.shards)
        ]
        kept = self._job(inputs, step_back, take_back, small)
        if kept is not None:
            opened, reached = {report.shard: report.open for report in kept}, {report.shard: report.reached for report in kept}
            self._commit(BackwardStage(now.levels, now.back + 1, now.taken, now.asked, now.steps, opened, reached))

    def _job(self, inputs: Sequence[Any], send: Any, take: Any, small: bool) -> list[Kept] | None:
        """Run a job where that is cheaper; None when the search was interrupted meanwhile."""
        if small:
            return run_here(self.question, inputs, send, take)
        context = self.search.spark.sparkContext
        return self.search.watched(lambda: run_job(context, self.question, inputs, send, take))

    def _commit(self, stage: BackwardStage) -> None:
        """Commit a stage, and remove the files that no longer count."""
        self.stages.commit(stage)
        names = {file.name for file in stage.all_files}
        for file in self.now.all_files:
            if file.name not in names:
                self.search.folder.remove(file.name)
        self.now = stage

    def lost(self, goals: Goals) -> list[Lost | None]:
        """For each property from how many states its goals are out of reach, and the first of them; None: from none."""
        found: list[Lost | None] = [None] * len(self.properties)
        for files in self.now.open.values():
            for file in files:
                for fps, missing, asked, level in read_rows(self.search.folder, OPEN, self.question.subject.width, file):
                    for place in range(len(self.properties)):
                        rows = np.flatnonzero(missing & asked & goals.mask_of(place))
                        if len(rows):
                            found[place] = earlier(found[place], fps[rows], level[rows])
        return found


def earlier(known: Lost | None, fps: Any, levels: Any) -> Lost:
    """The first of these states and of the one that is known, by level and then by fingerprint; and how many there are."""
    early = fps[levels == levels.min()]
    first = (int(levels.min()), int.from_bytes(early[order_of(early)[0]].astype(">u8").tobytes(), "big"))
    if known is not None:
        first = min(first, (known.level, known.state))
    return Lost(first[1], first[0], len(fps) + (known.states if known is not None else 0))


def rows_in(files: Files) -> int:
    """How many rows there are in all."""
    return sum(file.rows for some in files.values() for file in some)


def joined(known: Files, more: Files) -> Files:
    """The files of both."""
    return {shard: [*known.get(shard, []), *more.get(shard, [])] for shard in {**known, **more}}


def run_here(question: Question, inputs: Sequence[Any], send: Any, take: Any) -> list[Kept]:
    """A job in the driver: the same two functions, and a list for each shard as the shuffle."""
    sent: dict[int, list[Any]] = defaultdict(list)
    for owner, data in send(question, inputs):
        sent[owner].append((owner, data))
    return [kept for shard in range(question.shards) for kept in take(question, shard, sent[shard])]


def findings_on_spark(search: SparkSearch, revision: str, properties: list[Property]) -> list[Finding]:
    """The verdict on each property of progress; they are decided only where everything reachable was seen."""
    applicable = [claim for claim in properties if claim.applies(search.compiled.config)]
    findings = {claim.name: Finding(claim, INCOMPLETE if claim in applicable else NOT_APPLICABLE) for claim in properties}
    for some in questions(search, applicable) if search.complete else ():
        question = Backward(search, some)
        if not question.run():
            search.complete = False
            break
        goals = Goals(search.compiled, some)
        for place, (claim, lost) in enumerate(zip(some, question.lost(goals), strict=True)):
            asked = claim.premise is None or question.now.asked & int(goals.mask_of(place))
            findings[claim.name] = Finding(claim, HOLDS if asked else NEVER)
            if lost is not None:
                trace = search.trace_of(Found(lost.level, 0, lost.state, -1), revision, claim)
                findings[claim.name] = Finding(claim, VIOLATED, lost.level, trace, lost_states=lost.states)
    return list(findings.values())
