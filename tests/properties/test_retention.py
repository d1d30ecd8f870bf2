"""T8: records deleted from the front of a log, and what truncation makes of an epoch of which none is left.

The configurations are small enough to be explored in plain Python, to the end.
"""

from dataclasses import replace

import pytest
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.model import epoch_cache
from highwater.model.language.errors import UsageError
from highwater.model.vocabulary import NO_OFFSET
from highwater.properties.property import SOMETIMES
from highwater.traces.families.scenarios import scenarios
from highwater.traces.replay import replay
from support.kafka import KAFKA, PROPERTIES, first, tiny
from support.mutants import in_place_of, without
from support.play import play

BATCHES = {"log_size": 2, "max_batch": 2, "max_epoch": 0}


def forget_all_before(s, me, start):
    """No epoch of what is deleted stays in the cache, the last one neither."""
    for epoch in range(s.config.epochs):
        if me.epoch_start[epoch] < start:
            me.epoch_start[epoch] = NO_OFFSET


RULES = {
    "what is not committed stays": (
        "retention.delete_old_records: offset >= deletable_end(s, me)", {}, {"deleted_records_were_committed": 2},
    ),
    "the last epoch of what is deleted stays in the cache": (
        {epoch_cache.forget_epochs_before: forget_all_before}, {"crashes": 1}, {"weak_isr": 10},
    ),
    "a log that starts anew has no records below its start": (
        "log.start_log_at: me.log_start = start",
        {"session_expiries": 1, "fetch": "in-flight"}, {"committed_records_stay_readable": 10},
    ),
}  # fmt: skip


def violated(config):
    """Every property of states and steps that is violated, by a complete exploration in plain Python."""
    chosen = [p for p in PROPERTIES.values() if p.kind != SOMETIMES and p.by_default and p.applies(config)]
    found = set()
    for _, before, action, _, state in breadth_first(KAFKA, config):
        if action is not None:
            found |= {p.name for p in chosen if not (p.holds(before, state) if p.over_steps else p.holds(state))}
    return found


@pytest.mark.parametrize("rule", RULES)
def test_without_the_rule(rule):
    """A property is violated at the level that is written above."""
    broken, settings, falling = RULES[rule]
    config = tiny(retentions=1, **settings)
    with without(KAFKA, broken) if isinstance(broken, str) else in_place_of(KAFKA, broken):
        assert first(config, *falling) == falling


@pytest.mark.parametrize(
    ("revision", "settings"),
    [("kip-320", {"session_expiries": 1}), ("kip-320-2.8", {"session_expiries": 1}), ("kip-320", {"crashes": 1})],
)
def test_where_fetches_are_one_step_nothing_is_violated(revision, settings):
    """Retention, a lost session or a restart, and one election: all revisions' properties are kept."""
    assert violated(tiny(revision, retentions=1, **settings)) == set()


def test_a_log_that_starts_within_a_batch_stops_replication_before_kafka_6975():
    """Its first batch begins before an empty follower's end: out of order, for good, on 0.11 (T8, G8)."""
    assert violated(tiny("kip-101", retentions=1, **BATCHES)) == {"append_in_order"}
    for fetch in ("rendezvous", "in-flight"):
        assert violated(tiny("kip-279", retentions=1, fetch=fetch, **BATCHES)) == set()


@pytest.mark.parametrize("scenario", ["t8_cut_below_start", "t8_deleted_epoch"])
def test_neither_answer_about_a_deleted_epoch_is_safe(scenario):
    """Undefined, as KIP-279 says, violates what the start of the log (KAFKA-7415) keeps, and the other way round (T8)."""
    broken = {
        revision: "commits_agree" in replay(trace, KAFKA, [PROPERTIES["commits_agree"]]).broken
        for revision, trace in scenarios()[scenario].traces.items()
    }
    assert broken == {"kip-279": scenario == "t8_cut_below_start", "kip-320": scenario == "t8_deleted_epoch"}


@pytest.mark.parametrize("scenario", ["t8_cut_below_start", "t8_deleted_epoch"])
def test_a_follower_that_starts_anew_loses_nothing_in_either(scenario):
    """What a leader with a complete history has deleted, a follower deletes too (T8): proposed here, in no release."""
    trace = scenarios()[scenario].traces["kip-320"]
    steps = tuple(replace(step, digest="") for step in trace.steps)
    trace = replace(trace, settings={**trace.settings, "older_epoch": "start-anew"}, version="", steps=steps)
    found = replay(trace, KAFKA, [PROPERTIES[name] for name in ("commits_agree", "no_committed_data_loss", "weak_isr")])
    assert (found.mismatch, found.broken) == ("", {})


@pytest.mark.parametrize("settings", [{"session_expiries": 1}, {"crashes": 1}, {"session_expiries": 1, "fetch": "in-flight"}])
def test_where_followers_start_anew_nothing_is_violated(settings):
    """Also after a restart, where the undefined answer violates `weak_isr` at the same size."""
    up_to_3_2 = {"inactive_brokers_join_no_isr"} if "fetch" in settings else set()
    assert violated(tiny(retentions=1, older_epoch="start-anew", **settings)) == up_to_3_2


@pytest.mark.parametrize("revision", ["v3", "high-watermark"])
def test_what_was_deleted_before_0_11_is_not_modelled(revision):
    """Their brokers deleted what is not committed, and followers kept what their leader had deleted: `holds` would be wrong."""
    with pytest.raises(UsageError, match="deleted also what was not committed"):
        tiny(revision, retentions=1)


def test_t8_up_to_0_11_0_0_retention_deletes_what_is_not_committed():
    """KAFKA-5634: repaired in 0.11.0.1."""
    for limit, starts in (("log-end", 1), ("high-watermark", 0)):
        state = play("kip-101", "produce", retentions=1, retention_limit=limit)
        assert KAFKA.action("delete_old_records").function(state, 0, 0, 0) == bool(starts)
        assert state.replica[0][0].log_start == starts and state.replica[0][0].hw >= starts
