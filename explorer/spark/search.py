"""The levels of a search on Spark, from the driver.

A wide level is one Spark job, whose tasks find the level among what was sent, and expand it. A narrow one, while the whole
visited set is small, costs less than a job and runs in the driver: before the first job with the tables of `driver`, after it as
a task of a job does, on the same files. A manifest is committed for each level that was found: the search continues from there,
in this process, or in another one that expands the level again.
"""

import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..compiling.arrays import Words
from ..compiling.compiled import Compiled
from ..compiling.path import Key
from ..growth import expected_states
from ..promises import SAMPLED
from ..request import Request
from ..runs.files import shard_of
from ..runs.manifests import SENT, File, Level, Manifests, SortedRun
from ..search import Counts, Found, Search
from .batch import NO_ACTION, Batch, part_of, range_of, row_bytes
from .deduplication import Deduplicated, write_level
from .driver import Driver
from .expansion import Expander, Report, merge_reports, names_of
from .folder import Folder, first_states, fresh_name, parts_of
from .parents import way_back
from .settings import NARROW, OnSpark, narrow_for
from .shards import blocks_for, shards_for, slices_for
from .successor_files import Sent, by_owner, folder_of
from .tasks import LevelJob, ShardInput, Subject, expand_shards, frontier_of, run_level
from .visited import bytes_of, sorted_rows, write_run
from .watch import JobWatch, SparkProgress

Job = TypeVar("Job")
"""The result of a job."""

GROWTH = 2
"""By how much a wide level may send more than the one before; a level that sends more takes more memory."""

DRIVER = -1
"""In the place of a shard: the driver."""

FEW_SHARDS = 8
"""Shards of which the driver takes a narrow level after jobs: each has files of its own in every level."""


@dataclass
class Expanded:
    """A level that was expanded: the report on it, and its successors, in files by owner unless they are in the driver."""

    report: Report
    sent: list[Sent] | None = None


class SparkSearch(Search):
    """The state of a search; `run` continues until it ends."""

    def __init__(
        self,
        spark: Any,
        compiled: Compiled,
        request: Request,
        subject: Subject,
        uri: str,
        manifests: Manifests,
        how: OnSpark,
        shards: int | None,
        report: Callable[[SparkProgress], None] | None,
    ) -> None:
        super().__init__(compiled, request.applicable, request.keep_going, request.deadlock)
        self.revision = request.revision
        self.spark, self.subject, self.uri, self.manifests = spark, subject, uri, manifests
        self.how, self.given_shards, self.bounds = how, shards, request.bounds
        here = narrow_for(spark.sparkContext, how.driver_states)
        self.narrow, self.narrow_backward = (here, NARROW) if how.narrow is None else (how.narrow, how.narrow)
        self.expander: Expander | None = None
        self.report = report or (lambda now: None)
        self.shards = shards or int(spark.sparkContext.defaultParallelism)
        self.folder = Folder(uri)
        self.committed: list[Level] = []
        actions = len(compiled.model.actions)
        self.counted = Counts(*(np.zeros(actions, np.int64) for _ in range(3)))
        self.runs: dict[int, list[SortedRun]] = {}
        self.driver: Driver | None = None
        self.ahead: Expanded | None = None
        self.group = f"highwater-{uuid.uuid4().hex}"
        self.watch = JobWatch(spark.sparkContext, self.group)
        self.worker_memory = self.sent = 0

    # Beginning.

    def seed(self) -> None:
        """The first level: the initial states."""
        self.driver = self._new_driver()
        self._count_level(self._written_here(self.driver.seed(self.compiled.initial_keys())))

    def restore(self, levels: list[Level], again: bool) -> None:
        """Continue from what a run has committed; `again`: rebuild the visited sets from the levels, since they may be gone."""
        self.committed, last, number = levels, levels[-1], len(levels)
        self.levels = [level.states for level in levels]
        self.resumed = self.states
        self.whole_levels = len(levels) - 1
        if {len(last.taken), len(last.able), len(last.new)} != {len(self.counted.taken)}:
            raise self.manifests.damaged(f"manifest/{number:04d}.json", number - 1, "it is about other actions")
        self.found = dict(last.found)
        for mine, theirs in zip(self.counted, (last.taken, last.able, last.new), strict=True):
            mine[:] = theirs
        self.runs = {} if again else last.runs
        self.given_shards = self.given_shards or last.shards or None
        self.shards = self.given_shards or self.shards
        if again and self.states >= self.how.driver_states:
            self._make_runs_again()
        self._count_visited()

    def _make_runs_again(self) -> None:
        """The visited set of each shard, from the fingerprints of all levels."""
        width, shards = self.subject.width, self.shards
        self.given_shards = shards
        of_levels = [by_shard(level.files, shards) for level in self.committed]
        for shard in range(shards):
            files = [some[shard] for some in of_levels if some[shard]]
            parts = [frontier_of(self.folder, some, shard, shards, self.compiled, width)[0] for some in files]
            fps = sorted_rows(np.concatenate([np.zeros((0, width), np.uint64), *parts]))
            self.runs[shard] = self._as_run(shard, fps)

    def _as_run(self, shard: int, fps: Words) -> list[SortedRun]:
        """Sorted fingerprints of a shard as a run, if there are any."""
        name = fresh_name("visited", str(shard), "run")
        return [write_run(self.folder, name, iter([fps]), self.subject.width)] if len(fps) else []

    def _count_visited(self) -> None:
        """Check that the visited sets in files hold as many states as the levels."""
        counted = sum(run.rows for runs in self.runs.values() for run in runs)
        if self.runs and counted != self.states:
            number = len(self.levels)
            what = f"the visited sets after level {number} hold {counted:,} states, and the levels {self.states:,}"
            raise self.manifests.damaged("visited", number - 1, what)

    # What is known.

    @property
    def states(self) -> int:
        """States seen so far."""
        return sum(self.levels)

    @property
    def bytes(self) -> int:
        """Bytes on disk: states and visited sets."""
        return sum(level.size for level in self.committed) + sum(bytes_of(run) for runs in self.runs.values() for run in runs)

    def sampled(self) -> list[Words]:
        """Some states of each level: the first ones of a file, by their fingerprints, which are as good as drawn by chance."""
        return [first_states(self.folder, level.files[0].name, SAMPLED) for level in self.committed if level.files]

    def counts(self) -> Counts:
        """The counts for each action, of the committed levels and of the one that ended last."""
        return self.counted

    def path_of(self, found: Found) -> tuple[Key, list[int]]:
        """A shortest path to a state: the key of its initial state, and its codes."""
        files = [level.files for level in self.committed]
        depth = found.depth - (1 if found.code >= 0 else 0)
        return way_back(self.folder, files[:depth], found.index, self.subject.width, self.shards)

    # Levels.

    def run(self) -> None:
        """Explore until everything is seen, a property is violated, a bound is reached, or `interrupt` is called."""
        self.bounds.begin()
        if self.is_decided():
            return
        try:
            while self.level():
                pass
        finally:
            self.driver = None
            self.folder.remove_folder(SENT)

    def interrupt(self) -> None:
        """End the search: what is committed stays. The job is cancelled from a thread outside Java."""
        super().interrupt()
        threading.Thread(target=self.watch.cancel, daemon=True).start()

    def level(self) -> bool:
        """Check and expand the newest level. False when there is nothing more to do."""
        self.stop_at(self.bounds.reached(self.states))
        if self.stopped:
            return False
        last = self.bounds.deepest(len(self.levels))
        expanded = self._expanded(bool(last))
        if expanded is None:
            return False
        if expanded.report.expanded != self.levels[-1]:
            number, what = len(self.levels), f"{expanded.report.expanded:,} of its {self.levels[-1]:,} states were expanded"
            raise self.manifests.damaged(f"level={number}", number - 1, what)
        self.whole_levels = len(self.levels)
        self._gather(expanded.report)
        if self.is_decided():
            return False
        if last:
            self.stopped = last
            return False
        deduplicated = self._deduplicated(expanded)
        if deduplicated is None:
            return False
        self.complete = not any(entered.new for entered in deduplicated)
        if not self.complete:
            self._continue_with(deduplicated)
            self.report(self.progress(deduplicated))
        return not self.complete

    def _expanded(self, only_check: bool) -> Expanded | None:
        """The newest level, expanded where that is cheaper; None when the search was interrupted meanwhile."""
        if self._is_narrow() and not self.runs:
            return self._expand_here(only_check)
        if self.ahead is None:
            self.ahead = self._in_tasks(lambda: self._expand_files(only_check))
        return self.ahead

    def _is_narrow(self) -> bool:
        """Whether the newest level runs in the driver."""
        return self.levels[-1] < self.narrow and self.states < self.how.driver_states and len(self.runs) <= FEW_SHARDS

    def _deduplicated(self, expanded: Expanded) -> list[Deduplicated] | None:
        """What is new among the successors; None when the search was interrupted meanwhile."""
        sent, only_check = expanded.sent, bool(self.bounds.deepest(len(self.levels) + 1))
        if sent is None:
            return self._written_here(self._driver().next_level())
        return self._in_tasks(lambda: self._deduplicate_files(sent, only_check))

    def _in_tasks(self, work: Callable[[], Job]) -> Job | None:
        """As `watched`, where a job may be one task here, which takes no time worth watching."""
        return work() if self.runs and self._is_narrow() else self.watched(work)

    def watched(self, job: Callable[[], Job]) -> Job | None:
        """The result of a job, with progress reports while it runs; None when the search was interrupted meanwhile."""
        try:
            about = f"{self.revision} level {len(self.levels)}: {self.states:,} states"
            with self.watch.watching(lambda: self.report(self.progress()), about):
                return job()
        except Exception:
            if self.stopped:
                return None
            raise

    def _expand_here(self, only_check: bool) -> Expanded:
        """Expand the newest level in the driver."""
        return Expanded(self._driver().expand(self.found, only_check, blocks_for(self.levels[-1], 1)))

    def _written_here(self, new: Batch) -> list[Deduplicated]:
        """Write the next level, which the driver has found."""
        out = Deduplicated(DRIVER)
        how = self.subject.width, self.compiled.key_words, out
        write_level(self.folder, len(self.levels) + 1, "driver", iter([new]), *how)
        return [out]

    def _new_driver(self) -> Driver:
        return Driver(self.compiled, self.properties, self.subject.width)

    def _driver(self) -> Driver:
        """The driver's part, which knows all levels."""
        if self.driver is None:
            self.driver = self._new_driver()
            width = self.subject.width
            for level in self.committed:
                for file in level.files:
                    for part in parts_of(self.folder, file, self.compiled, width):
                        self.driver.remember(*part)
            self.driver.begin_with(*frontier_of(self.folder, self.committed[-1].files, 0, 1, self.compiled, width))
        return self.driver

    def _expand_files(self, only_check: bool) -> Expanded:
        """Expand the newest level, which is in files."""
        if not self.runs:
            self._hand_over()
        files = by_shard(self.committed[-1].files, self.shards)
        inputs = [ShardInput(shard, some) for shard, some in enumerate(files)]
        return self._run(len(self.levels), inputs, self._successors(), only_check)[0]

    def _successors(self) -> int:
        """About how many successors the newest level has."""
        return self.levels[-1] * self.transitions // max(1, self.states - self.levels[-1])

    def _deduplicate_files(self, sent: list[Sent], only_check: bool) -> list[Deduplicated]:
        """Find the next level, and expand it in the same tasks."""
        inputs = [ShardInput(shard, sent=some, runs=self.runs.get(shard, [])) for shard, some in enumerate(sent)]
        self.ahead, deduplicated = self._run(len(self.levels) + 1, inputs, GROWTH * sum(some.rows for some in sent), only_check)
        return deduplicated

    def _run(self, level: int, inputs: list[ShardInput], rows: int, only_check: bool) -> tuple[Expanded, list[Deduplicated]]:
        """One job, or one task here; `rows`: how many successors it will send at most, as far as is known."""
        row = row_bytes(self.subject.width, self.compiled.key_words)
        slices = slices_for(rows, row, self.how.budget, self.shards)
        blocks = blocks_for(self.levels[level - 2], self.shards)
        job = LevelJob(
            self.subject, self.group, self.uri, level, self.shards, slices, rows, blocks, tuple(self.found), only_check
        )
        if self._is_narrow():
            results = [expand_shards(job, inputs, self._expander())]
        else:
            results = run_level(self.spark.sparkContext, replace(job, probe=self.how.probe), inputs)
            self.worker_memory = max(self.worker_memory, *(result.report.memory for result in results))
        report = merge_reports((result.report for result in results), len(self.counted.taken))
        sent = by_owner([result.name for result in results], [result.parts for result in results], self.shards, slices)
        deduplicated = [entered for result in results for entered in result.deduplicated]
        return Expanded(report, sent), deduplicated

    def _expander(self) -> Expander:
        """What a task needs, in the driver."""
        if self.expander is None:
            self.expander = Expander(self.compiled, self.properties, self.subject.width, self.how.budget)
        return self.expander

    def _hand_over(self) -> None:
        """Give every shard its part of the visited set that the driver holds; the first time it is known how many there are."""
        if self.given_shards is None:
            self.shards = self.given_shards = shards_for(expected_states(self.levels, self.bounds), self.shards)
        fps, shards = self._driver().visited(), self.shards
        for shard in range(shards):
            mine = fps[part_of(fps[:, 0], *range_of(shard, shards))]
            self.runs[shard] = self._as_run(shard, mine)
        self.driver = None

    # After a level.

    def _continue_with(self, deduplicated: list[Deduplicated]) -> None:
        """Commit the next level, and continue where it was found; what no longer counts is removed."""
        retired = [run for entered in deduplicated for run in entered.retired]
        if deduplicated[0].shard != DRIVER:
            self.runs = {entered.shard: entered.runs for entered in deduplicated}
            self.driver = None
        self._count_level(deduplicated)
        for run in retired:
            self.folder.remove(run.name)
        self.folder.remove_folder(folder_of(len(self.levels) - 1))

    def _count_level(self, deduplicated: list[Deduplicated]) -> None:
        """Commit the next level."""
        for entered in deduplicated:
            for code, count in entered.by_code.items():
                if code != NO_ACTION:
                    self.counted.new[self.compiled.action_of[code]] += count
        level = Level(
            files=[File(entered.name, entered.new, entered.digest) for entered in deduplicated if entered.name],
            runs=self.runs,
            states=sum(entered.new for entered in deduplicated),
            found=dict(self.found),
            taken=self.counted.taken.tolist(),
            able=self.counted.able.tolist(),
            new=self.counted.new.tolist(),
            size=sum(entered.bytes for entered in deduplicated),
            shards=self.given_shards or 0,
        )
        self.levels.append(level.states)
        self._count_visited()
        self.manifests.commit(level)
        self.committed.append(level)

    def _gather(self, report: Report) -> None:
        """Add the counts of a level, and note what was found first: in the least state."""
        self.counted.taken[:] += report.taken
        self.counted.able[:] += report.able
        self.sent += report.sent
        for name, (fp, code) in names_of(report, self.compiled, self.deadlock).items():
            if name not in self.found:
                depth = len(self.levels) + (1 if code >= 0 else 0)
                index = int.from_bytes(b"".join(word.to_bytes(8, "big") for word in fp), "big")
                self.found[name] = Found(depth, 0, index, code)

    def progress(self, deduplicated: Sequence[Deduplicated] = ()) -> SparkProgress:
        """The present progress; `deduplicated`: the level that has just ended, if one has."""
        watch, news = self.watch, [entered.new for entered in deduplicated]
        skew = max(news) * len(news) / max(1, sum(news)) if news else 1.0
        tasks = (watch.failed, watch.retried, watch.tasks_done, watch.tasks, self.worker_memory, watch.waiting)
        return SparkProgress(
            len(self.levels), self.states, self.levels[-1], 0, self.transitions, self.bounds.elapsed(), self.bytes, self.resumed,
            skew, self.sent + watch.shuffled, *tasks, watch.compiling(self.whole_levels))  # fmt: skip


def by_shard(files: Sequence[File], shards: int) -> list[list[File]]:
    """For each shard the files that can hold states of it: its own, and those of the driver."""
    found: dict[str, list[File]] = defaultdict(list)
    for file in files:
        found[shard_of(file.name)].append(file)
    return [[*found.get(str(shard), ()), *found.get("driver", ())] for shard in range(shards)]
