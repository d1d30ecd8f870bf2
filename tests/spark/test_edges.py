"""What goes wrong around a run on Spark: the sentence that is said, and what is left of the user's session."""

import errno
import math
import os
import socket
import tempfile
from dataclasses import replace
from types import SimpleNamespace

import pytest
from highwater.explorer import sources
from highwater.explorer.budget import Bounds
from highwater.explorer.growth import expected_states
from highwater.explorer.output.progress_line import line
from highwater.explorer.runs.files import LocalFiles
from highwater.explorer.runs.manifests import Manifests
from highwater.explorer.search import outcome_of
from highwater.explorer.spark import session as sessions
from highwater.explorer.spark import shards as shards_module
from highwater.explorer.spark.failures import explained
from highwater.explorer.spark.leftovers import remove_leftovers, temporary
from highwater.explorer.spark.session import begin_session, session
from highwater.explorer.spark.settings import narrow_for
from highwater.explorer.spark.shards import shards_for
from highwater.explorer.spark.watch import OF_A_GROUP, JobWatch, SparkProgress, lacks_executors
from highwater.model.language import UsageError
from support.elsewhere import python
from support.on_spark import on_spark, request


class Gone:
    """A session whose Java has died."""

    def stop(self):
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")


def test_what_went_wrong_is_not_covered_by_a_session_that_cannot_be_stopped(monkeypatch):
    monkeypatch.setattr(sessions, "running_session", lambda: None)
    monkeypatch.setattr(sessions, "begin_session", lambda *_: Gone())
    with pytest.raises(UsageError, match="the clear sentence"), session("local[1]"):
        raise UsageError("the clear sentence")
    with session("local[1]"):
        pass


def test_a_master_that_takes_connections_and_never_registers(monkeypatch):
    """Spark itself needs 100 seconds to give up; what it then says is put in its place."""
    pyspark = pytest.importorskip("pyspark.sql")

    class Builder:
        def __getattr__(self, _):
            return lambda *_, **__: self

        def getOrCreate(self):
            raise RuntimeError("Cannot call methods on a stopped SparkContext.")

    monkeypatch.setattr(pyspark.SparkSession, "builder", Builder())
    with socket.create_server(("127.0.0.1", 0)) as server:
        master = f"spark://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(UsageError, match=f"{master} takes connections, but does not register this application"):
            begin_session(master, False, {})


class Place:
    """Stands for the manifests of a run."""

    def unwritable(self, error):
        return UsageError(f"the run directory cannot be written: {error.strerror}")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("java.io.IOException: {full}\n at org.apache.spark.storage.DiskBlockObjectWriter.write", "SPARK_LOCAL_DIRS"),
        ("java.io.FileNotFoundException: /tmp/blockmgr-1/0c/temp ({full})", "SPARK_LOCAL_DIRS"),
        ("OSError: [Errno 28] {full}", "the run directory cannot be written: {full}"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version", "PYSPARK_PYTHON"),
        ("ModuleNotFoundError: No module named 'numba'", "PYSPARK_PYTHON"),
        ("ExecutorLostFailure (executor 1 exited)", "continue with --resume"),
        ("An error occurred while calling o51.getLocalProperty", "continue with --resume"),
        ("SparkException: Python daemon failed to launch worker.", "continue with --resume"),
        ("Lost task 0.7: java.net.SocketException: Connection reset", "continue with --resume"),
        ("Bad data in daemon's standard output. Invalid port number/socket path: 0", "continue with --resume"),
        ("Error from python worker:\nModuleNotFoundError: No module named 'numba'\nEOFException", "PYSPARK"),
        (
            "Job aborted due to stage failure: Total size of serialized results of 2 tasks (1100.0 B) is bigger than"
            " spark.driver.maxResultSize (1024.0 B)",
            "exceed spark.driver.maxResultSize (1024.0 B); raise it",
        ),
        ("numpy._core._exceptions._ArrayMemoryError: Unable to allocate 1.00 GiB", "spark.executor.pyspark.memory to cores"),
        ("ImportError: libarrow.so: failed to map segment from shared object", "spark.executor.pyspark.memory to cores"),
    ],
)
def test_who_is_to_blame(what, said):
    full = os.strerror(errno.ENOSPC)
    with pytest.raises(UsageError) as error, explained(Place(), True):
        raise RuntimeError(what.format(full=full))
    assert said.format(full=full) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("states", "cores", "shards"), [(10**6, 2, 2), (10**9, 2, 50), (10**9, 400, 400), (10**9 + 1, 2, 51), (10**15, 2, 100_000)]
)
def test_the_number_of_shards_follows_from_the_states(states, cores, shards):
    """In `docs/spark.md`: one for 20 million states, and at least one for each core."""
    assert shards_for(states, cores) == shards


def test_the_states_of_a_run_are_estimated_from_its_first_levels():
    """A bell: the logarithm of the ratio falls by 0.1 from level to level, and the estimate is right."""
    bell = [round(1000 * math.exp(0.9 * at - 0.05 * at**2)) for at in range(25)]
    for seen in (4, 8, 12):
        assert 0.9 < expected_states(bell[:seen], Bounds()) / sum(bell) < 1.1


@pytest.mark.parametrize("levels", [[1], [1, 5], [7, 7, 7, 7], [1, 10, 100, 1000], [1, 2, 8, 64, 1024], [9, 3, 1]])
def test_an_estimate_ends_whatever_the_levels(levels):
    assert sum(levels) <= expected_states(levels, Bounds()) <= 10**15
    assert expected_states(levels, Bounds(states=sum(levels) + 1)) <= sum(levels) + 1
    deeper = expected_states(levels, Bounds(depth=len(levels) + 1))
    assert sum(levels) <= deeper <= sum(levels) + levels[-1] * 64, "one level more at the most"


@pytest.mark.parametrize(
    ("master", "cores", "states"),
    [("local[1]", 1, 10**7), ("local[2]", 2, 10**7), ("local[16]", 16, 200_000), ("local-cluster[2,1,1024]", 2, 200_000)],
)
def test_the_driver_has_more_to_do_where_the_executors_are_its_own_few_cores(master, cores, states):
    assert narrow_for(SimpleNamespace(master=master, defaultParallelism=cores), 10**7) == states


def test_the_shards_are_estimated_when_the_first_job_begins_and_kept(spark, tmp_path, monkeypatch):
    """The run is resumed with as many; whoever names another number is refused."""
    monkeypatch.setattr(shards_module, "STATES", 500)
    how = {"path": tmp_path / "run", "narrow": 100}
    first = on_spark(spark, request(bounds=Bounds(depth=9)), shards=None, **how)
    store = Manifests(LocalFiles(tmp_path / "run"), "run")
    levels = store.read_levels()
    assert store.identity()["shards"] == "estimated"
    before = [level for level in levels if not level.runs]
    shards = {level.shards for level in levels[len(before) :]}
    states = expected_states([level.states for level in before], Bounds(depth=9))
    assert {level.shards for level in before} == {0} and shards == {shards_for(states, 2)} and min(shards) > 2
    whole = on_spark(spark, request(), shards=None, resume=True, **how)
    assert whole.complete and len(whole.levels) > len(first.levels)
    assert {level.shards for level in store.read_levels()} == shards | {0}
    with pytest.raises(UsageError, match=r"its shards \(estimated there, 5 here\)"):
        on_spark(spark, request(), shards=5, resume=True, **how)


def test_visited_sets_that_are_made_again_decide_the_shards(spark, tmp_path):
    """A run that was in the driver only, continued from an earlier level with more states than the driver may hold."""
    how = {"path": tmp_path / "run", "shards": None}
    on_spark(spark, request(bounds=Bounds(depth=9)), narrow=10**9, **how)
    whole = on_spark(spark, request(), narrow=0, resume=True, resume_from=7, driver_states=1, **how)
    levels = Manifests(LocalFiles(tmp_path / "run"), "run").read_levels()
    assert whole.complete and {level.shards for level in levels[:7]} == {0} and {level.shards for level in levels[7:]} == {2}


def test_the_session_of_a_user_stays_as_it_was(spark, tmp_path):
    context = spark.sparkContext
    context.setJobGroup("mine", "what I do", True)
    hadoop = context._jsc.hadoopConfiguration()

    def entries():
        found = hadoop.iterator()
        while found.hasNext():
            yield str(found.next())

    def settings():
        properties = {name: context.getLocalProperty(name) for name in OF_A_GROUP}
        conf = sorted(context.getConf().getAll())
        return properties, conf, sorted(entries())

    try:
        before = settings()
        on_spark(spark, request(), narrow=0, path=tmp_path / "run")
        assert settings() == before and before[0]["spark.jobGroup.id"] == "mine"
    finally:
        for name in OF_A_GROUP:
            context.setLocalProperty(name, None)


class Cluster:
    """A context at a master, with so many entries in its list of executors; the driver is one."""

    def __init__(self, master, listed):
        self.master, self.listed = master, listed
        self._jsc = self

    def sc(self):
        return self

    getExecutorMemoryStatus = sc  # noqa: N815 - as Spark calls it

    def size(self):
        return self.listed


def test_a_master_without_workers_is_said():
    asked = [("local[2]", 1), ("local-cluster[1,1,1024]", 1), ("spark://host:7077", 1), ("spark://host:7077", 2), ("yarn", 1)]
    assert [lacks_executors(Cluster(*one)) for one in asked] == [False, True, True, False, True]
    now = SparkProgress(3, 10, 5, 0, 20, 1.0, 0)
    assert "no executor" not in line(now) and "the master has given no executor yet" in line(replace(now, waiting=True))


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"])
def test_no_password_is_sent_to_executors(monkeypatch, name):
    monkeypatch.setenv(name, "http://user:secret@127.0.0.1:9000")
    with pytest.raises(UsageError, match=f"{name} has a user's name or password") as error:
        sessions.executor_environment()
    assert "secret" not in str(error.value)


def test_folders_of_processes_that_were_killed_are_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = "import os, tempfile, sys; tempfile.tempdir = sys.argv[1]\n"
    program += "from highwater.explorer.spark.leftovers import temporary\nwith temporary('run') as path: os._exit(9)"
    assert python(tmp_path, "-c", program, tmp_path)[0] == 9
    (killed,) = tmp_path.glob("highwater-run-*")
    (tmp_path / "highwater-of-another").mkdir()
    with temporary("run") as path:
        assert path.is_dir() and not killed.exists()
        remove_leftovers()
        assert path.is_dir()
    assert [one.name for one in tmp_path.iterdir()] == ["highwater-of-another"]


class Slow:
    """Stands for Spark: the tasks of a job that failed end later."""

    def __init__(self, looks):
        self.looks, self.cancelled = looks, []

    def active(self):
        self.looks -= 1
        return max(0, self.looks)


def test_a_run_that_failed_waits_for_its_tasks(monkeypatch):
    """They may still write while another run has the directory."""
    slow, watch = Slow(4), JobWatch(None, "some")
    monkeypatch.setattr(watch, "cancel", lambda: slow.cancelled.append(True))
    monkeypatch.setattr(watch, "_active", slow.active)
    with pytest.raises(UsageError, match="refused"), watch.awaited():
        raise UsageError("refused")
    assert slow.cancelled and slow.looks <= 0


def test_executors_with_another_highwater_are_told_of(spark, monkeypatch):
    """As after a rebase under a driver that runs: what it counts and what they count would be mixed."""
    monkeypatch.setattr("highwater.explorer.spark.explore.digest_of_what_runs", lambda: "another")
    with pytest.raises(UsageError, match="an executor cannot take part: its highwater is not the one of the driver"):
        on_spark(spark, request(), narrow=0)


def test_executors_with_another_plugin_are_told_of(spark, monkeypatch):
    """Only the driver's model has this version."""
    monkeypatch.setattr("highwater.explorer.spark.explore.programs_of", lambda *_: "another")
    asked = request("published", "kip-320")
    asked.model = replace(asked.model, plugins=("support.toys_of_progress",))
    with pytest.raises(UsageError, match=r"an executor cannot take part: its \w+\.\w+ is not what the driver has"):
        on_spark(spark, asked, narrow=0)


def test_sources_that_changed_under_the_driver_are_refused(monkeypatch):
    before = sources.digest_of_what_runs()
    assert before == sources.digest_of_sources.__wrapped__() and len(before) == 16
    monkeypatch.setattr("highwater.model.language.unchanged.BEGUN", 0.0)
    with pytest.raises(UsageError, match=r"\.py was changed since highwater began, and is not what runs; begin again"):
        sources.digest_of_what_runs()


def test_jobs_say_which_level_of_which_revision_they_explore(spark, monkeypatch):
    names, group = [], type(spark.sparkContext).setJobGroup
    monkeypatch.setattr(
        type(spark.sparkContext), "setJobGroup",
        lambda context, id_, about, interrupt: names.append(about) or group(context, id_, about, interrupt),
    )  # fmt: skip
    outcome = on_spark(spark, request())
    first, last = names[0].split(), names[-1].split()
    assert first[:2] == last[:2] == ["kip-279", "level"] and first[-1] == "states"
    assert int(first[2].rstrip(":")) < int(last[2].rstrip(":")) and int(last[3].replace(",", "")) <= sum(outcome.levels)


def test_a_verdict_survives_the_end_of_java(spark, monkeypatch):
    """Java that dies after the last job takes nothing with it: every state is known."""

    def gone(_):
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

    def ended(*how):
        monkeypatch.setattr(type(spark.sparkContext), "defaultParallelism", property(gone))
        return outcome_of(*how)

    monkeypatch.setattr("highwater.explorer.spark.explore.outcome_of", ended)
    found = on_spark(spark, request())
    assert found.complete and found.threads == 2
