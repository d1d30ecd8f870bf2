"""What a follower does with an answer that its own epochs do not reach, as the document says and as releases do."""

import pytest
from highwater.model.truncation.exchange import fall_back
from highwater.model.vocabulary import NO_EPOCH, NO_OFFSET, Phase
from highwater.properties.progress import truncation_asks_once_per_epoch
from support.kafka import KAFKA
from support.mutants import without
from support.play import play

SIZE = {"brokers": 2, "max_epoch": 4, "log_size": 4, "max_records": 4}
RULE = "by_common_epoch.truncate_to_common_epoch: "


def answered(starts, leo, hw, epoch, end, **settings):
    """Broker 1 follows broker 0 with this log and epoch cache, and has this answer."""
    state = play("kip-279", "", **SIZE, **settings)
    me = state.replica[0][1]
    me.leo, me.hw, me.rounds, me.phase = leo, hw, 1, Phase.ANSWERED
    me.answer_epoch, me.answer_end = epoch, end
    for offset in range(leo):
        me.log[offset].record = offset + 1
        me.log[offset].epoch = max((e for e, start in starts.items() if start <= offset), default=0)
    for one, start in starts.items():
        me.epoch_start[one] = start
    return state


def after(state):
    """Where its log ends when it has taken the answer, and whether it asks on."""
    assert KAFKA.action("truncate_to_answer").version(state.config)(state, 0, 1)
    me = state.replica[0][1]
    assert me.phase in (Phase.ASKING, Phase.FETCHING)
    return me.leo, me.phase is Phase.ASKING


CASES = {
    # its epochs with their starts, log end, high watermark, the answer; where its log then ends (KIP-279, 2.0.0, 2.0.1); asks it?
    "another record at offset 0": (({1: 0}, 1, 0, 0, 1), (0, 1, 0), False),
    "two of its epochs are later": (({1: 0, 3: 2}, 4, 1, 0, 3), (0, 3, 0), False),
    "its first records have no epoch": (({2: 2}, 4, 1, 0, 3), (1, 3, 2), False),
    "the leader ends before its first epoch": (({2: 2}, 4, 0, 0, 1), (0, 1, 1), False),
    "all below the high watermark": (({2: 2}, 4, 4, 1, 3), (2, 3, 2), False),
    "it has a lower epoch": (({0: 0, 3: 2}, 4, 0, 1, 1), (2, 2, 2), True),
    "it has the epoch": (({0: 0, 3: 2}, 4, 0, 0, 1), (1, 1, 1), False),
}


@pytest.mark.parametrize("case", CASES)
def test_an_epoch_older_than_all_that_the_follower_knows(case):
    """KIP-279's step 3 beside AbstractFetcherThread.getOffsetTruncationState, which reads LeaderEpochFileCache.endOffsetFor.

    The cache of 2.0.0 has no end for that epoch, so only the ends of the logs are compared. That of 2.0.1 says that the epoch
    ends where its own first one starts.
    """
    given, ends, asks = CASES[case]
    for value, end in zip(("asks-on", "leader-end", "own-start"), ends, strict=True):
        assert after(answered(*given, older_answer=value)) == (end, asks), value


@pytest.mark.parametrize(
    ("rule", "case", "value"),
    [
        (RULE + "never: s.config.older_answer is OlderAnswer.LEADER_END and largest_epoch_up_to(s, me, epoch) == NO_EPOCH",
         "another record at offset 0", "leader-end"),
        (RULE + "without: largest_epoch_up_to(s, me, epoch) == NO_EPOCH", "it has a lower epoch", "leader-end"),
        (RULE + "truncate(s, me, end)", "two of its epochs are later", "leader-end"),
        (RULE + "min(end_of_epochs_up_to(s, me, epoch), end)", "the leader ends before its first epoch", "own-start"),
        (RULE + "always: knows_epoch(me, epoch) or stops_at_own_start(s, me, epoch)", "its first records have no epoch",
         "asks-on"),
        (RULE + "without: stops_at_own_start(s, me, epoch)", "its first records have no epoch", "own-start"),
    ],
)  # fmt: skip
def test_each_rule_decides_a_case(rule, case, value):
    """The same cases with one rule broken: the answer is another."""
    given, ends, asks = CASES[case]
    state = answered(*given, older_answer=value)
    with without(KAFKA, rule):
        assert after(state) != (ends[("asks-on", "leader-end", "own-start").index(value)], asks)


@pytest.mark.parametrize("truncation", ["by-common-epoch", "mixed"])
@pytest.mark.parametrize(("value", "later"), [("high-watermark", 1), ("last-cut", 3)])
def test_an_undefined_answer_in_the_first_round_and_in_a_later_one(value, later, truncation):
    """Kafka falls back to the offset from which it would fetch: the high watermark, then where a round has cut."""
    size = {"truncation": truncation, "upgraded_to": "by-common-epoch", "undefined_answer": value}
    for rounds, end in ((1, 1), (2, later), (3, later)):
        state = answered({0: 0, 2: 1}, 3, 1, NO_EPOCH, NO_OFFSET, **size)
        state.replica[0][1].rounds = rounds
        assert after(state) == (end, False)


@pytest.mark.parametrize(
    ("rule", "rounds", "value"),
    [
        ("always: me.rounds <= 1 or s.config.undefined_answer is not UndefinedAnswer.LAST_CUT", 2, "last-cut"),
        ("without: me.rounds <= 1", 1, "last-cut"),
        ("without: s.config.undefined_answer is not UndefinedAnswer.LAST_CUT", 2, "high-watermark"),
    ],
)
def test_each_rule_of_the_fallback_decides_a_case(rule, rounds, value):
    state = answered({0: 0, 2: 1}, 3, 1, NO_EPOCH, NO_OFFSET, undefined_answer=value)
    state.replica[0][1].rounds = rounds
    sound, broken = state.copy(), state
    fall_back(sound, sound.replica[0][1])
    with without(KAFKA, f"exchange.fall_back: {rule}"):
        assert after(broken) != (sound.replica[0][1].leo, False)


def test_one_request_too_many_is_counted_in_the_last_epoch():
    """A follower of epoch 4 may ask five times; the sixth request violates `truncation_asks_once_per_epoch`."""
    for rounds, kept in ((4, True), (5, False)):
        state = answered({0: 0, 3: 2}, 4, 0, 1, 1)
        me = state.replica[0][1]
        me.leader_epoch, me.rounds = 4, rounds
        assert after(state) == (2, True)
        assert truncation_asks_once_per_epoch(state, 0, 1) == kept
