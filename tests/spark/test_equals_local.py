"""Whatever the shards, the bits and the memory: what Spark finds is what the local explorer finds."""

import json
from dataclasses import replace
from functools import cache

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.spark import search, tasks
from highwater.explorer.spark import shards as shards_module
from highwater.explorer.spark.search import FEW_SHARDS
from highwater.explorer.spark.tasks import run_level
from highwater.explorer.verdict import VIOLATED
from highwater.properties.catalogue import default_properties
from highwater.properties.registry import MODELS
from support.cases import KRAFT_FAULTS
from support.clusters import CLUSTER, finished, program
from support.on_spark import alike, on_spark, request
from support.spark_cases import ALL, FEW, asked, narrow


@cache
def locally(model, revision, symmetry):
    """What the local explorer says."""
    return alike(check(asked(model, revision, symmetry)))


def the_rest():
    """What is not in the shortest list."""
    return [pytest.param(*case, marks=pytest.mark.long) for case in ALL if case not in FEW]


@pytest.mark.parametrize(("model", "revision", "symmetry", "shards"), [*FEW, *the_rest()])
def test_both_models(spark, model, revision, symmetry, shards):
    found = on_spark(spark, asked(model, revision, symmetry), shards, narrow=narrow(model, symmetry))
    assert alike(found) == locally(model, revision, symmetry)


@pytest.mark.parametrize("cases", [pytest.param("few", marks=pytest.mark.long), pytest.param("all", marks=pytest.mark.long)])
def test_executors_that_are_processes(tmp_path, cases):
    """Undisturbed; and then, in the same session, with an executor killed twice in mid-level."""
    found = finished(program(CLUSTER, tmp_path, cases, "killed"))
    for case, one in zip({"few": FEW, "all": ALL}[cases], found[cases], strict=True):
        assert one == json.loads(json.dumps(locally(*case[:3]))), case
    assert found["killed"] == {"found": json.loads(json.dumps(alike(check(request())))), "struck": 2}


@pytest.mark.parametrize("revision", MODELS["published-kraft"].revisions)
def test_the_published_kraft_specifications(spark, revision):
    """5,531 states, which TLC finds too (tests/published/kraft.json)."""
    wanted = request("published-kraft", revision, {"brokers": 3, "min_isr": 2, "in_sync": 2})
    found = on_spark(spark, wanted, narrow=300)
    assert sum(found.levels) == 5531 and alike(found) == alike(check(wanted))


@pytest.mark.parametrize("case", [pytest.param(0, marks=pytest.mark.long), 1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("symmetry", [pytest.param(False, marks=pytest.mark.long), True], ids=["", "symmetry"])
def test_what_an_operator_changes_under_kraft(spark, case, symmetry):
    wanted = request("kraft", "4.4", KRAFT_FAULTS[case], symmetry=symmetry)
    assert alike(on_spark(spark, wanted, narrow=20)) == alike(check(wanted))


def test_the_short_list():
    """Each revision, half of them under symmetry, and each number of shards."""
    assert {case[3] for case in FEW} == {case[3] for case in ALL}
    assert {case[:2] for case in FEW} == {case[:2] for case in ALL} and {case[2] for case in FEW} == {False, True}


@pytest.mark.parametrize("narrow", [0, 10**9], ids=["on Spark", "in the driver"])
def test_every_level_in_one_place(spark, narrow):
    found = on_spark(spark, asked("published", "kip-279"), 2, narrow=narrow)
    assert alike(found) == locally("published", "kip-279", False)


def test_which_parent_is_the_first_depends_neither_on_memory_nor_on_where_a_run_was_resumed(spark, tmp_path, monkeypatch):
    """States are sorted within blocks before they are expanded; slices hold whole blocks, and so do files."""
    monkeypatch.setattr(shards_module, "BLOCK", 16)
    asks = request("kafka", "kip-279", {"brokers": 2}, properties=list(default_properties(MODELS["kafka"])), generic=False)
    on_spark(spark, replace(asks, bounds=Bounds(depth=12)), narrow=0, path=tmp_path / "run")
    runs = [
        on_spark(spark, asks, narrow=0),
        on_spark(spark, asks, narrow=0, budget=1 << 15),
        on_spark(spark, asks, narrow=0, path=tmp_path / "run", resume=True),
    ]
    first, *others = [([(action.name, action.new_states) for action in run.actions], alike(run)) for run in runs]
    assert others == [first, first] and first[1] == alike(check(asks))


def test_fingerprints_of_128_bits(spark):
    found = on_spark(spark, asked("published", "high-watermark"), 3, bits=128)
    assert alike(found) == locally("published", "high-watermark", False)
    assert found.collision_probability < 1e-25


def test_the_memory_of_a_task_is_less_than_its_visited_set(spark):
    """A budget of some kilobytes: arrivals wait in files, shards are worked through in slices, blocks are read."""
    budget = 16 << 10
    found = on_spark(spark, asked("published", "kip-279"), 1, narrow=0, budget=budget, driver_states=0)
    assert alike(found) == locally("published", "kip-279", False)
    assert found.distinct_states * 8 > 4 * budget


def test_which_parent_is_kept_does_not_depend_on_the_shards_where_states_are_not_sorted(spark):
    first, second = (on_spark(spark, asked("published", "high-watermark", symmetry=True), shards) for shards in (1, 5))
    assert [(a.name, a.new_states) for a in first.actions] == [(a.name, a.new_states) for a in second.actions]
    assert [f.trace for f in first.findings] == [f.trace for f in second.findings]


@pytest.mark.parametrize("bounds", [Bounds(depth=1), Bounds(depth=11)], ids=["depth 1", "depth 11"])
def test_a_bound_on_depth(spark, bounds):
    expected = alike(check(asked("published", "kip-279", bounds=bounds)))
    assert alike(on_spark(spark, asked("published", "kip-279", bounds=bounds))) == expected


def test_a_bound_on_states_ends_between_levels(spark):
    found = on_spark(spark, asked("published", "kip-279", bounds=Bounds(states=3000)))
    assert not found.complete and found.stopped == "the bound of 3,000 states"
    assert found.distinct_states >= 3000 and found.levels == locally("published", "kip-279", False)[0][: found.depth]


def test_the_first_violation_ends_the_run_at_the_same_depth(spark):
    def first(outcome):
        return outcome.levels, [(f.property.name, f.depth) for f in outcome.findings if f.verdict == VIOLATED]

    here = check(asked("published", "high-watermark", keep_going=False))
    assert first(on_spark(spark, asked("published", "high-watermark", keep_going=False), narrow=0)) == first(here)
    assert here.violated


def test_deadlock(spark):
    def found(outcome):
        return outcome.levels, outcome.deadlock and (outcome.deadlock.depth, len(outcome.deadlock.trace.steps))

    here = check(asked("published", "kip-320", deadlock=True, keep_going=False))
    assert found(on_spark(spark, asked("published", "kip-320", deadlock=True, keep_going=False), narrow=200)) == found(here)


@pytest.mark.parametrize("shards", [3, FEW_SHARDS + 1])
def test_narrow_levels_after_jobs_are_tasks_in_the_driver_where_shards_are_few(spark, whole, monkeypatch, shards):
    jobs = []

    def counted(context, job, inputs):
        jobs.append(job.level)
        return run_level(context, job, inputs)

    monkeypatch.setattr(search, "run_level", counted)
    assert alike(on_spark(spark, request(), shards)) == whole
    assert jobs[0] > 1 and (jobs[-1] < len(whole[0])) == (shards <= FEW_SHARDS)


def test_the_job_of_a_level_may_be_too_long_for_a_property(spark, whole, monkeypatch):
    monkeypatch.setattr(tasks, "MAX_PROPERTY", 0)
    assert alike(on_spark(spark, request(), narrow=0)) == whole
