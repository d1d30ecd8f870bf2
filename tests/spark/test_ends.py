"""How a search on Spark ends, or does not begin: what needs no Spark."""

from functools import partial
from types import SimpleNamespace

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.runs.files import LocalFiles
from highwater.explorer.runs.manifests import Damaged, File, Manifests
from highwater.explorer.search import Search
from highwater.explorer.spark.backward import Backward, validate_decidable
from highwater.explorer.spark.failures import explained
from highwater.explorer.spark.search import by_shard
from highwater.explorer.spark.shards import MAX_SHARDS
from highwater.model.language import UsageError
from highwater.properties.property import quantified, recoverable


@pytest.mark.parametrize(
    ("left", "bound", "interrupted", "done", "stopped", "jobs"),
    [
        (False, "a bound", False, True, "", 0),
        (True, "a bound", False, False, "a bound", 0),
        (True, "", True, False, "an interruption", 0),
        (True, "", False, True, "", 1),
    ],
)
def test_backwards_it_ends_before_the_job_after_a_bound(left, bound, interrupted, done, stopped, jobs):
    """A bound that is reached when nothing is left is none; an interruption while bounds are looked at is kept."""

    class Looked(SimpleNamespace):
        def _back(self):
            self.jobs += 1
            self.now.reached = {}

        def reached(self, states):
            if interrupted:
                Search.interrupt(self.search)
            return bound

    search = SimpleNamespace(stopped="", levels=[1, 1])
    search.stop_at = partial(Search.stop_at, search)
    one = Looked(search=search, now=SimpleNamespace(levels=2, reached={0: ["a file"]} if left else {}), jobs=0)
    search.bounds = one
    assert (Backward.run(one), search.stopped, one.jobs) == (done, stopped, jobs)


def test_a_path_that_an_executor_has_lost_is_damage(tmp_path):
    (tmp_path / "manifest").mkdir()
    (tmp_path / "manifest" / "0000.json").write_text("{}")
    run = Manifests(LocalFiles(tmp_path), "run")
    with pytest.raises(Damaged, match=r"the path to a state is lost: run/manifest/0000\.json was damaged"), explained(run, True):
        raise RuntimeError("PythonException: highwater.explorer.compiling.path.LostPath: a state's parent is in no level")


@pytest.mark.parametrize("name", ["visited/shard=0/one.run", "level=6/shard=0/one.parquet"])
def test_a_file_that_no_manifest_names_drops_no_level(tmp_path, name):
    """It is made again. Of one that a task of the level itself had read wrongly, a level before it was to be dropped."""
    asked = ["check", "--model", "strategies", "--revision", "majority", "--brokers", "1", "--quiet"]
    assert main([*asked, "--run-dir", str(tmp_path / "run")]) in (0, 12)
    run = Manifests(LocalFiles(tmp_path / "run"), "run")
    with pytest.raises(Damaged) as error, explained(run, True):
        raise RuntimeError(f"highwater.explorer.runs.manifests.Unsound: {name}: the digest of block 0 differs")
    assert "not committed yet" in str(error.value) and "--resume-from" not in str(error.value)
    assert str(error.value).endswith("what is committed is kept, continue with --resume")


def test_files_are_grouped_by_shard_once():
    """For a shard at a time it would take hours with as many shards as a run may have."""
    of_shards = [File(f"level=9/shard={shard}/x.parquet", 1, "") for shard in reversed(range(MAX_SHARDS))]
    of_driver = File("level=9/shard=driver/x.parquet", 1, "")
    found = by_shard([*of_shards, of_driver], MAX_SHARDS)
    assert found[1] == [of_shards[-2], of_driver] and [len(some) for some in found] == [2] * MAX_SHARDS
    assert by_shard([of_shards[-1]], 2) == [[of_shards[-1]], []]


def stays_near(s, thing):
    """There are many things."""
    return True


def test_more_goals_than_a_word_has_bits_are_refused():
    [one] = quantified([recoverable(stays_near, "only")], {"thing": "things"})
    validate_decidable([one], SimpleNamespace(things=64))
    with pytest.raises(UsageError, match="stays_near is about 65 goals here, more than 64; choose smaller sizes"):
        validate_decidable([one], SimpleNamespace(things=65))
