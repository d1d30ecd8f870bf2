"""Paxos: acceptors vote for a value, ballot by ballot; what has been sent is a set of messages."""

from highwater.model.language import Choice, Model, Record, Settings, State, derived, integer, many, one_of, set_of, size
from highwater.properties.property import always


class Sizes(Settings):
    """How many there are."""

    acceptors = size(3, 1, 5, "acceptors")
    values = size(2, 1, 3, "values")
    ballots = size(2, 1, 4, "ballots")
    top = derived(lambda c: c.ballots - 1)
    last_value = derived(lambda c: c.values - 1)
    last_acceptor = derived(lambda c: c.acceptors - 1)
    messages = derived(lambda c: 2 * c.ballots * (1 + c.acceptors))
    masks = derived(lambda c: 1 << c.acceptors)


class Type(Choice):
    """What a message is for."""

    PREPARE = "a ballot begins", "1a"
    PROMISE = "an acceptor has seen it, and says how it voted", "1b"
    PROPOSE = "a value is to be voted for", "2a"
    VOTE = "an acceptor votes", "2b"


class Message(Record):
    """A message; what its type does not need is -1."""

    type = one_of(Type, "what it is for")
    ballot = integer(0, "top", "its ballot")
    acceptor = integer(-1, "last_acceptor", "who sends it", initial=-1)
    voted = integer(-1, "top", "the ballot in which the sender voted last", initial=-1)
    value = integer(-1, "last_value", "the value", initial=-1)


class Acceptor(Record):
    """An acceptor."""

    ballot = integer(-1, "top", "the latest ballot that it has seen", initial=-1)
    voted = integer(-1, "top", "the latest in which it voted", initial=-1)
    value = integer(-1, "last_value", "for what", initial=-1)


class Paxos(State):
    """Acceptors, and all that was ever sent."""

    acceptor = many(Acceptor, "acceptors")
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


def propose(s, ballot, value, quorum):
    """A value is proposed that nobody of a quorum, a mask, contradicts: the one with the latest vote, if there is any."""
    if s.sent.has(type=Type.PROPOSE, ballot=ballot):
        return False
    if 2 * sum(quorum >> one & 1 for one in range(s.config.acceptors)) <= s.config.acceptors:
        return False
    latest = -1
    for one in range(s.config.acceptors):
        if quorum >> one & 1:
            if not s.sent.has(type=Type.PROMISE, ballot=ballot, acceptor=one):
                return False
            for message in s.sent.values():
                if message.type is Type.PROMISE and message.ballot == ballot and message.acceptor == one:
                    latest = max(latest, message.voted)
    if latest >= 0 and not supports(s, ballot, value, quorum, latest):
        return False
    s.sent.add(type=Type.PROPOSE, ballot=ballot, value=value)
    return True


def supports(s, ballot, value, quorum, latest):
    """Whether one of the quorum voted for the value in this ballot, as it has promised."""
    return any(
        message.type is Type.PROMISE and message.ballot == ballot and quorum >> message.acceptor & 1 == 1
        and message.voted == latest and message.value == value
        for message in s.sent.values()
    )  # fmt: skip


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
    domains={
        "acceptor": "acceptors", "ballot": "ballots", "later": "ballots", "value": "values", "other": "values", "quorum": "masks",
    },
    actions=[begin_ballot, promise, propose, vote],
    properties=[always(one_is_chosen)],
)  # fmt: skip
