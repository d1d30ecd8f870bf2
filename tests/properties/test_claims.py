"""The claims of the documents, decided by exploration: each test says the claim, the sizes and the verdict.

Sizes that are not named are those of TINY: two brokers, one record, one epoch to elect in, no fault.
Levels begin at 1.
"""

import json
from pathlib import Path

import pytest
from highwater.model.broker import become_leader
from highwater.model.controller import decide
from support.kafka import KAFKA, explored, first, level_of, outcome, tiny, violated, witnessed
from support.mutants import in_place_of, without
from support.play import play

SESSION = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2, "max_records": 2, "log_size": 2}


def test_q1_zombie_cannot_commit():
    """True: once another leads, a zombie commits nothing that the new leader lacks; with fetches in flight, too.

    The strict reading, that it commits nothing at all, is false: a fetch may reach it late. The version of
    leaderAndISR is what the claim rests on: without it, the zombie pushes the new leader out of the ISR.
    """
    for fetch in ("rendezvous", "in-flight"):
        found = explored("kip-320", fetch=fetch, **SESSION)
        assert "single_committable_leader" not in found and "no_committed_data_loss" not in found
    assert explored("kip-320", fetch="in-flight", **SESSION)["single_committable_leader_strict"] == 10
    config = tiny(preferred_elections=1)
    with without(KAFKA, "isr.is_current_writer: not (version == node.version)"):
        assert first(config, "single_committable_leader") == {"single_committable_leader": 6}


def tell(s, controller, partition, leader, isr, purpose):
    """The controller sends the command, and writes nothing."""
    node = s.zookeeper.leader_and_isr[partition]
    command = s.command[partition][node.leader_epoch + 1]
    command.leader, command.isr, command.zk_version = leader, isr, node.version
    command.sent[controller] = s.zookeeper.assigned[partition] & s.controller[controller].live


def publish_and_lead(s, partition, broker, epoch, controller, conditional=True, lead=become_leader.become_leader):
    """The broker that obeys the command writes it, on the version that the controller read unless it is not `conditional`."""
    if not lead(s.copy(), partition, broker, epoch, controller):
        return False
    node, command = s.zookeeper.leader_and_isr[partition], s.command[partition][epoch]
    if conditional and node.version != command.zk_version:
        return False
    node.leader, node.leader_epoch, node.isr = broker, epoch, command.isr
    node.version += 1
    command.zk_version = node.version
    return lead(s, partition, broker, epoch, controller)


def overwrite_and_lead(s, partition, broker, epoch, controller):
    """The same without the condition."""
    return publish_and_lead(s, partition, broker, epoch, controller, conditional=False)


def test_q2_the_controller_publishes_before_it_tells():
    """Decided again: with conditional writes, a new leader that publishes itself loses no data. What suffers is progress.

    The variant sends the command without writing, and the broker that obeys it writes, on the version that the controller
    read. The old leader may write the ISR in between: then the new leader's write fails, and nobody leads. Written
    without the condition, which V3 forbids (Z4), the new leader overwrites what the old one has published, and data is lost.
    """
    config, name = tiny(preferred_elections=1), "no_committed_data_loss"
    assert first(config, name) == {}
    for obeyed, found in ((publish_and_lead, {}), (overwrite_and_lead, {name: 6})):
        with in_place_of(KAFKA, {decide.publish: tell, become_leader.become_leader: obeyed}):
            assert first(config, name) == found


def test_q3_truncating_to_the_high_watermark_loses_data():
    """True, with clean elections: one crash and one expired session suffice. KIP-279 keeps the data there."""
    size = {"crashes": 1, "session_expiries": 1, "max_epoch": 2}
    found = explored("high-watermark", **size)
    assert (found["no_committed_data_loss"], found["log_prefix_convergence"]) == (11, 14)
    for revision in ("kip-279", "kip-320"):
        assert not {"no_committed_data_loss", "log_prefix_convergence"} & set(explored(revision, **size))


S1 = {
    "command_order": "any", "log_size": 4, "max_records": 4, "max_batch": 3, "max_epoch": 2, "preferred_elections": 1,
    "session_expiries": 1,
}  # fmt: skip
SCENARIO_1 = """
    produce leader=0 batch=0
    fetch follower=1 leader=0
    produce leader=0 batch=1
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=1
    produce leader=1 batch={n}
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_leader broker=0 epoch=2
    produce leader=0 batch=0
    notice_session_expiry broker=1
    see_broker_change
    become_follower broker=1 epoch=2
    answer_epoch_request leader=0 follower=1
    truncate_to_answer follower=1
"""


@pytest.mark.parametrize(("n", "ends"), [(0, "failed"), (1, "diverged"), (2, "a prefix")], ids=["n < 20", "n = 20", "n > 20"])
def test_q4_kip_101_after_a_preferred_election(n, ends):
    """True in its three cases: with n < 20 an append fails, with n = 20 the logs differ silently, n > 20 is fine.

    Scaled down: [0,10] is offset 0, [11,20] offsets 1 and 2, [11,n] one to three records from offset 1. KIP-279
    cuts to offset 1 in all three cases.
    """
    state = play("kip-101", SCENARIO_1.format(n=n) + "fetch follower=1 leader=0", preferred=1, **S1)
    assert ending(state) == ends
    state = play("kip-279", SCENARIO_1.format(n=n), preferred=1, **S1)
    assert (ending(state), state.replica[0][1].leo) == ("a prefix", 1)


def ending(state):
    """How broker 1 stands to its leader, broker 0."""
    leader, follower = state.replica[0]
    if follower.failed:
        return "failed"
    same = all(follower.log[i] == leader.log[i] for i in range(min(follower.leo, leader.leo)))
    return "a prefix" if same and follower.leo <= leader.leo else "diverged"


S2 = {"log_size": 2, "max_records": 4, "max_epoch": 3, "crashes": 3, "unclean_elections": 3}
SCENARIO_2 = """
    produce leader=0
    shrink_isr leader=0 follower=1
    crash broker=0
    expire_session broker=0
    see_broker_change
    elect_unclean_leader broker=1
    become_leader broker=1 epoch=1
    produce leader=1
    crash broker=1
    expire_session broker=1
    start_broker broker=0
    see_broker_change
    elect_unclean_leader broker=0
    become_leader broker=0 epoch=2
    produce leader=0
    crash broker=0
    expire_session broker=0
    start_broker broker=1
    see_broker_change
    elect_unclean_leader broker=1
    become_leader broker=1 epoch=3
    produce leader=1
    start_broker broker=0
    answer_epoch_request leader=1 follower=0
    truncate_to_answer follower=0
"""
SECOND_ROUND = """
    answer_epoch_request leader=1 follower=0
    truncate_to_answer follower=0
"""


def test_q5_q6_fast_failovers_with_unclean_elections():
    """Q5 is true: KIP-101 is told that epoch 2 ends at offset 1, and leaves offset 0 different.

    Q6: KIP-279 asks once more, for epoch 0, and cuts to its high watermark, which is 0: the logs converge. Its first release,
    2.0.0, falls back to where the first round has cut (undefined_answer = last-cut), and leaves offset 0 different too.
    """
    follower = play("kip-101", SCENARIO_2, **S2).replica[0]
    assert (follower[0].leo, follower[0].log[0] == follower[1].log[0]) == (1, False)
    asking = play("kip-279", SCENARIO_2, **S2).replica[0][0]
    assert (asking.leo, asking.rounds) == (1, 2)
    by_the_text = play("kip-279", SCENARIO_2 + SECOND_ROUND, undefined_answer="high-watermark", **S2)
    in_2_0_0 = play("kip-279", SCENARIO_2 + SECOND_ROUND, **S2)
    assert [state.replica[0][0].leo for state in (by_the_text, in_2_0_0)] == [0, 1]


def test_q6_not_in_every_run():
    """KIP-279 converges in the document's scenarios, and not always: its fall back to the high watermark is T0 again.

    As the document has it, a leader that knows no epoch that old answers undefined, and a follower whose high watermark stands
    in the other history keeps what is below it. One crash and one unclean election are enough. Kafka 2.0.1 answers with
    the start of the first epoch that it knows (older_epoch = first-start), which leaves only what a fence or an admission stops.
    """
    size = {"crashes": 1, "session_expiries": 1, "unclean_elections": 1, "max_epoch": 2}
    levels = {revision: explored(revision, **size).get("log_prefix_convergence") for revision in KAFKA.revisions}
    assert levels.pop("kip-279-2.0.1") == 17
    assert {name: level for name, level in levels.items() if level} == {
        "v3": 13, "high-watermark": 10, "kip-101": 12, "kip-279": 12, "kip-320-2.8.0": 20
    }  # fmt: skip
    assert "log_prefix_convergence" not in explored("kip-320-2.8.0", fetch_beyond_end="nothing", **size), "it compares no epochs"
    assert explored("kip-320", older_epoch="undefined", **size)["log_prefix_convergence"] == 12


def test_q7_more_rounds_with_clean_elections():
    """True where commands arrive in the order of sending, as in Kafka; false where they overtake each other, as V3 allows.

    Then a follower of KIP-279 needs a second request with clean elections, after one preferred election and one expired
    session. With two brokers one request is enough, and KIP-320 needs no second one with three.
    """
    assert "truncation_rounds" not in explored("kip-279", **SESSION)
    pinned = json.loads((Path(__file__).parents[1] / "matrix.json").read_text())
    assert pinned["kafka kip-279"]["properties"]["truncation_rounds"] == "holds"
    overtaking = {"command_order": "any", "newer_epoch": "log-end", "epoch_entry": "when-leading"}
    assert rounds_level("kip-279", **overtaking) == 15
    assert rounds_level("kip-320", **overtaking) is None


def rounds_level(revision, **settings):
    """The level at which a follower asks twice, at the default sizes; None when it never does."""
    return level_of("truncation_rounds", KAFKA.configure(revision, **settings), revision)


def test_q13_an_isr_of_one_loses_nothing():
    """True: followers may all die while the leader lives, and the last member of the ISR has everything.

    Three brokers, two of which may crash, with an election between.
    """
    found = outcome(tiny(brokers=3, crashes=2))
    assert set(violated(found)) == {"single_committable_leader_strict"}
    assert {"shrinks_isr", "restarts", "commits_record"} <= set(witnessed(found))


def test_q15_a_new_leader_behind_its_consumers():
    """True: a consumer beyond the new leader's high watermark gets an empty set, no error and no wrong record."""
    found = outcome(tiny(consumers=1, **SESSION))
    assert not {"consumer_sees_only_committed", "consumer_stays_in_range"} & set(violated(found))
    assert witnessed(found)["consumer_gets_empty_set"] > 1


def test_q19_a_late_command_of_an_old_controller():
    """True: without a controller epoch a late StopReplica or INIT deletes a replica that was created since, and its records.

    LeaderAndIsr requests are told apart by the leader epoch; these two have none. StopReplica needs an old controller, INIT may
    be late behind its own controller's requests.
    """
    again = {"max_epoch": 0, "topic_deletions": 1, "topic_recreations": 1, "deletion": "confirmed"}
    for changes, epoch in ((0, 0), (0, 1), (1, 1)):
        assert "strong_isr" not in explored("kip-320", controller_changes=changes, controller_epoch=epoch, **again)
    undone = explored("kip-320", controller_changes=1, controller_epoch=0, **again)
    assert (undone["no_committed_data_loss"], undone["strong_isr"]) == (16, 17)
    size = {"start": "empty", "max_epoch": 0, "init": "all-partitions"}
    assert explored("kip-320", **size) == {}
    assert explored("kip-320", controller_epoch=0, **size)["strong_isr"] == 12
    # With it, one case is left: a replaced controller, which has not seen the news, creates the leader meanwhile.
    assert explored("kip-320", controller_changes=1, **size)["strong_isr"] == 15
