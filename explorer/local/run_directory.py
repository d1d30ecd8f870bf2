"""A run on disk: what an interrupted search needs to continue, and end with the same counts.

After each level its states are written, key and meta word, in the order of the shards; then its manifest, which names the
file (`runs`). A search that resumes reads the levels back, which rebuilds the tables, and continues from the last one, or from
an earlier one that is given. A trace is read from the same files: the search keeps no meta words in memory but those of the
newest level. Every file is compared with its digest, and every finding is proved again.
"""

import time
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling.meta_words import MAX_SHARDS, ROOT, action_code, parent_index, parent_shard
from ..files import probe
from ..request import Request
from ..runs.files import LocalFiles, checksum, folder_here
from ..runs.identity import identity_of, prove_again, validate_same_run
from ..runs.lock import locked
from ..runs.manifests import File, Level, Manifests
from ..runs.reading import patiently
from ..search import SearchStatus
from .breadth_first import BreadthFirst

FORMAT = 2


def validate_place(path: str, request: Request) -> None:
    """UsageError where no run can be begun, or none resumed, as another's cannot: asked before anything is compiled."""
    folder = folder_here(path)
    probe(str(folder), is_folder=True)
    manifests = Manifests(LocalFiles(folder), path)
    manifests.validate_resume(request.resume)
    if request.resume:
        mine = {"engine": "local", **identity_of(request, request.revision, request.applicable, request.deadlock)}
        validate_same_run(path, manifests.identity(), mine)


@contextmanager
def open_run(
    path: str,
    search: BreadthFirst,
    revision: str,
    resume: bool,
    resume_from: int | None = None,
    report: Callable[[SearchStatus], None] | None = None,
) -> Iterator["RunDirectory"]:
    """The run directory at `path`, for this search alone, which is seeded or restored. UsageError when that cannot be.

    `report` is called after each level that is read back.
    """
    directory = RunDirectory(path, search, revision, report)
    with ExitStack() as stack:
        try:
            directory.path.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(directory.path, path))
        except OSError as error:
            raise directory.manifests.unwritable(error) from None
        directory.begin(resume, resume_from)
        yield directory


class RunDirectory:
    """The directory at `path` for one search."""

    def __init__(
        self, path: str, search: BreadthFirst, revision: str, report: Callable[[SearchStatus], None] | None = None
    ) -> None:
        self.path, self.revision, self.report = folder_here(path), revision, report
        self.search: BreadthFirst = weakref.proxy(search)  # it refers to this directory: a cycle would keep its memory
        self.files = LocalFiles(self.path)
        self.manifests = Manifests(self.files, path)
        self.names: list[str] = []
        self.expanded: File | None = None

    def begin(self, resume: bool, resume_from: int | None) -> None:
        """Begin a run in the directory, or resume the one that is there."""
        search = self.search
        about = identity_of(search.compiled, self.revision, search.properties, search.deadlock)
        identity = {"engine": "local", "format": FORMAT, **about, "exact": search.exact, "shards": len(search.shards)}
        levels = self.manifests.begin(identity, resume, {}, resume_from)
        search.leave_predecessors_to(self.meta_of)
        if levels:
            self._restore(levels)
            self.manifests.prune()
        else:
            search.seed()
            self.commit()

    def commit(self) -> None:
        """Write the newest level, then the manifest that counts it."""
        self.validate_unchanged()
        search = self.search
        name = f"level-{self.manifests.levels + 1:04d}.states"
        keys = [shard.frontier() for shard in search.shards]
        metas = [shard.metas() for shard in search.shards]

        def write(file: Any) -> None:
            for part in (*keys, *metas):
                file.write(part)

        try:
            written = self.files.create(name, write)
        except OSError as error:
            raise self.manifests.unwritable(error) from None
        self.names.append(name)
        file = File(name, search.levels[-1], written.digest)
        self._leave_on_disk(file)
        counts = (count.tolist() for count in search.counts())
        self.manifests.commit(Level([file], search.levels[-1], written.bytes, dict(search.found), *counts))

    def validate_unchanged(self) -> None:
        """Damaged when the file that the last level was expanded from is not what was written: nothing may rest on it."""
        file = self.expanded
        if file is not None:
            try:
                if checksum(self.files.chunks(file.name)) != file.digest:
                    raise ValueError("it was changed while the run went on")
            except (OSError, ValueError) as error:
                raise self.manifests.misread(file.name, len(self.names) - 1, error) from None

    def _leave_on_disk(self, file: File) -> None:
        """The keys of the newest level are read from its file when they are expanded, and take no memory until then."""
        search = self.search
        if search.exact:
            return  # exact mode compares with the keys of all levels
        shape = (search.levels[-1], search.compiled.key_words)
        keys = np.memmap(self.path / file.name, np.uint64, "c", shape=shape).view(np.ndarray)
        self.expanded = file
        ends = np.cumsum([shard.fresh for shard in search.shards])
        for shard, part in zip(search.shards, np.split(keys, ends[:-1]), strict=True):
            shard.leave_on_disk(part)

    def meta_of(self, shard: int, index: int) -> int:
        """The meta word of a state, from the file of its level, where it follows the keys of the level and the shards before."""
        firsts = self.search.firsts
        number = bisect_right(firsts[shard], index)
        sizes = [first[number] - first[number - 1] for first in firsts]
        place = sum(sizes) * self.search.compiled.key_words + sum(sizes[:shard]) + index - firsts[shard][number - 1]
        try:
            meta = patiently(lambda: np.fromfile(self.path / self.names[number - 1], np.uint64, 1, offset=place * 8))[0]
            if number > 1:
                parents = firsts[int(parent_shard(meta))]
                if not parents[number - 2] <= int(parent_index(meta)) < parents[number - 1]:
                    raise ValueError("a state's parent is not in the level before")
        except (OSError, IndexError, ValueError) as error:
            raise self.manifests.misread(self.names[number - 1], number - 1, error) from None
        return int(meta)

    def _restore(self, levels: list[Level]) -> None:
        """Rebuild the search from its levels."""
        search, damaged, begun = self.search, self.manifests.damaged, time.perf_counter()
        search.levels = []
        for number, level in enumerate(levels, 1):
            if len(level.files) != 1:
                raise damaged(f"manifest/{number:04d}.json", number - 1, "it does not name one file")
            self.names.append(level.files[0].name)
            keys, metas = self._states(level.files[0], number)
            search.add_level(keys, metas, is_back=True)
            if number == 1:
                search.note_roots()
            if search.levels[-1] != level.states:
                raise damaged(level.files[0].name, number - 1, f"{search.levels[-1]:,} of its {level.states:,} states are new")
            search.resumed = search.states
            if self.report is not None:
                self.report(search.progress(time.perf_counter() - begun))
        self._leave_on_disk(levels[-1].files[0])
        last, number = levels[-1], len(levels)
        actions = len(search.compiled.model.actions)
        counts = [shard.count for shard in search.shards]
        known = all(0 <= p.shard < len(counts) and 0 <= p.index < counts[p.shard] for p in last.found.values())
        if not known or {len(last.taken), len(last.able), len(last.new)} != {actions}:
            raise damaged(f"manifest/{number:04d}.json", number - 1, "it is about other states or actions")
        search.found = dict(last.found)
        prove_again(search, self.revision, search.properties, f"{self.path}/manifest/{number:04d}.json")
        worker = search.workers[0]
        worker.checks.taken[:], worker.checks.able[:], worker.found[:] = last.taken, last.able, last.new

    def _states(self, file: File, number: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The keys and meta words of a level, which fit the search as far as it is rebuilt."""
        search, compiled = self.search, self.search.compiled
        try:
            keys, metas = states_in(self.path, file, compiled.key_words)
        except (OSError, ValueError) as error:
            raise self.manifests.misread(file.name, number - 1, error) from None
        if number == 1:
            fits = metas == ROOT
        else:
            counts = np.zeros(MAX_SHARDS, np.uint64)
            counts[: len(search.shards)] = [shard.count for shard in search.shards]
            parents = counts[parent_shard(metas).astype(np.int64)]
            fits = (parent_index(metas) < parents) & (action_code(metas) < np.uint64(compiled.codes))
        if not fits.all():
            raise self.manifests.damaged(file.name, number - 1, "a state's parent is not in the levels before")
        return keys, metas


def states_in(path: Path, file: File, key_words: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The keys and meta words in a file of a level: ValueError when they are not what was written."""
    words = patiently(lambda: np.fromfile(path / file.name, np.uint64))
    if words.nbytes != (path / file.name).stat().st_size or checksum([words]) != file.digest:
        raise ValueError("its digest differs")
    if len(words) != file.rows * (key_words + 1):
        raise ValueError("its number of states differs")
    keys, metas = np.split(words, [file.rows * key_words])
    return keys.reshape(-1, key_words), metas


def levels_of(path: str) -> tuple[dict[str, Any], list[Level]]:
    """The identity of the run at a path, and its levels; UsageError when there is none."""
    manifests = Manifests(LocalFiles(folder_here(path)), path)
    manifests.require_run()
    return manifests.identity(), manifests.read_levels()
