"""Transaction commit: resource managers agree to commit or to abort. TLA+ Examples: transaction_commit/TCommit."""

from highwater.model.language import MEMBERS, Choice, Model, Settings, State, derived, many, one_of, size
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


class Commit(State):
    """What each resource manager has decided."""

    manager = many(one_of(Phase, "its phase"), MEMBERS, "resource managers")


def prepare(s, manager):
    """A resource manager is prepared."""
    if s.manager[manager] is not Phase.WORKING:
        return False
    s.manager[manager] = Phase.PREPARED
    return True


def commit(s, manager):
    """A resource manager commits, when all are prepared."""
    if s.manager[manager] is not Phase.PREPARED:
        return False
    for other in range(s.config.members):
        if s.manager[other] is Phase.WORKING or s.manager[other] is Phase.ABORTED:
            return False
    s.manager[manager] = Phase.COMMITTED
    return True


def abort(s, manager):
    """A resource manager aborts, unless one has committed."""
    if s.manager[manager] is Phase.COMMITTED or s.manager[manager] is Phase.ABORTED:
        return False
    for other in range(s.config.members):
        if s.manager[other] is Phase.COMMITTED:
            return False
    s.manager[manager] = Phase.ABORTED
    return True


def consistent(s, manager, other):
    """No manager has aborted where another has committed."""
    return s.manager[manager] is not Phase.ABORTED or s.manager[other] is not Phase.COMMITTED


MODEL = Model(state=Commit, config=Config, actions=[prepare, commit, abort], properties=[always(consistent)])
