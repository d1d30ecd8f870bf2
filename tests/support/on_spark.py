"""Runs on Spark in tests, and what they must have in common with local ones."""

from dataclasses import replace

from highwater.explorer.spark.explore import OnSpark, explore
from highwater.properties.registry import MODELS

from support import exploring

SMALL = {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 2}
"""Of the published model: 5,000 to 15,000 states, the widest level about 1,500."""

WIDE = 700
"""Levels of as many states run on Spark, so that both sorts of levels take part in a test of a few seconds."""


def request(model="published", revision="kip-279", settings=None, **options):
    """A request at a small size, with code that all configurations share unless it says otherwise."""
    return exploring.request(MODELS[model], revision, SMALL if settings is None else settings, **options)


def on_spark(spark, asked, shards=3, narrow=WIDE, path=None, report=None, resume=False, resume_from=None, **how):
    """The outcome on a session."""
    directory = None if path is None else f"file:{path}"
    how |= {"shards": shards, "narrow": narrow, "report": report}
    found = on_spark_at(spark, asked, directory, resume, resume_from, **how)
    assert narrow != WIDE or not found.complete or max(found.levels) >= WIDE, "no level ran on Spark"
    return found


def on_spark_at(spark, asked, place, resume=False, resume_from=None, report=None, shards=3, **how):
    """The same with the run directory at a URI."""
    asked = replace(asked, run_directory=place, resume=resume, resume_from=resume_from)
    return explore(asked, spark, OnSpark(shards=shards, **how), report)


def alike(outcome):
    """What the engines must agree on: which of several parents finds a state is left to the engine."""
    findings = [(f.property.name, f.verdict, f.depth, None if f.trace is None else len(f.trace.steps)) for f in outcome.findings]
    actions = [(a.name, a.enabled, a.taken) for a in outcome.actions]
    new = sum(a.new_states for a in outcome.actions)
    return outcome.levels, outcome.transitions, outcome.complete, findings, actions, new
