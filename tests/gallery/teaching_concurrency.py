"""Lamport's smallest algorithm that needs an invariant. TLA+ Examples: TeachingConcurrency/Simple."""

from highwater.model.language import Choice, Model, Record, Settings, State, flag, many, one_of, size
from highwater.properties.property import always


class Place(Choice):
    """What a process does next."""

    SET = "it sets its x"
    READ = "it reads the x of the process before it"
    DONE = "it is done"


class Config(Settings):
    """How many there are."""

    processes = size(5, 1, 8, "processes in a circle")


class Process(Record):
    """A process."""

    place = one_of(Place, "what it does next")
    x = flag("what the next process reads")
    y = flag("what it has read")


class Circle(State):
    """Processes in a circle: each sets x, and copies the x of its neighbour to y."""

    process = many(Process, "processes", "the processes")


def set_x(s, process):
    """A process sets its x."""
    if s.process[process].place is not Place.SET:
        return False
    s.process[process].x = 1
    s.process[process].place = Place.READ
    return True


def read_x(s, process):
    """It copies the x of the process before it to its y."""
    if s.process[process].place is not Place.READ:
        return False
    s.process[process].y = s.process[s.config.processes - 1 if process == 0 else process - 1].x
    s.process[process].place = Place.DONE
    return True


def some_y_is_set(s):
    """When all are done, somebody has read 1. It is no invariant that proves itself: the next one does."""
    return not all(p_is_done(s, process) for process in range(s.config.processes)) or any_y(s)


def set_before_read(s, process):
    """Who has gone on has set its x."""
    return s.process[process].place is Place.SET or s.process[process].x == 1


def p_is_done(s, process):
    """Whether a process is done."""
    return s.process[process].place is Place.DONE


def any_y(s):
    """Whether somebody has read 1."""
    return any(s.process[process].y for process in range(s.config.processes))


MODEL = Model(state=Circle, config=Config, actions=[set_x, read_x], properties=[always(some_y_is_set), always(set_before_read)])
