"""The variables of the published KRaft specifications, their constants, and where they begin.

The original counts brokers, offsets and epochs from 1; here brokers and offsets count from 0, so that an end is a number of
records. What follows from other variables is not kept twice: the unfenced brokers are those whose registration is not fenced, a
broker is registered if it runs, and its copy of the metadata log is the first `applied` changes of the controller's.
"""

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
    one,
    one_of,
    size,
)  # fmt: skip
from ..language.errors import UsageError


class Recovery(Choice):
    """Who may be elected when the ISR has gone."""

    ISR_OF_ONE = "the last member of the ISR stays in it, and nobody else is elected"
    ELIGIBLE_REPLICAS = "the ISR may be empty: whoever left it below min ISR is eligible (KIP-966)"


class LastReplica(Choice):
    """Whether the last member of the ISR may lose its log (AvoidLastReplicaStanding)."""

    PROTECTED = "it stops with its log"
    MAY_LOSE_ITS_LOG = "it may, as in Kafka"


class Write(Choice):
    """What a leader commits as it writes."""

    AS_WRITTEN = "what the specification says, which looks for the new record in the log before the write"
    WITH_THE_RECORD = "what is meant"


class Status(Choice):
    """What a broker does."""

    RUNNING = "it runs"
    STARTING = "it runs, and is not registered yet"
    OFFLINE_CLEAN = "it has stopped, and its log is whole"
    OFFLINE_DIRTY = "it has stopped, and its log is lost"


class Role(Choice):
    """What a replica is."""

    NONE = "there is no replica, or no leader"
    FOLLOWER = "it follows"
    LEADER = "it leads, as it believes"


class FetchError(Choice):
    """The error in a fetch response."""

    NONE = "none"
    NOT_LEADER_OR_FOLLOWER = "it does not lead"
    UNKNOWN_LEADER_EPOCH = "it does not know the leader epoch yet"
    FENCED_LEADER_EPOCH = "it is in a later leader epoch"


class Stage(Choice):
    """How far a registration has come."""

    UNSENT = "the broker has not started"
    ASKED = "the request waits"
    ANSWERED = "the response waits"
    DONE = "the response was received"


class Outcome(Choice):
    """The response to an AlterPartition request."""

    ACCEPTED = "the ISR is changed"
    INELIGIBLE_REPLICA = "a member is fenced, or has another broker epoch"
    FENCED_LEADER_EPOCH = "the leader, its broker epoch or the partition epoch is another"


NOTHING = -1
"""No offset."""


class Config(Settings):
    """Constants of the specifications, and what they leave out."""

    brokers = size(3, 1, 4, "brokers; those beyond the replicas can be reassigned to (BrokerCount)")
    replicas = size(0, 0, 4, "replicas of the one partition at first; 0: all brokers (InitReplicationFactor)")
    in_sync = size(0, 0, 4, "members of the ISR at first, the others are fenced; 0: all replicas (InitIsrSize)")
    min_isr = size(2, 1, 4, "min.insync.replicas (MinISR)")
    values = size(1, 1, 3, "records that producers may write (Values)")
    fetches = size(32, 2, 80, "fetch requests and responses that there is room for")
    alterations = size(6, 2, 20, "AlterPartition requests that there is room for")
    records_per_fetch = size(1, 1, 3, "records that a response may have; the specifications have one")
    clean_shutdowns = budget("brokers that stop and keep their log (CleanShutdownLimit, NoDataLossShutdownLimit)")
    unclean_shutdowns = budget("brokers that stop and lose their log (UncleanShutdownLimit, DataLossShutdownLimit)")
    fencings = budget("running brokers that the controller fences (FenceBrokerLimit)")
    shrinks = budget("AlterPartition requests that drop a follower that is too slow (LeaderShrinkIsrLimit)")
    reassignments = budget("reassignments (ReassignmentLimit)")
    preferred_elections = budget("elections of another member of the ISR while its leader lives; the specifications have none")
    unclean_elections = budget("elections of a replica outside the ISR; the specifications have none")
    recovery = choice(Recovery)
    last_replica = choice(LastReplica)
    write = choice(Write)

    members = derived(lambda c: c.brokers)
    assigned = derived(lambda c: c.replicas or c.brokers)
    isr_size = derived(lambda c: c.in_sync or c.assigned)
    leaders = derived(lambda c: c.brokers + 1)
    sets = derived(lambda c: 1 << c.brokers)
    stops = derived(lambda c: c.clean_shutdowns + c.unclean_shutdowns)
    incarnations = derived(lambda c: c.brokers + c.stops)
    fenced = derived(lambda c: c.fencings + c.stops)
    leader_epochs = derived(lambda c: 1 + 2 * c.fenced + c.reassignments + c.preferred_elections + c.unclean_elections)
    changes = derived(
        lambda c: (
            c.leader_epochs + c.stops + c.shrinks + c.reassignments  # each raises the partition epoch once more at most
            + c.assigned - c.isr_size + c.fenced + c.stops + c.shrinks * (c.assigned - 1)  # brokers that come back into the ISR
            + (c.reassignments + c.unclean_elections) * c.brokers
        )
    )  # fmt: skip
    partition_epochs = derived(lambda c: c.changes + 1)
    value_sets = derived(lambda c: (1 << c.values) - 1)
    answers = derived(lambda c: len(Outcome))
    ways = derived(lambda c: 2)

    def check(self) -> None:
        """The specifications' assumptions."""
        if not self.min_isr <= self.isr_size <= self.assigned <= self.brokers:
            raise UsageError(
                f"min_isr = {self.min_isr}, in_sync = {self.isr_size}, replicas = {self.assigned}, brokers = {self.brokers}: each"
                " must be at most the next, as the specifications assume; with fewer brokers, set the others too"
            )


def of_leader(doc: str, initial: int = 0) -> int:
    """A leader epoch; the first is 1."""
    return integer(0, "leader_epochs", doc, initial)


def of_partition(doc: str) -> int:
    """A partition epoch; the first is 1, or 2 if a replica is out of the ISR at first."""
    return integer(0, "partition_epochs", doc)


def of_broker(doc: str) -> int:
    """A broker epoch or an incarnation id: the number of brokers and more for each start; 0: none."""
    return integer(0, "incarnations", doc)


def in_log(doc: str, low: int = 0) -> int:
    """An offset, or the end of a log."""
    return integer(low, "values", doc, low)


class Change(Record):
    """A PartitionChangeRecord of the metadata log: the whole state of the partition."""

    replicas = member_set("the replicas, with those that are added")
    isr = member_set("the ISR")
    elr = member_set("KIP-966: the eligible leader replicas")
    last_known_elr = member_set("KIP-966: who was eligible and lost its log")
    leader = member("the leader, or nobody")
    leader_epoch = of_leader("raised when the leader changes")
    partition_epoch = of_partition("raised by every change")
    adding = member_set("a reassignment adds these")
    removing = member_set("a reassignment removes these")


class Registration(Record):
    """What the controller knows of a broker."""

    fenced = flag("it may not lead, nor join the ISR")
    broker_epoch = of_broker("given by the controller")
    incarnation = of_broker("the start of the broker that registered last")


class Controller(Record):
    """The controller, as one that never fails."""

    registration = many(Registration, MEMBERS, "by broker")
    now = one(Change, "the partition's present state")
    last_broker_epoch = of_broker("the broker epoch that was given last")


class Slot(Record):
    """One offset of a log; beyond its end both are zero."""

    record = in_log("which record; 0: none")
    epoch = of_leader("the leader epoch in which it was written")


class Known(Record):
    """The partition as a broker knows it."""

    replicas = member_set("the replicas; empty: it has no replica")
    isr = member_set("the ISR")
    maximal_isr = member_set("the ISR, and those whom its own request adds to it")
    leader = member("the leader, or nobody")
    leader_epoch = of_leader("the leader epoch")
    partition_epoch = of_partition("the partition epoch")


class Peer(Record):
    """A follower as its leader knows it, by its last fetch."""

    leo = in_log("the offset that it fetched; -1: no fetch is known", NOTHING)
    broker_epoch = of_broker("the broker epoch that the fetch named")


class Fetcher(Record):
    """What a broker fetches from another one."""

    added = flag("the partition is fetched")
    offset = in_log("the next offset")
    last_epoch = of_leader("the epoch of the record before it")
    delayed = flag("the last fetch failed")
    waits = flag("a response is awaited")


class Process(Record):
    """A broker, with its replica of the partition."""

    status = one_of(Status, "what it does")
    broker_epoch = of_broker("its own broker epoch")
    incarnation = of_broker("its own incarnation; 0: it is offline")
    applied = integer(0, "changes", "how many changes of the metadata log it has")
    role = one_of(Role, "what its replica is")
    known = one(Known, "the partition as it knows it")
    leo = in_log("log end offset")
    hw = in_log("high watermark; after a truncation it may lie beyond the end")
    log = many(Slot, "values", "the records at offsets 0 .. leo - 1")
    start = in_log("as leader, its log end when its leader epoch began; else -1", NOTHING)
    peer = many(Peer, MEMBERS, "as leader, the followers")
    fetcher = many(Fetcher, MEMBERS, "by the broker that is fetched from")
    # Not present in an implementation.
    floor = in_log("the first record that it wrote as leader and may yet acknowledge; -1: none", NOTHING)


class Sent(Record):
    """Base of messages. A message is a member of a set: what was sent before and is sent again is the same message."""

    waits = flag("it was sent, and nobody has received it yet")
    gone = flag("it was received, or dropped, at least once")


class Start(Record):
    """A RegisterBrokerRequest, of which each start of a broker sends one, and its response."""

    broker = member("who starts")
    kept_epoch = of_broker("KIP-966: the broker epoch of the run before, if it ended clean")
    stage = one_of(Stage, "how far it has come")
    broker_epoch = of_broker("the response: the new broker epoch")
    applied = integer(0, "changes", "the response: how many changes the metadata log had")


class Answer(Sent):
    """An AlterPartition response."""


class Alteration(Sent):
    """An AlterPartition request, and its responses. A request that is sent again may get another response."""

    leader = member("the leader that sends it")
    isr = member_set("the ISR that it wants")
    epoch_of = many(of_broker("the broker epoch of a follower that joins; of the others 0"), MEMBERS)
    leader_epoch = of_leader("the leader's leader epoch")
    partition_epoch = of_partition("the leader's partition epoch")
    broker_epoch = of_broker("the leader's broker epoch")
    pending = flag("the leader awaits its response")
    answer = many(Answer, "answers", "accepted, ineligible replica, fenced epoch")
    replicas_then = member_set("if accepted: the replicas")
    isr_then = member_set("if accepted: the ISR")
    leader_then = member("if accepted: the leader")
    leader_epoch_then = of_leader("if accepted: the leader epoch")


class Fetch(Sent):
    """A Fetch request, or the response to one; beside a response's fields those of a request alone are zero, and vice versa."""

    response = flag("it is a response")
    follower = member("who fetches")
    leader = member("from whom")
    leader_epoch = of_leader("the leader epoch of who sent it")
    offset = in_log("the offset that is fetched")
    broker_epoch = of_broker("a request: the follower's broker epoch")
    last_epoch = of_leader("a request: the epoch of the follower's record before the offset; 0: none")
    error = one_of(FetchError, "a response: its error")
    diverging = flag("a response: the logs differ before the offset")
    end_epoch = of_leader("where they differ: the leader's last epoch up to the follower's")
    end = in_log("where they differ: the end of that epoch")
    hw = in_log("a response: the high watermark of who answers")
    records = many(Slot, "records_per_fetch", "a response: the records")


class PublishedKraft(State):
    """All variables of the specifications."""

    config: Config
    controller = one(Controller, "the controller")
    changes = integer(0, "changes", "how long the metadata log is")
    change = many(Change, "changes", "the metadata log")
    broker = many(Process, MEMBERS, "the brokers")
    starts = integer(0, "stops", "how many brokers have started again")
    start = many(Start, "stops", "registrations, in the order of the starts")
    alteration = many(Alteration, "alterations", "AlterPartition requests in the order of `messages.compare_alteration`")
    fetch = many(Fetch, "fetches", "fetch requests and responses in the order of `messages.compare_fetch`")
    # Counters, which bound the exploration.
    clean_shutdowns = integer(0, "clean_shutdowns", "shutdowns that kept the log")
    unclean_shutdowns = integer(0, "unclean_shutdowns", "shutdowns that lost it")
    fencings = integer(0, "fencings", "brokers that were fenced while they ran")
    shrinks = integer(0, "shrinks", "requests that dropped a follower")
    reassignments = integer(0, "reassignments", "reassignments that have begun")
    preferred_elections = integer(0, "preferred_elections", "elections of another member of the ISR")
    unclean_elections = integer(0, "unclean_elections", "elections of a replica outside the ISR")
    # What only properties and bounds read.
    sent = integer(0, "value_sets", "the values that a leader has written, as a bit mask")
    acknowledged = integer(0, "value_sets", "the values that were acknowledged")
    refused = integer(0, "value_sets", "the values whose write was answered with an error")
    true_hw = in_log("the highest high watermark that there was")
    consumed = many(Slot, "values", "what a consumer has read below it")
