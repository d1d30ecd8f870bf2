"""A leader that knows no leader epoch, and a follower whose fetch names one (N2, T7, KAFKA-15608)."""

import pytest
from highwater.model.fetching import is_accepted
from highwater.properties.catalogue import progress_of
from highwater.properties.registry import KRAFT
from support import judge
from support.kafka import PROPERTIES, explored, safety, tiny, unkept
from support.play import play, refused

SIZES = {"retentions": 1, "exchanged_directories": 1}


@pytest.mark.parametrize("revision", ["kip-320-2.8.0", "kip-320-2.8"])
def test_n2_since_2_8_the_follower_never_joins(revision):
    sizes = {**SIZES, "isr_answer": "commits"}
    assert unkept(tiny(revision, **sizes), "follower_joins", "follower_can_join", "leader_can_serve") == {
        "follower_joins", "follower_can_join",
    }  # fmt: skip
    assert safety(explored(revision, **SIZES)).keys() <= safety(explored(revision, retentions=1)).keys()


def test_n2_before_2_8_a_fetch_names_no_epoch():
    assert unkept(tiny("kip-320", **SIZES), "follower_joins", "follower_can_join", "leader_can_serve") == set()


MOVED = """
    produce
    shrink_isr leader=0 follower=1
    fetch follower=1 leader=0
    delete_old_records broker=0 offset=0
    exchange_directory broker=0
"""


def test_n2_a_record_makes_the_leader_know_its_epoch_again():
    assert refused("kip-320-2.8", f"{MOVED} fetch follower=1 leader=0", store="atomic", **SIZES)
    more = {"log_size": 2, "max_records": 2, "store": "atomic", **SIZES}
    state = play("kip-320-2.8", f"{MOVED} produce\n fetch follower=1 leader=0\n fetch follower=1 leader=0", **more)
    assert state.replica[0][1].leo == 2 and PROPERTIES["log_prefix_convergence"].holds(state)


@pytest.mark.parametrize(
    ("known", "named", "fits"), [((), 0, False), ((), -1, True), ((0,), 1, False), ((1,), 0, True), ((1,), 1, True)]
)
def test_t7_which_epochs_a_leader_can_compare(known, named, fits):
    """LeaderEpochFileCache.endOffsetFor: undefined for an epoch later than all; for an earlier one the start of the first."""
    state = play("kip-320-2.8", "produce", max_epoch=1)
    leader = state.replica[0][0]
    for epoch in range(2):
        leader.epoch_start[epoch] = 0 if epoch in known else -1
    assert is_accepted(state, leader, 0, leader.leader_epoch, named) == fits


def test_n2_an_exchange_keeps_the_epochs_of_records():
    assert refused("kip-320-2.8", "produce\n exchange_directory broker=0", **SIZES)


def test_n2_under_kraft_too_the_follower_never_joins():
    sizes = {"brokers": 2, "max_epoch": 1, "min_isr": 1, "preferred_elections": 0, "fences": 0}
    progress = [one for one in progress_of(KRAFT) if one.name in ("follower_can_join", "follower_joins", "leader_can_serve")]

    def stuck(**faults):
        config = KRAFT.configure("4.4", **sizes, **faults)
        graph, fairness = judge.graph_of(KRAFT, config), judge.fairness_of(KRAFT)
        return {one.name for one in progress if any(judge.stuck_states(graph, fairness, one, config).values())}

    assert stuck(**SIZES) == {"follower_can_join", "follower_joins"}
    assert stuck(retentions=1) == set()
