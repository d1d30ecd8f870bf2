"""A broker learns its new registration later than the controller (KAFKA-9839, N3, R6)."""

import pytest
from highwater.model.broker.registration import refuse_unknown_command
from highwater.properties.registry import KAFKA
from support.kafka import explored, safety, tiny, unkept
from support.mutants import in_place_of, without
from support.play import play, refused

ONE_EXPIRY = {"session_expiries": 1, "max_epoch": 3}
HAD_IT = ["kip-320-2.2", "kip-320-2.5.0"]
UNTOLD = {"leader_can_serve", "leader_serves_again", "follower_can_join", "follower_joins"}


@pytest.mark.parametrize("revision", HAD_IT)
def test_n3_from_2_2_to_2_5_0_a_broker_is_not_told_who_leads(revision):
    """With one expired session; with `obeyed`, as in 2.5.1, all is kept. No record is lost by it."""
    assert unkept(tiny(revision, **ONE_EXPIRY)) >= UNTOLD
    assert unkept(tiny(revision, unknown_registration="obeyed", **ONE_EXPIRY)) == set()
    assert safety(explored(revision, **ONE_EXPIRY)) == safety(explored(revision, unknown_registration="obeyed", **ONE_EXPIRY))


def test_n3_later_releases_keep_it():
    assert unkept(tiny("kip-320-2.8", **ONE_EXPIRY)) == set()


def test_n3_who_obeys_may_learn_its_registration_at_any_time():
    """The model that obeys has no such steps. With them, and with the refusals taken out, all is kept as well."""
    config = tiny("kip-320-2.5.0", **ONE_EXPIRY)
    with (
        without(KAFKA, "roles.accepts: awaits_registration(s, broker)"),
        in_place_of(KAFKA, {refuse_unknown_command: lambda s, partition, broker, epoch, controller: False}),
    ):
        assert unkept(config, plain=True) == set()


REGISTERS = """
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    notice_session_expiry broker=1
    see_broker_change
"""


def test_n3_it_obeys_as_soon_as_it_knows():
    told = f"{REGISTERS} learn_registration broker=1\n become_follower broker=1 epoch=1"
    assert play("kip-320-2.5.0", told, **ONE_EXPIRY).replica[0][1].leader_epoch == 1
    assert refused("kip-320-2.5.0", f"{REGISTERS} become_follower broker=1 epoch=1", **ONE_EXPIRY)
    with pytest.raises(AssertionError, match="become_follower broker=1 epoch=1 is not enabled"):
        lost = "refuse_unknown_command broker=1 epoch=1\n learn_registration broker=1\n become_follower broker=1 epoch=1"
        play("kip-320-2.5.0", f"{REGISTERS} {lost}", **ONE_EXPIRY)


def test_n3_a_stop_replica_is_refused_like_any_request():
    sizes = {**ONE_EXPIRY, "topic_deletions": 1}
    obeys = "learn_registration broker=1\n stop_replica broker=1"
    deleted = f"{REGISTERS} delete_topic\n see_topic_change\n"
    assert refused("kip-320-2.5.0", f"{deleted} stop_replica broker=1", **sizes)
    assert refused("kip-320-2.5.0", f"{deleted} refuse_unknown_stop broker=1\n {obeys}", **sizes)
    assert not play("kip-320-2.5.0", f"{deleted} {obeys}", **sizes).replica[0][1].exists


def test_n3_to_register_and_to_compete_are_one_event():
    sizes = {**ONE_EXPIRY, "controller_changes": 2}
    again = "expire_session broker=1\n notice_session_expiry broker=1\n remove_controller\n"
    assert refused("kip-320-2.5.0", f"{again} see_controller_change broker=1", **sizes)
    play("kip-320-2.5.0", f"{again} learn_registration broker=1\n see_controller_change broker=1", **sizes)


def test_n3_a_process_that_ends_waits_for_no_answer():
    state = play("kip-320-2.5.0", f"{REGISTERS} crash broker=1", crashes=1, **ONE_EXPIRY)
    assert not state.broker[1].registering
