"""A plugin puts a function of its own in the place of one of the model's, under a switch."""

import pytest
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.model.broker.isr import has_caught_up
from highwater.model.language import Revision, UsageError, choice, switch
from highwater.properties.extended import extended
from highwater.properties.registry import KAFKA

LAG = {"lag": switch("admits with a lag")}
SIZES = {"brokers": 2, "session_expiries": 0, "max_records": 1, "log_size": 1}


def nearly(s, partition, leader, end):
    """A follower may lack a record."""
    return has_caught_up(s, partition, leader, end + 1)


def nobody(s, partition, leader, end):
    """No follower is admitted."""
    return False


def fewer(s, partition, leader):
    """Takes something else."""
    return False


def elsewhere(s, partition, leader, end):
    """Reads what is not there."""
    return s.replicas[partition][leader].hw > end


def learns(me, their, follower):
    """Somebody always learns."""
    return False


def in_all(members, broker):
    """Every set has every broker."""
    return True


def with_lag(function, **more):
    revision = Revision("lag", "another admission", {"lag": 1}, like="kip-320")
    return extended(KAFKA, switches=LAG, replaces={"lag": {"has_caught_up": function}}, revisions=[revision], **more)


def states(model, revision, **more):
    """How many there are."""
    config = model.configure(revision, **SIZES, **more)
    return sum(edge.action is None for edge in breadth_first(model, config))


def test_callers_call_it_where_the_switch_is_on_and_nothing_else_changes():
    plain = states(KAFKA, "kip-320")
    assert states(with_lag(nearly), "kip-320") == plain
    assert len({plain, states(with_lag(nearly), "lag"), states(with_lag(nobody), "lag")}) == 3
    assert KAFKA.action("expand_isr").function.__globals__["may_admit"].__globals__["has_caught_up"] is has_caught_up


def test_one_may_be_replaced_twice():
    twice = extended(with_lag(nearly), switches={"closed": switch("none joins")}, replaces={"closed": {"has_caught_up": nobody}})
    assert states(twice, "lag", closed=1) == states(with_lag(nobody), "lag") and states(twice, "lag") == states(
        with_lag(nearly), "lag"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"replaces": {"lag": {"has_cought_up": nearly}}}, "calls a function 'has_cought_up', so none .*has_caught_up"),
        ({"replaces": {"lag": {"has_caught_up": fewer}}}, "has_caught_up takes s, partition, leader, end; fewer does"),
        ({"replaces": {"lag": {"has_caught_up": elsewhere}}}, "replicas"),
        ({"replaces": {"lag": {"learns_nothing": learns}}}, "learns_nothing cannot be replaced: it is not given the state;"),
        ({"replaces": {"lag": {"contains": in_all}}}, "contains cannot be replaced: the property weak_isr calls it"),
        ({"replaces": {"lag": {"excluding": in_all}}}, "excluding cannot be replaced: the normal form calls it"),
        ({"replaces": {"lag": {"begin_truncation": nearly}}}, "begin_truncation is chosen by the setting truncation: give that"),
        ({"replaces": {"other": {"has_caught_up": nearly}}}, "'other' replaces functions where it is on: add it as switches"),
        ({"switches": {"lag": choice(["a", "b"], "two")}, "replaces": {"lag": {"has_caught_up": nearly}}}, "add it as switches"),
        ({"rules": {"admission": {"lag": {"has_caught_up": nearly}}}}, "chooses among no rules; .*truncation does; .*replaces="),
    ],
)  # fmt: skip
def test_what_cannot_be_replaced_is_refused_in_a_sentence(given, said):
    with pytest.raises(UsageError, match=said):
        extended(KAFKA, **{"switches": LAG, **given})
