"""Records without epochs, in a message format from before 0.11 (N4, KAFKA-6857, KAFKA-7897)."""

import pytest
from highwater.model.language.errors import UsageError
from highwater.model.vocabulary import Phase
from support.kafka import explored, of_release, outcome, tiny, violated
from support.play import play

OLDER = {"message_format": "older"}
SIZES = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2, "max_records": 2}


def found(release, names, **settings):
    """What of these a release violates, with levels, where records carry no epochs."""
    return violated(outcome(of_release(release, **OLDER, **settings), names=names))


@pytest.mark.parametrize(
    ("release", "had_it"), [("0.11.0.3", 1), ("1.0.1", 1), ("1.0.2", 0), ("1.1.0", 1), ("1.1.1", 0), ("2.0.0", 0)]
)
def test_n4_a_leader_without_epochs_says_where_none_ends(release, had_it):
    """KAFKA-6857: its follower keeps what it alone has, and the leader commits."""
    assert found(release, ["no_committed_data_loss"], **SIZES) == ({"no_committed_data_loss": 14} if had_it else {})


@pytest.mark.parametrize(
    ("release", "had_it"), [("2.0.0", 0), ("2.0.1", 1), ("2.1.0", 1), ("2.1.1", 0), ("2.2.0", 0), ("2.5.0", 0)]
)
def test_n4_a_cache_that_knows_only_what_its_broker_led(release, had_it):
    """KAFKA-7897: a follower cuts what is committed, by an epoch that it led long ago."""
    names, sizes = ["older_records_stay"], {**SIZES, "max_records": 1, "preferred_elections": 2}
    assert found(release, names, **sizes) == ({"older_records_stay": 16} if had_it else {})


def test_n4_records_fill_no_cache():
    for form, starts in (("with-epochs", [0, -1]), ("older", [-1, -1])):
        state = play("kip-101", "produce\n fetch follower=1 leader=0", message_format=form)
        assert [list(me.epoch_start) for me in state.replica[0]] == [starts, starts]
    state = play("kip-320", "produce", **OLDER)
    assert list(state.replica[0][0].epoch_start) == [-1, -1]


@pytest.mark.parametrize(("answer", "phase"), [("log-end", Phase.ASKING), ("undefined", Phase.FETCHING)])
def test_n4_a_follower_without_epochs_asks_where_the_answer_matters(answer, phase):
    script = "request_preferred_election\n elect_preferred_replica\n become_follower broker=1 epoch=1"
    state = play("kip-101", script, **OLDER, preferred_elections=1, unnamed_epoch=answer, initial=1)
    assert state.replica[0][1].phase is phase


def test_n4_a_lost_file_has_nothing_to_be_filled_with():
    crash = "produce\n crash broker=0\n lose_epoch_file broker=0"
    state = play("kip-279", crash, crashes=1, lost_epoch_files=1, epoch_entry="when-leading", led_epochs="cached", **OLDER)
    assert list(state.replica[0][0].epoch_start) == [-1, -1]


def test_n4_a_mixed_cluster_writes_one_format():
    with pytest.raises(UsageError, match="needs another truncation than mixed"):
        tiny("kip-279", truncation="mixed", **OLDER)


def test_n4_since_2_1_1_the_high_watermark_decides_as_in_0_10():
    """What is then lost is what KIP-101 is about, with or without epochs in the records."""
    sizes = {"crashes": 1, "session_expiries": 1, "preferred_elections": 0, "max_epoch": 1}
    assert (
        explored("kip-320", ["no_committed_data_loss"], **sizes, **OLDER).keys()
        == explored("high-watermark", ["no_committed_data_loss"], **sizes).keys()
    )
