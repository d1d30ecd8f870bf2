"""Two-phase commit: a transaction manager coordinates. TLA+ Examples: transaction_commit/TwoPhase."""

from dataclasses import replace

from highwater.model.language import MEMBERS, Choice, Model, Record, Settings, State, derived, flag, many, one, one_of, size
from highwater.properties.property import always


class Phase(Choice):
    """What a resource manager has decided."""

    WORKING = "it works"
    PREPARED = "it is prepared"
    COMMITTED = "it has committed"
    ABORTED = "it has aborted"


class Config(Settings):
    """How many there are."""

    managers = size(3, 1, 9, "resource managers")
    members = derived(lambda c: c.managers)


class Manager(Record):
    """A resource manager, and what the transaction manager has heard of it. Messages stay where they are sent."""

    phase = one_of(Phase, "its phase")
    sent = flag("it has sent Prepared")
    heard = flag("the transaction manager has received that")


class Coordinator(Record):
    """The transaction manager, and its messages."""

    decided = flag("it has decided")
    commit = flag("Commit was sent")
    abort = flag("Abort was sent")


class TwoPhase(State):
    """The whole state."""

    coordinator = one(Coordinator, "the transaction manager")
    manager = many(Manager, MEMBERS, "resource managers")


def receive_prepared(s, manager):
    """The transaction manager receives Prepared."""
    if s.coordinator.decided or not s.manager[manager].sent or s.manager[manager].heard:
        return False
    s.manager[manager].heard = 1
    return True


def decide_commit(s):
    """It decides to commit, when it has heard of all."""
    if s.coordinator.decided:
        return False
    for manager in range(s.config.members):
        if not s.manager[manager].heard:
            return False
    s.coordinator.decided = 1
    s.coordinator.commit = 1
    return True


def decide_abort(s):
    """It decides to abort, whenever it likes."""
    if s.coordinator.decided:
        return False
    s.coordinator.decided = 1
    s.coordinator.abort = 1
    return True


def prepare(s, manager):
    """A resource manager is prepared, and says so."""
    if s.manager[manager].phase is not Phase.WORKING:
        return False
    s.manager[manager].phase = Phase.PREPARED
    s.manager[manager].sent = 1
    return True


def choose_to_abort(s, manager):
    """A resource manager aborts by itself."""
    if s.manager[manager].phase is not Phase.WORKING:
        return False
    s.manager[manager].phase = Phase.ABORTED
    return True


def obey_commit(s, manager):
    """A resource manager receives Commit."""
    if not s.coordinator.commit or s.manager[manager].phase is Phase.COMMITTED:
        return False
    s.manager[manager].phase = Phase.COMMITTED
    return True


def obey_abort(s, manager):
    """A resource manager receives Abort."""
    if not s.coordinator.abort or s.manager[manager].phase is Phase.ABORTED:
        return False
    s.manager[manager].phase = Phase.ABORTED
    return True


def consistent(s, manager, other):
    """No manager has aborted where another has committed."""
    return s.manager[manager].phase is not Phase.ABORTED or s.manager[other].phase is not Phase.COMMITTED


MODEL = Model(
    state=TwoPhase,
    config=Config,
    actions=[receive_prepared, decide_commit, decide_abort, prepare, choose_to_abort, obey_commit, obey_abort],
    properties=[always(consistent)],
)

# Its proof, for any number of managers: highwater prove two_phase.py:PROVED --any-size --property consistent
# --with one_decision commit_when_all_are_prepared heard_was_sent prepared_when_sent obeys


def one_decision(s):
    """Commit and Abort are never both sent, and neither before the decision."""
    return s.coordinator.decided if s.coordinator.commit != s.coordinator.abort else not s.coordinator.commit


def commit_when_all_are_prepared(s, manager):
    """Commit is sent when all have been heard."""
    return not s.coordinator.commit or s.manager[manager].heard


def heard_was_sent(s, manager):
    """Prepared is received when it was sent."""
    return not s.manager[manager].heard or s.manager[manager].sent


def prepared_when_sent(s, manager):
    """Who has sent Prepared aborts when Abort was sent only."""
    if not s.manager[manager].sent or s.coordinator.abort:
        return True
    return s.manager[manager].phase is Phase.PREPARED or s.manager[manager].phase is Phase.COMMITTED


def obeys(s, manager):
    """Who has committed has received Commit."""
    return s.manager[manager].phase is not Phase.COMMITTED or s.coordinator.commit


LEMMAS = [one_decision, commit_when_all_are_prepared, heard_was_sent, prepared_when_sent, obeys]
PROVED = replace(MODEL, properties=[*MODEL.properties, *map(always, LEMMAS)])
