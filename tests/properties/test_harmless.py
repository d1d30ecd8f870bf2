"""What looks like a fault and loses nothing: these must keep holding, whatever else is found."""

import pytest
from support.kafka import explored

KEPT = [
    "no_committed_data_loss", "commits_agree", "committed_records_stay_readable", "log_prefix_convergence", "strong_isr",
    "weak_isr",
]  # fmt: skip


@pytest.mark.parametrize("revision", ["kip-320", "kip-320-2.8"])
def test_stale_commands_at_a_failover_lose_nothing_where_leader_epochs_are_compared(revision):
    """Without controller epochs, and with a controller that is replaced: leader epochs alone tell late commands apart."""
    assert explored(revision, KEPT, controller_changes=1, controller_epoch=0, session_expiries=1) == {}


@pytest.mark.parametrize("revision", ["kip-320", "kip-320-2.8"])
def test_a_stale_member_of_the_isr_loses_nothing_by_itself_with_acks_all(revision):
    """A member that fetches no more delays what is committed. A leader commits nothing that it lacks."""
    assert explored(revision, KEPT, acks="all", log_size=2, max_records=2, session_expiries=1, max_epoch=2) == {}
