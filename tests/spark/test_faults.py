"""Tasks that fail, executors and drivers that are killed, doubles of tasks, full disks: the counts stay the same."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from faults.local import resized, small_disk
from faults.spark import FATAL, SORTS, kills
from highwater.explorer.spark import search
from highwater.explorer.spark.tasks import run_level
from highwater.model.language import UsageError
from support import faults
from support.on_spark import alike, on_spark, request


def files_of(path):
    """(named in manifests, on disk): the Parquet files of a run."""
    manifests = [json.loads(file.read_text()) for file in sorted((path / "manifest").glob("*.json"))[1:]]
    named = {name for manifest in manifests for name, *_ in manifest["files"]}
    return named, {str(file.relative_to(path)) for file in path.rglob("*.parquet")}


@pytest.mark.parametrize(("moment", "shard", "leaves"), [("begun", 1, False), ("begun", 2, True), ("expanded", 1, True)])
def test_tasks_that_fail_are_run_again(spark, tmp_path, whole, moment, shard, leaves):
    """Three shards on two cores: the second task takes two, and fails before, between or after them."""
    (tmp_path / "marks").mkdir()
    probe = faults.Fails(tmp_path / "marks", moment, range(8, 14), shard=shard)
    assert alike(on_spark(spark, request(), path=tmp_path / "run", probe=probe)) == whole
    assert faults.struck(tmp_path / "marks") >= 3
    named, there = files_of(tmp_path / "run")
    assert named <= there
    assert (len(there) > len(named)) == leaves, "who fails after writing leaves files that do not count"


def test_a_full_disk_ends_in_one_sentence_and_the_run_goes_on_later(spark, tmp_path, whole):
    (tmp_path / "marks").mkdir()

    class Always(faults.FillsDisk):
        def first(self, level):
            super().first(level)
            return True

    probe = Always(tmp_path / "marks", "expanded", [12])
    with pytest.raises(UsageError, match=r"cannot be written: No space left on device; free some space"):
        on_spark(spark, request(), path=tmp_path / "run", probe=probe)
    assert len(list((tmp_path / "run" / "manifest").glob("*.json"))) == 12, "levels 1 to 11 are committed"
    assert alike(on_spark(spark, request(), path=tmp_path / "run", resume=True)) == whole


def test_a_task_that_always_dies_ends_in_one_sentence_and_the_run_goes_on_later(spark, tmp_path, whole):
    probe = faults.Dies(tmp_path, "expanded", [11])
    with pytest.raises(UsageError, match=r"Spark gave up on the run: .* is kept, continue with --resume$"):
        on_spark(spark, request(), path=tmp_path / "run", probe=probe)
    assert alike(on_spark(spark, request(), path=tmp_path / "run", resume=True)) == whole


def test_a_disk_that_fills_up(spark, tmp_path, whole):
    """A tmpfs of 300 KB; in its place, where nothing can be mounted, a file-size limit could not reach the workers: then
    the manifests' writer is the one that meets a folder it may not write."""
    with small_disk(tmp_path / "disk") as mounted:
        place = tmp_path / "disk" / "run"
        if mounted:
            resized(tmp_path / "disk", 300 << 10)
        else:
            (tmp_path / "disk" / "run").write_text("a file where the folder should be")
        with pytest.raises(UsageError, match=r"cannot be (written|used|read): "):
            on_spark(spark, request(), path=place)
        if mounted:
            assert (place / "manifest" / "0001.json").exists()
            resized(tmp_path / "disk", 100 << 20)
            assert alike(on_spark(spark, request(), path=place, resume=True)) == whole


def test_every_task_has_a_double(spark, tmp_path, whole, monkeypatch):
    """Spark starts no double on the machine of the original, so here each level's job runs twice at the same time."""

    def twice(*level):
        with ThreadPoolExecutor(2) as pool:
            one, other = (pool.submit(run_level, *level) for _ in range(2))
            one.result()
            return other.result()

    monkeypatch.setattr(search, "run_level", twice)
    assert alike(on_spark(spark, request(), path=tmp_path / "run", narrow=0)) == whole
    named, there = files_of(tmp_path / "run")
    wide = [name for name in named if "/shard=driver/" not in name]
    assert named < there and len(there - named) == len(wide) > 0


@pytest.mark.long
def test_driver_and_workers_killed_at_random_moments(tmp_path):
    """As `python -m tests.faults --engine spark --kills 60`: what was killed goes on, or is resumed, to the same counts."""
    seen, wrong = kills(tmp_path, "suite", 60)
    assert wrong == [] and seen["runs counts"] >= 2, seen
    assert sum(seen[sort] for sort in (*SORTS, *FATAL)) >= 60
