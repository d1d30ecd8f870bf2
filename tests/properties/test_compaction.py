"""M9, T8: what compaction takes from the history of epochs and from readers, the repairs that KIP-279 names, and Kafka's."""

from dataclasses import replace

import pytest
from highwater.traces.families.scenarios import scenarios
from highwater.traces.replay import replay
from support.kafka import KAFKA, PROPERTIES, first, outcome, tiny, violated
from support.mutants import without

LOST = [PROPERTIES["no_committed_data_loss"]]
KEPT = "last_values_are_kept"
RECORDS = {"compactions": 1, "log_size": 2, "max_records": 2, "max_epoch": 0}
REPAIRS = {
    "tombstone": "compaction.is_last_of_epoch: return True",
    "below-checkpoint": "compaction.end_of_compaction: never: s.config.compaction is Compaction.BELOW_CHECKPOINT",
    "below-high-watermark": "compaction.end_of_compaction: never: s.config.compaction is Compaction.BELOW_HIGH_WATERMARK",
}


@pytest.mark.parametrize("repair", REPAIRS)
def test_each_repair_refuses_the_compaction_that_loses_a_record(repair):
    """And without its rule the steps go on to the loss."""
    trace = scenarios()["t8_compacted_epoch"].traces["kip-320"]
    trace = replace(trace, settings={**trace.settings, "compaction": repair}, version="")
    compacts = next(n for n, step in enumerate(trace.steps) if step.action == "compact_log")
    refused = replay(trace, KAFKA, LOST)
    assert "compact_log" in refused.mismatch and len(refused.states) == compacts + 1
    with without(KAFKA, REPAIRS[repair]):
        assert replay(trace, KAFKA, LOST).broken == {"no_committed_data_loss": 31}


def test_a_hole_alone_breaks_nothing():
    """While nobody loses the file of epochs compaction takes nothing that truncation asks for."""
    found = outcome(tiny(compactions=1, log_size=2, max_records=2, session_expiries=1))
    assert set(violated(found)) <= {"single_committable_leader_strict", KEPT}


def level(**settings):
    """The level at which the last value of a key is compacted away, by a complete exploration in plain Python; None: never."""
    return first(tiny(**{**RECORDS, **settings}), KEPT).get(KEPT)


def test_readers_lose_the_last_value_unless_compaction_stops_at_a_high_watermark():
    """M9: a record that is not committed counts as a later value (KAFKA-13194), also where a tombstone is left."""
    assert level(compaction="any") == level(compaction="tombstone") == 6
    assert level(compaction="any", log_size=3, max_records=3, keys=2) == 7
    assert level(compaction="below-high-watermark") is None
    assert level(compaction="below-high-watermark", log_size=3, max_records=3, keys=2) is None
    assert level(compaction="below-checkpoint", crashes=1) is None


def test_only_several_keys_show_that_a_record_goes_for_a_later_one_with_its_key():
    """M9: where every batch counts as one with the same key, one key shows nothing."""
    with without(KAFKA, "compaction.same_key: not (first % s.config.keys == second % s.config.keys)"):
        assert level(compaction="below-high-watermark") is None
        assert level(compaction="below-high-watermark", keys=2) == 5
