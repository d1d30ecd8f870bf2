"""M10: a time-out raises an alert: when it comes though all is done, and when it does not come though nothing is."""

import pytest
from highwater.model.language import UsageError
from highwater.properties.registry import KAFKA
from support.kafka import PROPERTIES, tiny, unkept
from support.mutants import without
from support.play import play

ALERTS = {"alerts": 1}
ADD = {**ALERTS, "partition_additions": 1, "max_epoch": 0, "brokers": 1, "controller_changes": 1}
MOVE = {**ALERTS, "replicas": 1, "reassignments": 1, "crashes": 1, "max_epoch": 0}


@pytest.mark.parametrize("more", [{}, {"partition_additions": 1, "path_change": "topic-alone"}], ids=["nothing", "no request"])
def test_alerts_that_can_never_come_are_refused(more):
    with pytest.raises(UsageError, match="alerts needs elections = answered"):
        tiny(**ALERTS, **more)


def is_told(config, plain=False):
    """Whatever an administrator asked for is done in the end, or an alert says that it is not."""
    return not unkept(config, "unfinished_change_is_told", plain=plain)


def test_m10_what_a_dead_broker_holds_up_is_told():
    """A reassignment to a broker that never comes back does not end; somebody hears of it (V3 F)."""
    assert is_told(tiny(**MOVE))
    with without(KAFKA, "alert.raise_alert: s.alert[partition].raised = 1"):
        assert not is_told(tiny(**MOVE), plain=True)


@pytest.mark.parametrize(("order", "told"), [("request-first", False), ("topic-first", True)])
def test_m10_of_half_an_addition_nobody_is_told(order, told):
    """V3 H deletes the request first: a controller that stops then takes the only memory of it along (H1)."""
    assert is_told(tiny(**ADD, path_change=order)) == told


ELECTED = """
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=1
"""


def test_m10_an_alert_may_come_though_the_leader_serves():
    """Only its answer is late: the time-out cannot tell that from a leader that does nothing (V3's last comment)."""
    state = play("kip-320", ELECTED, preferred=1, elections="answered", preferred_elections=1, session_expiries=1, **ALERTS)
    before = state.copy()
    assert KAFKA.action("raise_alert").function(state, 0, 0)
    assert PROPERTIES["alert_comes_though_it_leads"].holds(before, state)
    assert KAFKA.action("answer_command").function(before, 0, 1, 1, 0)
    assert not KAFKA.action("raise_alert").function(before, 0, 0)
