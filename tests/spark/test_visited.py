"""The visited set of a shard in files: what is merged, what is marked, and the memory that one array after the other uses."""

import resource

import numpy as np
import pytest
from highwater.explorer.runs import files
from highwater.explorer.runs.files import LocalFiles
from highwater.explorer.spark import batch
from highwater.explorer.spark.batch import END, Spare
from highwater.explorer.spark.folder import Folder
from highwater.explorer.spark.kernels import AT_ONCE, SIMILAR
from highwater.explorer.spark.visited import BLOCK, WINDOW, Ascending, FileRuns, mark_known, sorted_rows, write_run


def fingerprints(count, width, seed):
    dice = np.random.default_rng(seed)
    return sorted_rows(dice.integers(1, END, (count, width), np.uint64))


def edges_of(parts):
    return [(END * number // parts, END * (number + 1) // parts) for number in range(parts)]


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("parts", [1, 7])
def test_a_merged_run_holds_what_its_runs_held(tmp_path, width, parts):
    """Several blocks, in several slices, and what is fresh in several parts: the run is read as it was written."""
    folder, some = Folder(f"file:{tmp_path}"), [fingerprints(count * BLOCK + 5, width, count) for count in (5, 3, 2)]
    *old, new = some
    runs = [write_run(folder, f"old{number}.run", iter([fps]), width) for number, fps in enumerate(old)]
    visited = FileRuns(folder, runs, 0, END, Spare())
    fresh = (new[first : first + 10_000] for first in range(0, len(new), 10_000))
    run = write_run(folder, "merged.run", visited.merged(0, fresh, edges_of(parts)), width)
    visited.close()
    every, known = sorted_rows(np.concatenate(some)), np.zeros(10, np.bool_)
    merged = FileRuns(folder, [run], 0, END, Spare())
    assert run.rows == len(every) and (merged.open[0].between(0, END, np.empty_like(every).reshape(-1)) == every).all()
    picked = every[:: len(every) // 10][:10]
    merged.mark(picked, known)
    assert known.all()
    merged.mark(sorted_rows(picked + np.uint64(1)), known := np.zeros(10, np.bool_))
    assert not known.any()
    merged.close()


def test_only_the_later_runs_are_merged(tmp_path):
    folder = Folder(f"file:{tmp_path}")
    runs = [write_run(folder, f"{count}.run", iter([fingerprints(count, 1, count)]), 1) for count in (1000, 40, 10)]
    visited = FileRuns(folder, runs, 0, END, Spare())
    assert [visited.due(fresh) for fresh in (29, 30, 109, 110, 2949, 2950)] == [3, 2, 2, 1, 1, 0]
    (merged,) = visited.merged(1, [fingerprints(5, 1, 5)], [(0, END)])
    assert len(merged) == 55
    assert FileRuns(folder, runs[::-1], 0, END, Spare()).due(1) == 0, "a short run goes, though the one behind it does not"
    assert [len(part) for part in visited.merged(3, [fingerprints(5, 1, 5)], [(0, END)])] == [5]
    visited.close()


def test_sorted_parts_are_taken_from_the_beginning_on():
    numbers = np.arange(1, 101, dtype=np.uint64).reshape(-1, 1)
    ascending = Ascending([numbers[:30], numbers[30:31], numbers[31:]])
    taken = [[int(one) for part in ascending.below(high) for one in part[:, 0]] for high in (1, 20, 32, 32, END, END)]
    assert taken == [[], [*range(1, 20)], [*range(20, 32)], [], [*range(32, 101)], []]


def test_more_blocks_than_a_window_are_marked(tmp_path):
    folder, every = Folder(f"file:{tmp_path}"), fingerprints((WINDOW + 3) * BLOCK, 1, 1)
    visited = FileRuns(folder, [write_run(folder, "a.run", iter([every]), 1)], 0, END, Spare())
    visited.mark(every, known := np.zeros(len(every), np.bool_))
    visited.close()
    assert known.all()


@pytest.mark.parametrize("width", [1, 2])
def test_what_is_marked_is_what_is_in_both(width):
    """Lists that end within `AT_ONCE`, short and long ones, with the same first words in part; the longest ones are gone through
    in strides."""
    dice = np.random.default_rng(7)
    sizes = (0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 60, 5 * SIMILAR)
    for rows in sizes:
        for count in sizes[1:]:
            every = np.unique(dice.integers(1, 2 * (rows + count), (2 * (rows + count), width), np.uint64), axis=0)
            run, fps = (every[np.sort(dice.permutation(len(every))[:size])] for size in (rows, count))
            mark_known(run, fps, known := np.zeros(len(fps), np.bool_))
            inside = set(map(tuple, run.tolist()))
            assert known.tolist() == [tuple(number) in inside for number in fps.tolist()], (rows, count)


def test_memory_is_used_again_until_more_is_needed():
    spare = Spare()
    one, other = spare.words("one", 1000), spare.words("other", 1000)
    one[:], other[:] = 1, 2
    again = spare.words("one", batch.GROWTH * 1000)
    assert np.shares_memory(one, again) and (again[:1000] == 1).all() and not np.shares_memory(one, other)
    assert len(spare.words("one", batch.GROWTH * 1000 + 1)) == batch.GROWTH * 1000 + 1


@pytest.mark.parametrize(("limit", "reserved"), [(resource.RLIM_INFINITY, batch.GROWTH * 1000), (1 << 31, 1000)])
def test_no_addresses_are_reserved_where_they_are_limited(monkeypatch, limit, reserved):
    asked = []
    monkeypatch.setattr(batch, "words", lambda count: asked.append(count) or np.zeros(count, np.uint64))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limit, limit) if kind == resource.RLIMIT_AS else None)
    assert len(Spare().words("one", 1000)) == 1000 and asked == [reserved]


@pytest.mark.parametrize(("size", "cached", "is_forgotten"), [(1000, False, True), (999, False, False), (1000, True, False)])
def test_large_files_that_are_not_read_soon_leave_memory(tmp_path, monkeypatch, size, cached, is_forgotten):
    forgotten = []
    monkeypatch.setattr(files, "LARGE", 1000)
    monkeypatch.setattr(files, "forget", forgotten.append)
    LocalFiles(tmp_path).create("a/b", lambda file: file.write(bytes(size)), cached)
    assert forgotten == [tmp_path / "a/b"] * is_forgotten
    monkeypatch.undo()
    files.forget(tmp_path / "a/b")
    assert (tmp_path / "a/b").read_bytes() == bytes(size)
