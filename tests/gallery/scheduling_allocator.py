"""Clients ask for resources, and a schedule says who is served first. TLA+ Examples: SchedulingAllocator."""

from highwater.model.language import Model, Record, Settings, State, any_of, derived, integer, many, seq, size
from highwater.properties.property import always, always_eventually, leads_to

ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


class Config(Settings):
    """How many there are."""

    clients = size(3, 3, 3, "clients")
    resources = size(2, 1, 3, "resources")
    orders = derived(lambda c: len(ORDERS))
    sets = derived(lambda c: 2**c.resources)
    full = derived(lambda c: 2**c.resources - 1)


class Client(Record):
    """One client: sets of resources, a bit for each."""

    unsat = integer(0, "full", "what it has asked for and not been given")
    alloc = integer(0, "full", "what it has")


class Allocator(State):
    """The clients, and the schedule."""

    client = many(Client, "clients")
    schedule = seq(integer(0, 2, "a client"), 3, "who is served first")


def available(s):
    """What nobody has."""
    free = s.config.full
    for one in s.client:
        free &= ~one.alloc
    return free


def waits(s, client):
    """It has asked, and is not in the schedule."""
    return s.client[client].unsat != 0 and client not in s.schedule


def request(s, client, what):
    """A client that has nothing asks for some resources."""
    me = s.client[client]
    if me.unsat != 0 or me.alloc != 0 or what == 0:
        return False
    me.unsat = what
    return True


def allocate(s, client, what, place):
    """A client in the schedule is given some of what it waits for, and nobody before it waits for that."""
    me = s.client[client]
    if what == 0 or what & ~(available(s) & me.unsat) != 0:
        return False
    if place >= len(s.schedule) or s.schedule.item[place] != client:
        return False
    if any(s.client[s.schedule.item[before]].unsat & what != 0 for before in range(3) if before < place):
        return False
    if what == me.unsat:
        s.schedule.remove(place)
    me.alloc |= what
    me.unsat &= ~what
    return True


def give_back(s, client, what):
    """A client gives some of its resources back."""
    me = s.client[client]
    if what == 0 or what & ~me.alloc != 0:
        return False
    me.alloc &= ~what
    return True


def give_all_back(s, client):
    """A client that waits for nothing gives all back: part of `give_back`, of which alone fairness is demanded."""
    me = s.client[client]
    if me.unsat != 0 or me.alloc == 0:
        return False
    me.alloc = 0
    return True


def extend(s, order):
    """Those who wait are put at the end of the schedule, in some order."""
    if not any(waits(s, client) for client in range(s.config.clients)):
        return False
    for place in range(3):
        if waits(s, ORDERS[order][place]):
            s.schedule.append(ORDERS[order][place])
    return True


def nobody_shares(s, client, other):
    """No two clients have one resource."""
    return client == other or s.client[client].alloc & s.client[other].alloc == 0


def in_the_schedule_they_wait(s, client):
    """Who is in the schedule waits for something."""
    return client not in s.schedule or s.client[client].unsat != 0


def is_satisfied(s, client):
    """It waits for nothing."""
    return s.client[client].unsat == 0


def has_nothing(s, client):
    """It has no resources."""
    return s.client[client].alloc == 0


MODEL = Model(
    state=Allocator, config=Config, actions=[request, allocate, give_back, give_all_back, extend],
    domains={"other": "clients", "what": "sets", "place": 3, "order": "orders"},
    weak=[give_all_back, any_of(allocate, each="client"), any_of(extend)],
    properties=[
        always(nobody_shares), always(in_the_schedule_they_wait), always_eventually(is_satisfied),
        leads_to(is_satisfied, has_nothing, name="is_given_back"),
    ],
)  # fmt: skip
