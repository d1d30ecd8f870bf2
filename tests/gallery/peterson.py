"""Peterson's mutual exclusion of two processes. TLA+ Examples: locks_auxiliary_vars/Peterson."""

from highwater.model.language import Choice, Model, Record, State, flag, integer, many, one_of
from highwater.properties.property import always


class Place(Choice):
    """Where a process is."""

    OUTSIDE = "it does something else"
    INTERESTED = "it is about to say so"
    POLITE = "it is about to let the other go first"
    WAITING = "it waits"
    CRITICAL = "it is in the critical section"
    LEAVING = "it is about to say that it is done"


class Process(Record):
    """One process."""

    place = one_of(Place, "where it is")
    wants = flag("it has said that it wants to enter")


class Peterson(State):
    """Two processes, and whose turn it is."""

    process = many(Process, 2, "the processes")
    turn = integer(0, 1, "who may go first")


def leave_the_rest(s, process):
    """A process begins to be interested."""
    if s.process[process].place is not Place.OUTSIDE:
        return False
    s.process[process].place = Place.INTERESTED
    return True


def say_so(s, process):
    """It says that it wants to enter."""
    if s.process[process].place is not Place.INTERESTED:
        return False
    s.process[process].wants = 1
    s.process[process].place = Place.POLITE
    return True


def let_the_other_go_first(s, process):
    """It gives the turn to the other."""
    if s.process[process].place is not Place.POLITE:
        return False
    s.turn = 1 - process
    s.process[process].place = Place.WAITING
    return True


def enter(s, process):
    """It enters when the other does not want to, or it is its turn."""
    if s.process[process].place is not Place.WAITING:
        return False
    if s.process[1 - process].wants and s.turn != process:
        return False
    s.process[process].place = Place.CRITICAL
    return True


def finish(s, process):
    """It has done its work."""
    if s.process[process].place is not Place.CRITICAL:
        return False
    s.process[process].place = Place.LEAVING
    return True


def leave(s, process):
    """It says that it is done."""
    if s.process[process].place is not Place.LEAVING:
        return False
    s.process[process].wants = 0
    s.process[process].place = Place.OUTSIDE
    return True


def is_inside(s, process):
    """Whether a process is where only one may be."""
    return s.process[process].place in (Place.CRITICAL, Place.LEAVING)


def one_at_a_time(s):
    """No two processes are in the critical section at once."""
    return not all(is_inside(s, process) for process in range(2))


def says_what_it_wants(s, process):
    """A process has said that it wants to enter from the moment it did until it leaves."""
    late = s.process[process].place in (Place.POLITE, Place.WAITING, Place.CRITICAL, Place.LEAVING)
    return s.process[process].wants == (1 if late else 0)


MODEL = Model(
    state=Peterson,
    actions=[leave_the_rest, say_so, let_the_other_go_first, enter, finish, leave],
    properties=[always(one_at_a_time), always(says_what_it_wants)],
)
