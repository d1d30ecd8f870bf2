"""Dining philosophers hand clean forks on (Chandy and Misra). TLA+ Examples: DiningPhilosophers/DiningPhilosophers."""

from highwater.model.language import Choice, Model, Record, Settings, State, flag, integer, many, one_of, size
from highwater.properties.property import always


class Place(Choice):
    """What a philosopher does next."""

    LOOP = "it looks at its forks"
    EAT = "it eats"
    THINK = "it thinks"


class Config(Settings):
    """How many there are."""

    philosophers = size(5, 2, 8, "philosophers, and as many forks")


class Fork(Record):
    """A fork; philosopher p has fork p to its left and fork p + 1 to its right."""

    holder = integer(0, "philosophers", "who holds it")
    clean = flag("it is clean")


class Philosopher(Record):
    """A philosopher."""

    place = one_of(Place, "what it does next")
    full = flag("it is not hungry")


class Table(State):
    """The philosophers and the forks."""

    fork = many(Fork, "philosophers", "the forks")
    philosopher = many(Philosopher, "philosophers", "the philosophers")


def first_states(config):
    """Every fork is dirty, and held by the philosopher with the lower number."""
    table = Table(config)
    for fork in range(config.philosophers):
        table.fork[fork].holder = 0 if fork == 1 else fork
    return [table]


def right_of(s, philosopher):
    """The fork, and the neighbour, to the right."""
    return 0 if philosopher == s.config.philosophers - 1 else philosopher + 1


def left_of(s, philosopher):
    """The neighbour to the left."""
    return s.config.philosophers - 1 if philosopher == 0 else philosopher - 1


def loop(s, philosopher):
    """A philosopher cleans a dirty fork and hands it on, and then sees whether it can eat."""
    me, left, right = s.philosopher[philosopher], s.fork[philosopher], s.fork[right_of(s, philosopher)]
    if me.place is not Place.LOOP:
        return False
    can_eat = left.holder == philosopher and right.holder == philosopher and left.clean and right.clean
    if left.holder == philosopher and not left.clean:
        left.holder = left_of(s, philosopher)
        left.clean = 1
    elif right.holder == philosopher and not right.clean:
        right.holder = right_of(s, philosopher)
        right.clean = 1
    if me.full:
        me.place = Place.THINK
    elif can_eat:
        me.place = Place.EAT
    return True


def eat(s, philosopher):
    """It eats, which makes both forks dirty."""
    if s.philosopher[philosopher].place is not Place.EAT:
        return False
    s.philosopher[philosopher].full = 1
    s.fork[philosopher].clean = s.fork[right_of(s, philosopher)].clean = 0
    s.philosopher[philosopher].place = Place.LOOP
    return True


def think(s, philosopher):
    """It thinks, and is hungry again."""
    if s.philosopher[philosopher].place is not Place.THINK:
        return False
    s.philosopher[philosopher].full = 0
    s.philosopher[philosopher].place = Place.LOOP
    return True


def neighbours_do_not_eat_at_once(s, philosopher):
    """Two who share a fork do not eat at the same time."""
    me, right = s.philosopher[philosopher], s.philosopher[right_of(s, philosopher)]
    return me.place is not Place.EAT or right.place is not Place.EAT


MODEL = Model(
    state=Table,
    config=Config,
    initial_states=first_states,
    actions=[loop, eat, think],
    properties=[always(neighbours_do_not_eat_at_once)],
)
