"""Raft: election and log replication. Vanlightly's raft-tlaplus: specifications/standard-raft/Raft, after Ongaro's raft.tla.

What was sent is kept, with how many copies are on their way: a message that has been sent once is not sent again. Elections,
restarts and values are bounded, as there; a leader sends one entry at a time, and waits for the answer.
"""

from highwater.model.language import (
    NO_MEMBER,
    Choice,
    Model,
    Record,
    Settings,
    State,
    derived,
    flag,
    integer,
    many,
    member,
    one_of,
    seq,
    set_of,
    size,
)  # fmt: skip
from highwater.properties.property import always, sometimes


class Sizes(Settings):
    """How many there are."""

    servers = size(3, 1, 3, "servers")
    elections = size(1, 1, 3, "elections that begin")
    restarts = size(0, 0, 2, "restarts")
    values = size(1, 1, 2, "values that clients send, each once")
    members = derived(lambda c: c.servers)
    last_term = derived(lambda c: c.elections + 1)
    next_index = derived(lambda c: c.values + 1)
    room = derived(lambda c: 4 * (c.servers - 1) * (1 + c.elections + c.values))
    copies = derived(lambda c: 1 + c.elections + c.restarts)
    last_value = derived(lambda c: c.values - 1)


class Role(Choice):
    """What a server is."""

    FOLLOWER = "it follows"
    CANDIDATE = "it wants to lead"
    LEADER = "it leads"


class Kind(Choice):
    """What a message is for."""

    VOTE = "vote for me"
    VOTED = "an answer to it"
    APPEND = "append this entry, or none"
    APPENDED = "an answer to it"


class Entry(Record):
    """An entry of a log."""

    term = integer(0, "last_term", "the term of the leader that took it; 0: there is none")
    value = integer(0, "last_value", "what the client sent")


class Message(Record):
    """What was sent; what its kind does not need is 0."""

    kind = one_of(Kind, "what it is for")
    term = integer(0, "last_term", "the term of its sender")
    source = member("who sends it")
    target = member("who receives it")
    index = integer(0, "values", "the last index of a candidate's log; the one before the entry; the one that now matches")
    last_term = integer(0, "last_term", "the term of the entry at this index")
    entry_term = integer(0, "last_term", "the term of the entry that is sent; 0: none is")
    entry_value = integer(0, "last_value", "its value")
    commit = integer(0, "values", "what the leader has committed")
    granted = flag("yes: the vote is granted, the entry fits")
    copies = integer(0, "copies", "how many are on their way")


class Server(Record):
    """A server."""

    term = integer(1, "last_term", "its term", initial=1)
    role = one_of(Role, "what it is")
    voted_for = member("for whom it has voted in this term")
    log = seq(Entry, "values", "its log")
    commit = integer(0, "values", "how much of it is committed")
    votes = many(flag("it has this vote"), "servers", "who has voted for it")
    next_index = many(integer(1, "next_index", "the next entry to send", initial=1), "servers", "by follower")
    match_index = many(integer(0, "values", "what it has"), "servers", "by follower")
    waits = many(flag("it has not answered"), "servers", "by follower")


class Sent(Choice):
    """What became of a value."""

    NOT_SENT = "no client has sent it"
    SENT = "a client has sent it"
    ACKNOWLEDGED = "it is acknowledged"


class Raft(State):
    """Servers, messages and clients."""

    server = many(Server, "servers")
    messages = set_of(Message, "room", "all that were sent")
    client = many(one_of(Sent, "what became of it"), "values", "by value")
    elections = integer(0, "elections", "elections that began")
    restarts = integer(0, "restarts", "restarts")


def term_at(log, index):
    """The term of an entry; 0 of none."""
    return log.item[index - 1].term if index > 0 else 0


def is_majority(s, count):
    """Whether so many are a majority."""
    return 2 * count > s.config.servers


def restart(s, server):
    """A server restarts: it keeps its term, its vote and its log."""
    if s.restarts >= s.config.restarts:
        return False
    me = s.server[server]
    me.role = Role.FOLLOWER
    for other in range(s.config.servers):
        me.votes[other] = False
        me.next_index[other] = 1
        me.match_index[other] = 0
        me.waits[other] = False
    me.commit = 0
    s.restarts += 1
    return True


def request_vote(s, server):
    """A server times out, votes for itself in a new term, and asks the others for their votes."""
    me = s.server[server]
    if s.elections >= s.config.elections or me.role is Role.LEADER:
        return False
    me.role = Role.CANDIDATE
    me.term += 1
    me.voted_for = server
    for other in range(s.config.servers):
        me.votes[other] = other == server
        if other != server:
            s.messages.add(
                kind=Kind.VOTE, term=me.term, source=server, target=other, index=len(me.log),
                last_term=term_at(me.log, len(me.log)), copies=1,
            )  # fmt: skip
    s.elections += 1
    return True


def become_leader(s, server):
    """A candidate with the votes of a majority leads."""
    me = s.server[server]
    if me.role is not Role.CANDIDATE or not is_majority(s, sum(me.votes[one] for one in range(s.config.servers))):
        return False
    me.role = Role.LEADER
    for other in range(s.config.servers):
        me.next_index[other] = len(me.log) + 1
        me.match_index[other] = 0
        me.waits[other] = False
    return True


def client_request(s, server, value):
    """A leader takes a value of a client into its log."""
    me = s.server[server]
    if me.role is not Role.LEADER or s.client[value] is not Sent.NOT_SENT:
        return False
    me.log.append(term=me.term, value=value)
    s.client[value] = Sent.SENT
    return True


def advance_commit_index(s, server):
    """A leader commits what a majority has, if its last entry is of its own term, and answers the clients."""
    me = s.server[server]
    if me.role is not Role.LEADER:
        return False
    agreed = 0
    for index in range(1, s.config.next_index):
        if index <= len(me.log):
            if is_majority(s, sum(one == server or me.match_index[one] >= index for one in range(s.config.servers))):
                agreed = index
    if agreed <= me.commit or term_at(me.log, agreed) != me.term:
        return False
    for value in range(s.config.values):
        if s.client[value] is Sent.SENT:
            if any(me.commit <= at < agreed and me.log.item[at].value == value for at in range(s.config.values)):
                s.client[value] = Sent.ACKNOWLEDGED
    me.commit = agreed
    return True


def append_entries(s, server, follower):
    """A leader sends a follower its next entry, or none; an empty message only once."""
    me = s.server[server]
    if server == follower or me.role is not Role.LEADER or me.waits[follower]:
        return False
    before = me.next_index[follower] - 1
    is_entry = before < len(me.log)
    term = me.log.item[before].term if is_entry else 0
    value = me.log.item[before].value if is_entry else 0
    commit = min(me.commit, before + 1 if is_entry else len(me.log))
    for one in s.messages.values():
        if (
            one.kind is Kind.APPEND and one.term == me.term and one.source == server and one.target == follower
            and one.index == before and one.last_term == term_at(me.log, before) and one.entry_term == term
            and one.entry_value == value and one.commit == commit
        ):  # fmt: skip
            if not is_entry:
                return False
            one.copies += 1
            me.waits[follower] = True
            return True
    me.waits[follower] = True
    s.messages.add(
        kind=Kind.APPEND, term=me.term, source=server, target=follower, index=before, last_term=term_at(me.log, before),
        entry_term=term, entry_value=value, commit=commit, copies=1,
    )  # fmt: skip
    return True


def update_term(s, place):
    """A message of a later term makes its receiver a follower of this term; it is still to be received."""
    if place >= len(s.messages):
        return False
    message = s.messages.item[place]
    me = s.server[message.target]
    if message.term <= me.term:
        return False
    me.term = message.term
    me.role = Role.FOLLOWER
    me.voted_for = NO_MEMBER
    return True


def is_there(s, place, kind):
    """Whether a message of this kind is on its way, of no later term than its receiver's."""
    if place >= len(s.messages) or s.messages.item[place].kind != kind or s.messages.item[place].copies == 0:
        return False
    return s.messages.item[place].term <= s.server[s.messages.item[place].target].term


def is_current(s, place):
    """Whether it is of its receiver's term."""
    return s.messages.item[place].term == s.server[s.messages.item[place].target].term


def reply(s, place, kind, granted, index):
    """A message is received, and answered in the receiver's term."""
    server, source = s.messages.item[place].target, s.messages.item[place].source
    s.messages.item[place].copies -= 1
    for one in s.messages.values():
        if (
            one.kind == kind and one.term == s.server[server].term and one.source == server and one.target == source
            and one.index == index and one.granted == granted
        ):  # fmt: skip
            one.copies += 1
            return
    s.messages.add(kind=kind, term=s.server[server].term, source=server, target=source, index=index, granted=granted, copies=1)


def handle_vote_request(s, place):
    """A server answers a candidate: it votes once a term, for a log that is not behind its own."""
    if not is_there(s, place, Kind.VOTE):
        return False
    message = s.messages.item[place]
    me = s.server[message.target]
    last = term_at(me.log, len(me.log))
    is_behind = message.last_term < last or (message.last_term == last and message.index < len(me.log))
    granted = is_current(s, place) and not is_behind and (me.voted_for == NO_MEMBER or me.voted_for == message.source)
    if granted:
        me.voted_for = message.source
    reply(s, place, Kind.VOTED, granted, 0)
    return True


def handle_vote(s, place):
    """A server counts a vote of its term."""
    if not is_there(s, place, Kind.VOTED) or not is_current(s, place):
        return False
    message = s.messages.item[place]
    if message.granted:
        s.server[message.target].votes[message.source] = True
    message.copies -= 1
    return True


def fits(s, place):
    """Whether the receiver has the entry before the one that is sent."""
    message = s.messages.item[place]
    log = s.server[message.target].log
    return message.index == 0 or (message.index <= len(log) and term_at(log, message.index) == message.last_term)


def reject_entries(s, place):
    """A server refuses entries of an earlier term, and a follower those that do not fit."""
    if not is_there(s, place, Kind.APPEND):
        return False
    if is_current(s, place) and (s.server[s.messages.item[place].target].role is not Role.FOLLOWER or fits(s, place)):
        return False
    reply(s, place, Kind.APPENDED, False, 0)
    return True


def accept_entries(s, place):
    """A server that does not lead follows, cuts what differs, and appends the entry."""
    if not is_there(s, place, Kind.APPEND) or not is_current(s, place):
        return False
    message = s.messages.item[place]
    me = s.server[message.target]
    if me.role is Role.LEADER or not fits(s, place):
        return False
    for _ in range(s.config.values):
        if len(me.log) > message.index:
            me.log.remove(len(me.log) - 1)
    if message.entry_term > 0:
        me.log.append(term=message.entry_term, value=message.entry_value)
    me.role = Role.FOLLOWER
    me.commit = message.commit
    reply(s, place, Kind.APPENDED, True, message.index + (1 if message.entry_term > 0 else 0))
    return True


def handle_answer(s, place):
    """A leader notes what a follower has, or goes one entry back."""
    if not is_there(s, place, Kind.APPENDED) or not is_current(s, place):
        return False
    message = s.messages.item[place]
    me, source = s.server[message.target], message.source
    if message.granted:
        me.next_index[source] = message.index + 1
        me.match_index[source] = message.index
    else:
        me.next_index[source] = max(me.next_index[source] - 1, 1)
    me.waits[source] = False
    message.copies -= 1
    return True


def one_leader_a_term(s, server, other):
    """No two servers lead in one term."""
    if server == other or s.server[server].role is not Role.LEADER or s.server[other].role is not Role.LEADER:
        return True
    return s.server[server].term != s.server[other].term


def leader_has_acknowledged_values(s, server, value):
    """The leader of the latest term has every acknowledged value."""
    me = s.server[server]
    if s.client[value] is not Sent.ACKNOWLEDGED or me.role is not Role.LEADER:
        return True
    if any(one.term > me.term for one in s.server):
        return True
    return any(entry.value == value for entry in me.log.values())


def logs_do_not_diverge(s, server, other):
    """Two servers have the same entries as far as both have committed."""
    mine, theirs = s.server[server], s.server[other]
    return all(
        mine.log.item[at] == theirs.log.item[at]
        for at in range(s.config.values)
        if at < mine.commit and at < theirs.commit
    )  # fmt: skip


def value_is_acknowledged(s, value):
    """A value is acknowledged."""
    return s.client[value] is Sent.ACKNOWLEDGED


MODEL = Model(
    state=Raft,
    config=Sizes,
    domains={
        "server": "servers", "follower": "servers", "other": "servers", "value": "values", "place": "room",
    },
    actions=[
        restart, request_vote, become_leader, client_request, advance_commit_index, append_entries, update_term,
        handle_vote_request, handle_vote, reject_entries, accept_entries, handle_answer,
    ],
    properties=[
        always(one_leader_a_term), always(leader_has_acknowledged_values), always(logs_do_not_diverge),
        sometimes(value_is_acknowledged),
    ],
)  # fmt: skip
