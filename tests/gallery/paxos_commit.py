"""Paxos commit: an instance of Paxos for each resource manager. TLA+ Examples: transaction_commit/PaxosCommit."""

from highwater.model.language import Choice, Model, Record, Settings, State, derived, flag, integer, many, one_of, size
from highwater.properties.property import always


class Phase(Choice):
    """What a resource manager has decided."""

    WORKING = "it works"
    PREPARED = "it is prepared"
    COMMITTED = "it has committed"
    ABORTED = "it has aborted"


class Value(Choice):
    """What is proposed for a resource manager."""

    NONE = "nothing"
    PREPARED = "that it is prepared"
    ABORTED = "that it has aborted"


class Config(Settings):
    """The sizes."""

    managers = size(2, 1, 3, "resource managers")
    acceptors = size(3, 1, 3, "acceptors")
    ballots = size(2, 1, 2, "ballots; the first is that of the resource manager itself")
    members = derived(lambda c: c.managers)


class Promise(Record):
    """An answer to phase 1 of a ballot: what its acceptor had accepted."""

    sent = flag("it was sent")
    ballot = integer(0, "ballots", "the ballot of what it had accepted, plus one; 0: it had accepted nothing")
    value = one_of(Value, "what it had accepted")


class Ballot(Record):
    """The messages of a ballot for one resource manager; they stay where they are sent."""

    begun = flag("phase 1 has begun")
    proposed = one_of(Value, "what phase 2 proposes")
    promise = many(Promise, "acceptors", "the answers to phase 1")
    accepted = many(flag("it has accepted what is proposed"), "acceptors", "the answers to phase 2")


class Acceptor(Record):
    """An acceptor, in the instance of one resource manager."""

    promised = integer(0, "ballots", "the highest ballot that it has seen")
    ballot = integer(0, "ballots", "the ballot of what it has accepted, plus one; 0: nothing")
    value = one_of(Value, "what it has accepted")


class Manager(Record):
    """A resource manager, and the instance of Paxos that decides for it."""

    phase = one_of(Phase, "its phase")
    ballot = many(Ballot, "ballots", "messages")
    acceptor = many(Acceptor, "acceptors", "acceptors")


class PaxosCommit(State):
    """The whole state."""

    manager = many(Manager, "managers", "resource managers")
    commit = flag("Commit was sent")
    abort = flag("Abort was sent")


def prepare(s, manager):
    """A resource manager is prepared, and proposes that in the first ballot."""
    if s.manager[manager].phase is not Phase.WORKING:
        return False
    s.manager[manager].phase = Phase.PREPARED
    s.manager[manager].ballot[0].proposed = Value.PREPARED
    return True


def choose_to_abort(s, manager):
    """It aborts by itself, and proposes that in the first ballot."""
    if s.manager[manager].phase is not Phase.WORKING:
        return False
    s.manager[manager].phase = Phase.ABORTED
    s.manager[manager].ballot[0].proposed = Value.ABORTED
    return True


def obey_commit(s, manager):
    """It receives Commit."""
    if not s.commit or s.manager[manager].phase is Phase.COMMITTED:
        return False
    s.manager[manager].phase = Phase.COMMITTED
    return True


def obey_abort(s, manager):
    """It receives Abort."""
    if not s.abort or s.manager[manager].phase is Phase.ABORTED:
        return False
    s.manager[manager].phase = Phase.ABORTED
    return True


def begin(s, manager, ballot):
    """A leader begins a later ballot."""
    if ballot == 0 or s.manager[manager].ballot[ballot].begun:
        return False
    s.manager[manager].ballot[ballot].begun = 1
    return True


def promise(s, manager, ballot, acceptor):
    """An acceptor answers to phase 1 with what it has accepted."""
    me = s.manager[manager].acceptor[acceptor]
    if not s.manager[manager].ballot[ballot].begun or me.promised >= ballot:
        return False
    answer = s.manager[manager].ballot[ballot].promise[acceptor]
    me.promised = ballot
    answer.sent, answer.ballot, answer.value = 1, me.ballot, me.value
    return True


def propose(s, manager, ballot, left_out):
    """A leader proposes what the latest of two acceptors had accepted, or that the manager has aborted."""
    it = s.manager[manager].ballot[ballot]
    if ballot == 0 or it.proposed is not Value.NONE:
        return False
    if not all(it.promise[acceptor].sent for acceptor in range(s.config.acceptors) if acceptor != left_out):
        return False
    last = max((it.promise[acceptor].ballot for acceptor in range(s.config.acceptors) if acceptor != left_out), default=0)
    it.proposed = Value.ABORTED
    for acceptor in range(s.config.acceptors):
        if acceptor != left_out and it.promise[acceptor].ballot == last and last > 0:
            it.proposed = it.promise[acceptor].value
            break
    return True


def accept(s, manager, ballot, acceptor):
    """An acceptor accepts what is proposed, unless it has seen a later ballot."""
    it, me = s.manager[manager].ballot[ballot], s.manager[manager].acceptor[acceptor]
    if it.proposed is Value.NONE or me.promised > ballot or it.accepted[acceptor]:
        return False
    me.promised, me.ballot, me.value = ballot, ballot + 1, it.proposed
    it.accepted[acceptor] = 1
    return True


def is_decided(s, manager, value):
    """Whether two of three acceptors have accepted a value in one ballot."""
    return any(
        s.manager[manager].ballot[ballot].proposed == value
        and 2 * sum(s.manager[manager].ballot[ballot].accepted[acceptor] for acceptor in range(s.config.acceptors))
        > s.config.acceptors
        for ballot in range(s.config.ballots)
    )


def send_commit(s):
    """Commit is sent when all are decided to be prepared."""
    if s.commit or not all(is_decided(s, manager, Value.PREPARED) for manager in range(s.config.managers)):
        return False
    s.commit = 1
    return True


def send_abort(s):
    """Abort is sent when one is decided to have aborted."""
    if s.abort or not any(is_decided(s, manager, Value.ABORTED) for manager in range(s.config.managers)):
        return False
    s.abort = 1
    return True


def consistent(s, manager, other):
    """No manager has aborted where another has committed."""
    return s.manager[manager].phase is not Phase.ABORTED or s.manager[other].phase is not Phase.COMMITTED


MODEL = Model(
    state=PaxosCommit,
    config=Config,
    domains={"manager": "managers", "other": "managers", "ballot": "ballots", "acceptor": "acceptors", "left_out": "acceptors"},
    actions=[prepare, choose_to_abort, obey_commit, obey_abort, begin, promise, propose, accept, send_commit, send_abort],
    properties=[always(consistent)],
)
