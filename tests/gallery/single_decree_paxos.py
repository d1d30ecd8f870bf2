"""Single-decree Paxos behind a register: a ballot for each write, one value is decided. stateright: examples/paxos."""

from highwater.model.language import Choice, Model, Record, Settings, State, bag, derived, flag, integer, many, one_of, size
from highwater.properties.property import always, sometimes
from register_clients import Client, linearizable, read_ends, write_ends


class Sizes(Settings):
    """How many there are."""

    clients = size(2, 1, 3, "clients, each with a write and a read")
    servers = size(3, 1, 3, "servers")
    places = derived(lambda c: 6 * c.clients)
    values = derived(lambda c: c.clients + 1)
    last_server = derived(lambda c: c.servers - 1)
    last_actor = derived(lambda c: c.servers + c.clients - 1)
    last_ballot = derived(lambda c: (c.clients + 1) * c.servers - 1)


class Kind(Choice):
    """What a message is for."""

    PUT = "a client writes"
    GET = "a client reads"
    PUT_OK = "the write is done"
    GET_OK = "the read is done"
    PREPARE = "a ballot begins"
    PREPARED = "a server has seen it, and says what it accepted"
    ACCEPT = "accept this value"
    ACCEPTED = "it is accepted"
    DECIDED = "it is decided"


class Message(Record):
    """A message on its way."""

    kind = one_of(Kind, "what it is for")
    source = integer(0, "last_actor", "who sends it")
    target = integer(0, "last_actor", "who receives it")
    ballot = integer(0, "last_ballot", "a round, times the servers, with the server that began it")
    value = integer(0, "clients", "a value")
    accepted = integer(-1, "last_ballot", "the ballot in which the sender accepted the value; -1: none", initial=-1)


class Prepared(Record):
    """What a server has answered to a ballot."""

    there = flag("it has answered")
    accepted = integer(-1, "last_ballot", "the ballot in which it accepted a value; -1: none", initial=-1)
    value = integer(0, "clients", "the value")


class Server(Record):
    """A server: it may lead a ballot, and it accepts."""

    ballot = integer(0, "last_ballot", "the latest ballot that it has seen")
    proposal = integer(0, "clients", "the value that it proposes; 0: none")
    prepared = many(Prepared, "servers", "the answers to its ballot")
    accepts = many(flag("it has accepted"), "servers", "who has accepted its proposal")
    accepted = integer(-1, "last_ballot", "the ballot in which it accepted a value; -1: none", initial=-1)
    value = integer(0, "clients", "the value")
    decided = flag("it knows that the value is decided")


class Paxos(State):
    """Servers, clients, and what is on its way."""

    server = many(Server, "servers")
    client = many(Client, "clients")
    network = bag(Message, "places", "in no order, each delivered once")


def is_for(s, place, kind):
    """Whether there is such a message, for an actor that still listens: who knows the decision answers only reads."""
    if place >= len(s.network) or s.network.item[place].kind != kind:
        return False
    target = s.network.item[place].target
    return target >= s.config.servers or not s.server[target].decided


def broadcast(s, server, kind, ballot, value):
    """A server sends a message to all others."""
    for other in range(s.config.servers):
        if other != server:
            s.network.send(kind=kind, source=server, target=other, ballot=ballot, value=value)


def begin_ballot(s, place):
    """A server that has proposed nothing begins a ballot for a client's write."""
    if not is_for(s, place, Kind.PUT):
        return False
    server, value = s.network.item[place].target, s.network.item[place].value
    me = s.server[server]
    if me.proposal != 0:
        return False
    s.network.remove(place)
    me.proposal = value
    for other in range(s.config.servers):
        me.prepared[other].there = False
        me.prepared[other].accepted = -1
        me.prepared[other].value = 0
        me.accepts[other] = False
    me.ballot = (me.ballot // s.config.servers + 1) * s.config.servers + server
    me.prepared[server].there = True
    me.prepared[server].accepted = me.accepted
    me.prepared[server].value = me.value
    broadcast(s, server, Kind.PREPARE, me.ballot, 0)
    return True


def prepare(s, place):
    """A server takes part in a later ballot, and says what it has accepted."""
    if not is_for(s, place, Kind.PREPARE):
        return False
    message = s.network.item[place]
    server, source, ballot = message.target, message.source, message.ballot
    me = s.server[server]
    if ballot <= me.ballot:
        return False
    s.network.remove(place)
    me.ballot = ballot
    s.network.send(kind=Kind.PREPARED, source=server, target=source, ballot=ballot, value=me.value, accepted=me.accepted)
    return True


def propose(s, place):
    """With the answers of a majority the latest value that one of them accepted is proposed, or the leader's own."""
    if not is_for(s, place, Kind.PREPARED):
        return False
    message = s.network.item[place]
    server = message.target
    me = s.server[server]
    if message.ballot != me.ballot:
        return False
    me.prepared[message.source].there = True
    me.prepared[message.source].accepted = message.accepted
    me.prepared[message.source].value = message.value
    s.network.remove(place)
    if sum(one.there for one in me.prepared) != s.config.servers // 2 + 1:
        return True
    latest = max((one.accepted for one in me.prepared if one.there), default=-1)
    if latest >= 0:
        me.proposal = max((one.value for one in me.prepared if one.there and one.accepted == latest), default=0)
    me.accepted = me.ballot
    me.value = me.proposal
    me.accepts[server] = True
    broadcast(s, server, Kind.ACCEPT, me.ballot, me.proposal)
    return True


def accept(s, place):
    """A server accepts a proposal, unless it takes part in a later ballot."""
    if not is_for(s, place, Kind.ACCEPT):
        return False
    message = s.network.item[place]
    server, source, ballot = message.target, message.source, message.ballot
    me = s.server[server]
    if ballot < me.ballot:
        return False
    me.ballot = ballot
    me.accepted = ballot
    me.value = message.value
    s.network.remove(place)
    s.network.send(kind=Kind.ACCEPTED, source=server, target=source, ballot=ballot)
    return True


def decide(s, place):
    """With a majority the value is decided: the others and its client hear of it."""
    if not is_for(s, place, Kind.ACCEPTED):
        return False
    message = s.network.item[place]
    server = message.target
    me = s.server[server]
    if message.ballot != me.ballot:
        return False
    me.accepts[message.source] = True
    s.network.remove(place)
    if sum(me.accepts[one] for one in range(s.config.servers)) != s.config.servers // 2 + 1:
        return True
    me.decided = True
    broadcast(s, server, Kind.DECIDED, me.ballot, me.proposal)
    s.network.send(kind=Kind.PUT_OK, source=server, target=s.config.servers + me.proposal - 1)
    return True


def hear_decision(s, place):
    """A server hears what was decided."""
    if not is_for(s, place, Kind.DECIDED):
        return False
    message = s.network.item[place]
    me = s.server[message.target]
    me.ballot = message.ballot
    me.accepted = message.ballot
    me.value = message.value
    me.decided = True
    s.network.remove(place)
    return True


def answer_read(s, place):
    """A server that knows the decision answers a read; another leaves it waiting."""
    if place >= len(s.network) or s.network.item[place].kind is not Kind.GET:
        return False
    server, source = s.network.item[place].target, s.network.item[place].source
    if not s.server[server].decided:
        return False
    s.network.remove(place)
    s.network.send(kind=Kind.GET_OK, source=server, target=source, value=s.server[server].value)
    return True


def client_reads(s, place):
    """A client whose write is done reads, from the next server; it may hear so again, and then does nothing."""
    if not is_for(s, place, Kind.PUT_OK):
        return False
    actor = s.network.item[place].target
    if s.client[actor - s.config.servers].operation != 0:
        return False
    s.network.remove(place)
    write_ends(s, actor - s.config.servers)
    s.network.send(kind=Kind.GET, source=actor, target=(actor + 1) % s.config.servers)
    return True


def client_is_done(s, place):
    """A client has read."""
    if not is_for(s, place, Kind.GET_OK):
        return False
    actor, value = s.network.item[place].target, s.network.item[place].value
    s.network.remove(place)
    read_ends(s, actor - s.config.servers, value)
    return True


def value_is_read(s):
    """A value that was written is on its way to a reader."""
    return any(one.kind is Kind.GET_OK and one.value != 0 for one in s.network.values())


def all_write(config):
    """Each client has sent its write to a server."""
    state = Paxos(config)
    for client in range(config.clients):
        actor = config.servers + client
        state.network.send(kind=Kind.PUT, source=actor, target=actor % config.servers, value=client + 1)
    return [state]


MODEL = Model(
    state=Paxos,
    config=Sizes,
    initial_states=all_write,
    domains={"place": "places", "value": "values", "later": "values"},
    actions=[
        begin_ballot, prepare, propose, accept, decide, hear_decision, answer_read, client_reads, client_is_done,
    ],
    properties=[always(linearizable), sometimes(value_is_read)],
)  # fmt: skip
