"""What KIP-279 says of its rejected alternatives (T3 to T6), counted and compared (Q8 to Q11)."""

import pytest
from highwater.traces.families.scenarios import scenarios
from highwater.traces.replay import replay
from support.kafka import KAFKA, PROPERTIES, states_of, tiny
from support.play import play

from .test_claims import S1, SCENARIO_1

BY_THE_TEXT = {"older_epoch": "undefined", "older_answer": "asks-on", "undefined_answer": "high-watermark"}
RULES = {"T1": "by-leader-epoch", "T2": "by-common-epoch", "T3": "by-known-epoch", "T4": "by-epoch-sequence"}
EXCHANGE = "\nanswer_epoch_request leader={leader} follower={follower}\ntruncate_to_answer follower={follower}"
FETCHING = 3


def requests_until_it_fetches(script, leader, follower, **settings):
    """How many requests for the ends of epochs the follower makes after the script; then its replica, as it begins to fetch."""
    for count in range(6):
        state = play("kip-279", script + count * EXCHANGE.format(leader=leader, follower=follower), **settings)
        if state.replica[0][follower].phase == FETCHING:
            return count, state.replica[0][follower]
    raise AssertionError("it never fetches")


def test_q8_requests_in_scenario_1():
    """True: alternative 1 makes two requests, the proposed solution and alternative 2 make one; these cut alike, KIP-101 not."""
    before, _, _ = SCENARIO_1.format(n=1).rpartition("answer_epoch_request")
    found = {name: requests_until_it_fetches(before, 0, 1, preferred=1, truncation=rule, **S1) for name, rule in RULES.items()}
    assert {name: count for name, (count, _) in found.items()} == {"T1": 1, "T2": 1, "T3": 2, "T4": 1}
    assert {name: me.leo for name, (_, me) in found.items()} == {"T1": 3, "T2": 1, "T3": 1, "T4": 1}


def failovers(epochs, checkpoint=False):
    """Scenario 3 of KIP-279 with this many epochs: leadership goes back and forth, and nobody truncates. Who led last but one
    comes back. `checkpoint`: before its last stop it writes its high watermark to disk."""
    script = "produce leader=0\nshrink_isr leader=0 follower=1"
    for epoch in range(1, epochs):
        leader, other = epoch % 2, 1 - epoch % 2
        if checkpoint and epoch == epochs - 1:
            script += f"\ncheckpoint_high_watermark broker={other}"
        script += f"\ncrash broker={other}\nexpire_session broker={other}"
        script += f"\nstart_broker broker={leader}" if epoch > 1 else ""
        script += f"\nsee_broker_change\nelect_unclean_leader broker={leader}\nbecome_leader broker={leader} epoch={epoch}"
        script += f"\nproduce leader={leader}"
    return script + f"\nstart_broker broker={epochs % 2}"


@pytest.mark.parametrize(
    ("epochs", "checkpoint", "requests"),
    [
        (4, False, {"T2": 2, "T3": 2, "T4": 1}),
        (4, True, {"T2": 2, "T3": 2, "T4": 2}),
        (5, True, {"T2": 2, "T3": 2, "T4": 2}),
        (6, True, {"T2": 3, "T3": 3, "T4": 2}),
    ],
)
def test_q8_requests_in_scenario_3_and_beyond(epochs, checkpoint, requests):
    """As printed, alternative 2 needs two requests in scenario 3 like the proposed solution, and fewer with one step more.

    The first is true where the high watermark is on disk; a restart from 0 has everything above it, and one request is enough.
    The second takes two steps more, not one: the next epoch is the other broker's.
    """
    settings = {
        "log_size": 3, "max_records": epochs, "max_epoch": epochs - 1, "crashes": epochs - 1, "unclean_elections": epochs - 1,
    }  # fmt: skip
    for name, count in requests.items():
        found, _ = requests_until_it_fetches(
            failovers(epochs, checkpoint), 1 - epochs % 2, epochs % 2, truncation=RULES[name], **BY_THE_TEXT, **settings
        )
        assert (name, found) == (name, count)


def test_q9_alternative_2_ends_where_the_proposed_solution_does():
    """True with clean elections at this size: the same logs, roles and published states; KIP-101 reaches others.

    With unclean elections they part where a high watermark stands in the other history: the proposed solution has cut what is
    above the answered epoch before it falls back (golden traces t2_high_watermark_of_two and t4_high_watermark_of_two).
    """
    size = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2, "max_records": 2, "older_answer": "asks-on"}
    ends = {name: {ending(s) for s in states_of(tiny(truncation=rule, newer_epoch="log-end", **size))}
            for name, rule in RULES.items() if name != "T3"}  # fmt: skip
    assert ends["T2"] == ends["T4"]
    assert ends["T1"] != ends["T2"]


def ending(state):
    """The leader, and each broker's log and high watermark while none truncates; None while one does."""
    if any(me.phase in (1, 2) for me in state.replica[0]):
        return None
    node = state.zookeeper.leader_and_isr[0]
    logs = tuple((me.leader, me.leader_epoch, me.hw, tuple((x.record, x.epoch) for x in me.log)) for me in state.replica[0])
    return node.leader, node.leader_epoch, node.isr, logs


def test_q10_a_high_watermark_that_never_falls_back_is_not_enough():
    """False with three brokers: nobody crashes, elections are clean, and a committed record is lost.

    With two, the fetch that commits tells the follower so. With three, a member of the ISR can have what the fetch of another
    has committed, while its own high watermark lies in the epoch before: it asks for that epoch, and cuts the rest.
    """
    trace = scenarios()["t5_lagging_high_watermark"].traces["kip-320"]
    result = replay(trace, KAFKA, [PROPERTIES["no_committed_data_loss"]])
    assert (result.mismatch, set(result.broken)) == ("", {"no_committed_data_loss"})
    spent = result.states[-1].spent
    assert (spent.crashes, spent.unclean_elections) == (0, 0)
