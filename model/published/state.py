"""The six variables of the published specification, and its constants."""

from ..language import MEMBERS, Choice, Record, Settings, State, choice, derived, integer, many, member, member_set, one, size
from ..members import everyone

NO_EPOCH = -1


class Truncation(Choice):
    """Where a new follower cuts its log."""

    HIGH_WATERMARK = "at its high watermark"
    KIP_101 = "at the end of its last epoch"
    KIP_279 = "at the end of the largest epoch that both know"
    AT_FETCH = "when a fetch shows another history"
    FENCED = "as KIP-320 says"
    UNFENCED = "as KIP-320 says, but for the fence"


class Replication(Choice):
    """What the leader asks of a follower."""

    BASE = "nothing"
    EPOCH_OF_LAST_RECORD = "the epoch of its last record"
    LEADER_EPOCH = "its leader epoch"


class Config(Settings):
    """Constants of the specification."""

    brokers = size(3, 1, 5, "replicas of the one partition")
    log_size = size(2, 1, 8, "offsets in a log")
    max_records = size(2, 1, 8, "records that producers may write")
    max_epoch = size(2, 0, 8, "the last leader epoch; the first is 0")
    truncation = choice(Truncation)
    replication = choice(Replication)

    members = derived(lambda c: c.brokers)
    epochs = derived(lambda c: c.max_epoch + 1)


def epoch(doc: str, initial: int = 0) -> int:
    """A leader epoch."""
    return integer(NO_EPOCH, "max_epoch", doc, initial)


def offset(doc: str) -> int:
    """An offset, or the length of a log."""
    return integer(0, "log_size", doc)


class Slot(Record):
    """One offset of a log. Beyond the log's end both are zero, so that each log has one encoding."""

    id = integer(0, "max_records", "which record of all that were ever written")
    epoch = integer(0, "max_epoch", "the leader epoch in which it was written")


class Replica(Record):
    """A replica's log, and its local view of the partition."""

    leader_epoch = epoch("the epoch of the request it obeyed last", NO_EPOCH)
    leader = member("whom it follows; itself when it presumes to lead")
    isr = member_set("the ISR as it knows it")
    hw = offset("high watermark")
    leo = offset("log end offset")
    log = many(Slot, "log_size", "the records at offsets 0 .. leo - 1")


class Request(Record):
    """A LeaderAndIsr request; the one of epoch e stands at index e and is never consumed."""

    leader = member("who shall lead; nobody in a request that makes the partition offline")
    isr = member_set("the ISR that the leader starts from")


class Quorum(Record):
    """The partition's state in ZooKeeper."""

    leader_epoch = epoch("the last epoch", NO_EPOCH)
    leader = member("the leader of the last epoch")
    isr = member_set("who may be elected")


class Published(State):
    """All variables of the specification."""

    config: Config
    next_record_id = integer(0, "max_records", "the id of the next record")
    next_leader_epoch = integer(0, "epochs", "the epoch of the next request")
    quorum = one(Quorum, "what ZooKeeper holds")
    request = many(Request, "epochs", "every request ever sent, by epoch")
    replica = many(Replica, MEMBERS, "the replicas")


def initial_states(config: Config) -> list[Published]:
    """Nothing was written, no one leads, and every replica may be elected."""
    state = Published(config)
    state.quorum.isr = everyone(config.brokers)
    return [state]
