"""Configuration and variables of the model of strategies, and where it begins."""

from ..language import (
    MEMBERS,
    Choice,
    Record,
    Settings,
    State,
    budget,
    choice,
    derived,
    flag,
    integer,
    many,
    member,
    member_set,
    size,
    switch,
)
from ..members import everyone


class Commit(Choice):
    """Who must have a record before it is committed, and who may be elected (K2)."""

    ISR = "the ISR"
    MAJORITY = "a majority"


class Election(Choice):
    """Whom a majority elects: the longest log, or of those whose last record has the latest epoch the longest."""

    LONGEST_LOG = "the longest log"
    LATEST_EPOCH = "of those with the latest epoch the longest"


class Config(Settings):
    """Sizes, the replicas that fail, and the strategy."""

    brokers = size(3, 1, 5, "replicas of the one partition")
    log_size = size(2, 1, 4, "offsets in a log")
    max_records = size(2, 1, 4, "records that producers may write")
    crashes = budget("replicas that stop", 1, 5)
    restarts = budget("stopped replicas that come back with what is on their disk", 0, 5)
    commit = choice(Commit)
    slow_followers = switch("a follower that lags leaves the ISR too, not only one that has stopped (V3 G)")
    election = choice(Election)

    members = derived(lambda c: c.brokers)
    epochs = derived(lambda c: c.crashes + 1)
    majority = derived(lambda c: c.brokers // 2 + 1)


class Slot(Record):
    """One offset of a log; beyond the log's end both are zero."""

    record = integer(0, "max_records", "which record; 0: none")
    epoch = integer(0, "crashes", "the leader epoch in which it was written")


class Replica(Record):
    """One replica."""

    up = flag("it runs")
    epoch = integer(0, "crashes", "the leader epoch in which it follows, or leads")
    leo = integer(0, "log_size", "log end offset, on disk")
    log = many(Slot, "log_size", "the records at offsets 0 .. leo - 1, on disk")


class Strategies(State):
    """All variables."""

    config: Config
    leader = member("who was elected last, running or not")
    epoch = integer(0, "crashes", "its leader epoch: one election at most follows a crash")
    isr = member_set("by-ISR: who must have a record before it is committed")
    hw = integer(0, "log_size", "the leader's high watermark; a new leader begins at 0")
    replica = many(Replica, MEMBERS, "the replicas")
    records = integer(0, "max_records", "records written so far")
    crashes = integer(0, "crashes", "replicas that have stopped so far")
    restarts = integer(0, "restarts", "replicas that have come back so far")
    # Not present in an implementation.
    committed = many(integer(0, "max_records", "the record that was committed first at this offset; 0: none"), "log_size")
    contradicted = flag("another record was committed at an offset where one was")


def initial_states(config: Config) -> list[Strategies]:
    """Nothing is written; broker 0 leads, everyone runs, follows and is in the ISR."""
    state = Strategies(config)
    state.leader = 0
    if config.commit is Commit.ISR:
        state.isr = everyone(config.brokers)
    for replica in state.replica:
        replica.up = 1
    return [state]
