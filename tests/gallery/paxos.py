"""Paxos: acceptors vote for a value, ballot by ballot; what has been sent is a set of messages.

Acceptors can be renamed, and so can values: these are two symmetric sorts.
"""

from highwater.model.language import (
    MEMBERS,
    Choice,
    Model,
    Record,
    Settings,
    Sort,
    State,
    derived,
    integer,
    many,
    member,
    no_asymmetry,
    one_of,
    set_of,
    size,
)  # fmt: skip
from highwater.properties.property import always

VALUES = Sort("values")


class Sizes(Settings):
    """How many there are."""

    acceptors = size(3, 1, 5, "acceptors")
    values = size(2, 1, 3, "values")
    ballots = size(2, 1, 4, "ballots")
    members = derived(lambda c: c.acceptors)
    top = derived(lambda c: c.ballots - 1)
    messages = derived(lambda c: 2 * c.ballots * (1 + c.acceptors))


class Type(Choice):
    """What a message is for."""

    PREPARE = "a ballot begins", "1a"
    PROMISE = "an acceptor has seen it, and says how it voted", "1b"
    PROPOSE = "a value is to be voted for", "2a"
    VOTE = "an acceptor votes", "2b"


class Message(Record):
    """A message; what its type does not need is -1, or nobody."""

    type = one_of(Type, "what it is for")
    ballot = integer(0, "top", "its ballot")
    acceptor = member("who sends it")
    voted = integer(-1, "top", "the ballot in which the sender voted last", initial=-1)
    value = member("the value", VALUES)


class Acceptor(Record):
    """An acceptor."""

    ballot = integer(-1, "top", "the latest ballot that it has seen", initial=-1)
    voted = integer(-1, "top", "the latest in which it voted", initial=-1)
    value = member("for what", VALUES)


class Paxos(State):
    """Acceptors, and all that was ever sent."""

    acceptor = many(Acceptor, MEMBERS)
    sent = set_of(Message, "messages", "all messages")


def begin_ballot(s, ballot):
    """A ballot begins."""
    s.sent.add(type=Type.PREPARE, ballot=ballot)
    return True


def promise(s, acceptor, ballot):
    """An acceptor promises to vote in no earlier ballot, and says how it voted last."""
    me = s.acceptor[acceptor]
    if ballot <= me.ballot or not s.sent.has(type=Type.PREPARE, ballot=ballot):
        return False
    me.ballot = ballot
    s.sent.add(type=Type.PROMISE, ballot=ballot, acceptor=acceptor, voted=me.voted, value=me.value)
    return True


def propose(s, ballot, value):
    """A value is proposed that nobody of a quorum contradicts: the one with the latest vote, if there is any."""
    if s.sent.has(type=Type.PROPOSE, ballot=ballot) or not any(is_safe(s, ballot, value, end) for end in range(s.config.ballots)):
        return False
    s.sent.add(type=Type.PROPOSE, ballot=ballot, value=value)
    return True


def is_safe(s, ballot, value, end):
    """Whether a quorum has promised that voted before a ballot, and one of it, in the ballot before, for the value, or none."""
    quorum = sum(one.type is Type.PROMISE and one.ballot == ballot and one.voted < end for one in s.sent.values())
    voted = end == 0 or s.sent.has(type=Type.PROMISE, ballot=ballot, voted=end - 1, value=value)
    return voted and 2 * quorum > s.config.acceptors


def vote(s, acceptor, ballot, value):
    """An acceptor votes for what is proposed, unless it has promised not to."""
    me = s.acceptor[acceptor]
    if ballot < me.ballot or not s.sent.has(type=Type.PROPOSE, ballot=ballot, value=value):
        return False
    me.ballot = ballot
    me.voted = ballot
    me.value = value
    s.sent.add(type=Type.VOTE, ballot=ballot, acceptor=acceptor, value=value)
    return True


def is_chosen(s, ballot, value):
    """Whether most acceptors have voted for a value in a ballot."""
    return 2 * s.sent.count(type=Type.VOTE, ballot=ballot, value=value) > s.config.acceptors


def one_is_chosen(s, ballot, value, later, other):
    """No two values are chosen."""
    return value == other or not is_chosen(s, ballot, value) or not is_chosen(s, later, other)


MODEL = Model(
    state=Paxos,
    config=Sizes,
    domains={"acceptor": MEMBERS, "ballot": "ballots", "later": "ballots", "value": VALUES, "other": VALUES},
    actions=[begin_ballot, promise, propose, vote],
    properties=[always(one_is_chosen)],
    asymmetry=no_asymmetry,
)
