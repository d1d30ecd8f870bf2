"""Configuration and variables of the designs, and where they begin."""

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
    one_of,
    size,
)  # fmt: skip
from ..members import everyone


class Election(Choice):
    """Who leads: who creates the node first, who has the smallest sequential node (K1), or whom the controller names."""

    BY_NAME = "who creates the node first"
    BY_SEQUENCE = "who has the smallest sequential node"
    BY_CONTROLLER = "whom the controller names"


class Changes(Choice):
    """How a follower hears of a leader."""

    WATCHED = "it watches the node"
    QUEUED = "by a queue in the store"
    SENT = "by a request of the controller"


class Nodes(Choice):
    """Leader and ISR in nodes of their own, or in one that is written on a version (Z4)."""

    APART = "in nodes of their own"
    ONE_NODE = "in one node"


class WatchAgain(Choice):
    """Who lost the race sets its watch again, without or with a look at who leads now."""

    BLIND = "without a look"
    LOOKS = "with a look"


class SequenceWatch(Choice):
    """Whom a sequential node's owner watches (K1)."""

    EVERYBODY = "everybody"
    PREDECESSOR = "the owner of the node before"


class StaleRequests(Choice):
    """What becomes of a queued request whose leader leads no more (V2)."""

    OBEYED = "it is obeyed"
    DROPPED = "it is dropped"


class Race(Choice):
    """What a broker does in the race for the leader's node."""

    RESTS = "it follows, leads, or has no one to follow"
    LOOKING = "its broker is new in the store: it has yet to read who leads"
    COMPETING = "it has read that no one leads, and is about to create the node"
    LOST = "it has yet to set its watch again"


class Config(Settings):
    """Sizes, faults, and what the designs differ in."""

    brokers = size(3, 1, 4, "brokers, each with a replica of every partition")
    partitions = size(1, 1, 3, "partitions of the one topic")
    crashes = budget("brokers that stop and lose what was only in memory", 0, 3)
    session_expiries = budget("ZooKeeper sessions that expire while their broker lives on", 1, 3)
    election = choice(Election)
    changes = choice(Changes)
    nodes = choice(Nodes)
    watch_again = choice(WatchAgain)
    sequence_watch = choice(SequenceWatch)
    stale_requests = choice(StaleRequests)

    members = derived(lambda c: c.brokers)
    faults = derived(lambda c: c.crashes + c.session_expiries)
    queues = derived(lambda c: c.partitions * (c.faults + 1) if c.changes is Changes.QUEUED else 0)
    competitors = derived(lambda c: 0 if c.election is Election.BY_CONTROLLER else 1)
    places = derived(lambda c: c.brokers if c.election is Election.BY_SEQUENCE else 0)
    commanded = derived(lambda c: c.partitions if c.election is Election.BY_CONTROLLER else 0)


class Node(Record):
    """What the store has of a partition."""

    leader = member("V1, V2: the ephemeral leader node; V3: the leader in leaderAndISR")
    isr = member_set("who may be elected")
    place = many(integer(0, "places", "place of the broker's sequential node, 1 is the smallest; 0: none"), MEMBERS, "K1")


class Replica(Record):
    """What a broker believes of a partition, and what it watches."""

    leader = member("whom it follows; itself when it leads")
    isr = member_set("leader: the ISR as it knows it")
    current = flag("leader: it knows the version of the node that has leader and ISR (Z4)")
    watch = flag("a watch is set on the leader node, or on sequential nodes (Z8)")
    event = flag("it has fired, and the event is not seen yet")
    phase = one_of(Race, "what it does in the race")


class Request(Record):
    """A state change for a broker: in its queue (V2)."""

    waits = flag("there is one")
    partition = integer(0, 2, "of which partition")
    leader = member("whom to follow")


class Command(Record):
    """A request of the controller on its way to a broker (V3); a later one takes its place."""

    sent = flag("there is one")
    leader = member("who shall lead")
    isr = member_set("the ISR that it starts from")
    current = flag("nobody has written the node since")


class Designs(State):
    """All variables."""

    config: Config
    sessions = member_set("brokers whose session lives: /brokers/ids (Z2, Z7)")
    up = member_set("brokers that run")
    node = many(Node, "partitions", "the store")
    replica = many(many(Replica, MEMBERS), "partitions", "the brokers' replicas")
    queue = many(many(Request, "queues"), MEMBERS, "V2: state changes in the store, the first to be taken first")
    live = member_set("V3: the live brokers as the controller read them last")
    live_event = flag("V3: /brokers/ids has changed, and the controller has not seen it")
    command = many(many(Command, MEMBERS), "commanded", "V3: requests on their way")
    crashes = integer(0, "crashes", "brokers that have stopped so far")
    session_expiries = integer(0, "session_expiries", "sessions that have expired under a living broker so far")


def initial_states(config: Config) -> list[Designs]:
    """Everybody runs, in session and in the ISR; broker 0 leads all partitions, all others follow and watch."""
    state = Designs(config)
    all_brokers = everyone(config.brokers)
    state.sessions = state.up = all_brokers
    if config.election is Election.BY_CONTROLLER:
        state.live = all_brokers
    for partition, node in enumerate(state.node):
        node.leader, node.isr = 0, all_brokers
        for broker, me in enumerate(state.replica[partition]):
            me.leader = 0
            if config.election is not Election.BY_CONTROLLER:
                me.watch = int(broker != 0)
            if config.election is Election.BY_SEQUENCE:
                node.place[broker] = 1 + broker
        leader = state.replica[partition][0]
        leader.isr, leader.current = all_brokers, int(config.nodes is Nodes.ONE_NODE)
    return [state]
