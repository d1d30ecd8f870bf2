"""M9, T8: what compaction takes from the history of epochs, and the two repairs that KIP-279 names."""

from dataclasses import replace

import pytest
from highwater.traces.replay import replay
from highwater.traces.scenarios import scenarios
from support.kafka import KAFKA, PROPERTIES, outcome, tiny, violated
from support.mutants import without

LOST = [PROPERTIES["no_committed_data_loss"]]
REPAIRS = {
    "tombstone": "compaction.is_last_of_epoch: return True",
    "below-checkpoint": "compaction.end_of_compaction: never: s.config.compaction == BELOW_CHECKPOINT",
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
        assert replay(trace, KAFKA, LOST).broken == {"no_committed_data_loss": 32}


def test_a_hole_alone_breaks_nothing():
    """While nobody loses the file of epochs compaction takes nothing that truncation asks for."""
    found = outcome(tiny(compactions=1, log_size=2, max_records=2, session_expiries=1))
    assert set(violated(found)) <= {"single_committable_leader_strict"}
