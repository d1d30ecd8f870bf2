"""ABD: a register on several servers, linearizable while a majority answers. stateright: examples/linearizable-register."""

from highwater.model.language import Choice, Model, Record, Settings, State, bag, derived, flag, integer, many, one_of, size
from highwater.properties.property import always, sometimes
from register_clients import Client, linearizable, read_ends, write_ends


class Sizes(Settings):
    """How many there are."""

    clients = size(2, 1, 3, "clients, each with a write and a read")
    servers = size(2, 1, 3, "servers")
    places = derived(lambda c: 4 * c.clients * c.servers)
    values = derived(lambda c: c.clients + 1)
    last_server = derived(lambda c: c.servers - 1)
    last_actor = derived(lambda c: c.servers + c.clients - 1)
    last_request = derived(lambda c: 2 * (c.servers + c.clients - 1))
    last_sequence = derived(lambda c: (c.clients + 1) * c.servers - 1)


class Kind(Choice):
    """What a message is for."""

    PUT = "a client writes"
    GET = "a client reads"
    PUT_OK = "the write is done"
    GET_OK = "the read is done"
    QUERY = "what do you have?"
    ACK_QUERY = "what a server has"
    RECORD = "take this"
    ACK_RECORD = "it is taken"


class Message(Record):
    """A message on its way."""

    kind = one_of(Kind, "what it is for")
    source = integer(0, "last_actor", "who sends it")
    target = integer(0, "last_actor", "who receives it")
    request = integer(0, "last_request", "for which request")
    sequence = integer(0, "last_sequence", "a clock, times the servers, with the server that wrote")
    value = integer(0, "clients", "a value")


class Response(Record):
    """What a server has answered."""

    there = flag("it has answered")
    sequence = integer(0, "last_sequence", "the sequence of its value")
    value = integer(0, "clients", "its value")


class Server(Record):
    """A server: what it has, and the request that it works on."""

    sequence = integer(0, "last_sequence", "the sequence of its value")
    value = integer(0, "clients", "its value")
    phase = integer(0, 2, "0: it works on nothing; 1: it asks the others; 2: it tells them")
    request = integer(0, "last_request", "the request")
    client = integer(0, "last_actor", "whose")
    write = integer(0, "clients", "what to write; 0: it reads")
    read = integer(0, "clients", "what was read")
    response = many(Response, "servers", "the answers of phase 1")
    acknowledged = many(flag("it has taken it"), "servers", "the answers of phase 2")


class Register(State):
    """Servers, clients, and what is on its way."""

    server = many(Server, "servers")
    client = many(Client, "clients")
    network = bag(Message, "places", "in no order, each delivered once")


def broadcast(s, server, kind, request, sequence, value):
    """A server sends a message to all others."""
    for other in range(s.config.servers):
        if other != server:
            s.network.send(kind=kind, source=server, target=other, request=request, sequence=sequence, value=value)


def begin(s, place):
    """A server begins with a write or a read of a client: it asks the others what they have."""
    if place >= len(s.network):
        return False
    message = s.network.item[place]
    if message.kind is not Kind.PUT and message.kind is not Kind.GET:
        return False
    server, source, request, value = message.target, message.source, message.request, message.value
    me = s.server[server]
    if me.phase != 0:
        return False
    s.network.remove(place)
    me.phase = 1
    me.request = request
    me.client = source
    me.write = value
    me.response[server].there = True
    me.response[server].sequence = me.sequence
    me.response[server].value = me.value
    broadcast(s, server, Kind.QUERY, request, 0, 0)
    return True


def answer_query(s, place):
    """A server says what it has."""
    if place >= len(s.network) or s.network.item[place].kind is not Kind.QUERY:
        return False
    message = s.network.item[place]
    server, source, request = message.target, message.source, message.request
    s.network.remove(place)
    s.network.send(
        kind=Kind.ACK_QUERY, source=server, target=source, request=request,
        sequence=s.server[server].sequence, value=s.server[server].value,
    )  # fmt: skip
    return True


def receive_answer(s, place):
    """With the answers of a majority a server takes the latest value, or writes a later one, and tells the others."""
    if place >= len(s.network) or s.network.item[place].kind is not Kind.ACK_QUERY:
        return False
    message = s.network.item[place]
    server, source = message.target, message.source
    me = s.server[server]
    if me.phase != 1 or me.request != message.request:
        return False
    me.response[source].there = True
    me.response[source].sequence = message.sequence
    me.response[source].value = message.value
    s.network.remove(place)
    if sum(one.there for one in me.response) != s.config.servers // 2 + 1:
        return True
    latest = max((me.response[one].sequence for one in range(s.config.servers) if me.response[one].there), default=0)
    value = max((one.value for one in me.response if one.there and one.sequence == latest), default=0)
    if me.write != 0:
        latest = (latest // s.config.servers + 1) * s.config.servers + server
        value = me.write
    else:
        me.read = value
    if latest > me.sequence:
        me.sequence = latest
        me.value = value
    for other in range(s.config.servers):
        me.response[other].there = False
        me.response[other].sequence = 0
        me.response[other].value = 0
    me.acknowledged[server] = True
    me.phase = 2
    broadcast(s, server, Kind.RECORD, me.request, latest, value)
    return True


def take_record(s, place):
    """A server takes what is later than its own, and says that it has."""
    if place >= len(s.network) or s.network.item[place].kind is not Kind.RECORD:
        return False
    message = s.network.item[place]
    server, source, request = message.target, message.source, message.request
    if message.sequence > s.server[server].sequence:
        s.server[server].sequence = message.sequence
        s.server[server].value = message.value
    s.network.remove(place)
    s.network.send(kind=Kind.ACK_RECORD, source=server, target=source, request=request)
    return True


def receive_acknowledgement(s, place):
    """With a majority the request is done, and its client hears of it."""
    if place >= len(s.network) or s.network.item[place].kind is not Kind.ACK_RECORD:
        return False
    message = s.network.item[place]
    server, source = message.target, message.source
    me = s.server[server]
    if me.phase != 2 or me.request != message.request or me.acknowledged[source]:
        return False
    s.network.remove(place)
    me.acknowledged[source] = True
    if sum(me.acknowledged[one] for one in range(s.config.servers)) != s.config.servers // 2 + 1:
        return True
    kind = Kind.PUT_OK if me.write != 0 else Kind.GET_OK
    s.network.send(kind=kind, source=server, target=me.client, request=me.request, value=me.read)
    for other in range(s.config.servers):
        me.acknowledged[other] = False
    me.phase = 0
    me.request = 0
    me.client = 0
    me.write = 0
    me.read = 0
    return True


def client_reads(s, place):
    """A client whose write is done reads, from the next server."""
    if place >= len(s.network) or s.network.item[place].kind is not Kind.PUT_OK:
        return False
    actor = s.network.item[place].target
    s.network.remove(place)
    write_ends(s, actor - s.config.servers)
    s.network.send(kind=Kind.GET, source=actor, target=(actor + 1) % s.config.servers, request=2 * actor)
    return True


def client_is_done(s, place):
    """A client has read."""
    if place >= len(s.network) or s.network.item[place].kind is not Kind.GET_OK:
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
    state = Register(config)
    for server in range(config.servers):
        state.server[server].sequence = server
    for client in range(config.clients):
        actor = config.servers + client
        state.network.send(kind=Kind.PUT, source=actor, target=actor % config.servers, request=actor, value=client + 1)
    return [state]


MODEL = Model(
    state=Register,
    config=Sizes,
    initial_states=all_write,
    domains={"place": "places", "value": "values", "later": "values"},
    actions=[
        begin, answer_query, receive_answer, take_record, receive_acknowledgement, client_reads, client_is_done,
    ],
    properties=[always(linearizable), sometimes(value_is_read)],
)  # fmt: skip
