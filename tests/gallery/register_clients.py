"""Clients of a register, as stateright's examples have them: each writes a value of its own, and then reads.

What happened is kept, so that a model can ask whether it is linearizable (stateright: `RegisterActor`, `LinearizabilityTester`).
Actors are numbered as there: the servers, then the clients. A request has the number of its client, times 1 for its write and 2
for its read. The value of a client is its place, from 1; 0 is what the register holds at first.
"""

from highwater.model.language import Record, integer, many


class Client(Record):
    """A client, and what it has seen of the others."""

    operation = integer(0, 2, "0: it writes; 1: it reads; 2: it is done")
    seen = many(integer(-1, 1, "the last operation that had ended before its read began; -1: none", initial=-1), "clients")
    value = integer(0, "clients", "what it has read")


def write_ends(s, client):
    """Its write has ended, and its read begins: what the others have done is before it."""
    for other in range(s.config.clients):
        s.client[client].seen[other] = -1 if other == client else s.client[other].operation - 1
    s.client[client].operation = 1


def read_ends(s, client, value):
    """Its read has ended."""
    s.client[client].value = value
    s.client[client].operation = 2


def is_before(s, value, later):
    """Whether the write of a value, or a read of it, ended before a read of a later value began."""
    if value == 0:
        return True
    for client in range(s.config.clients):
        me = s.client[client]
        if me.operation == 2 and me.value == later:
            if client == value - 1 or me.seen[value - 1] >= 0:
                return True
            for other in range(s.config.clients):
                if s.client[other].operation == 2 and s.client[other].value == value and me.seen[other] == 1:
                    return True
    return False


def linearizable(s, value, later):
    """Of no two values each has to be before the other: with values that are written once, there is an order of all."""
    return value == later or not is_before(s, value, later) or not is_before(s, later, value)
