"""Small models written in the language, whose graphs are known: they show that the explorer knows no Kafka."""

from highwater.model.language import (
    MEMBERS,
    Model,
    Record,
    Revision,
    Settings,
    State,
    derived,
    flag,
    integer,
    many,
    member,
    no_asymmetry,
    one,
    size,
    switch,
)  # fmt: skip
from highwater.properties.property import always, sometimes, step

# Counters: a grid. (top + 1) ** n states, one of them without a step, at depth n * top + 1.


class CounterConfig(Settings):
    """How many counters, and how far each counts."""

    counters = size(3, 1, 5, "counters")
    top = size(3, 0, 100, "where a counter stops")
    members = derived(lambda c: c.counters)


class Counters(State):
    """Numbers that only grow."""

    count = many(integer(0, "top", "how far it has come"), MEMBERS, "by counter")


def count_up(s, counter):
    """A counter goes one further."""
    if s.count[counter] >= s.config.top:
        return False

    s.count[counter] += 1
    return True


def total(s):
    """The sum of all counters."""
    return sum(s.count[counter] for counter in range(s.config.members))


def sum_below_seven(s):
    """The sum stays below seven: it is violated at depth 8, when seven can be reached."""
    return total(s) < 7


def no_step_to_two(s, t):
    """No step takes a counter from one to two: it is violated at depth 3."""
    return not any(s.count[counter] == 1 and t.count[counter] == 2 for counter in range(s.config.members))


def all_at_top(s):
    """Every counter is at its end."""
    return total(s) == s.config.members * s.config.top


def counts_down(s, t):
    """The sum decreases: never witnessed."""
    return total(t) < total(s)


COUNTERS = Model(
    state=Counters,
    config=CounterConfig,
    actions=[count_up],
    capacities={"small": {MEMBERS: 5}},
    domains={"counter": MEMBERS},
    asymmetry=no_asymmetry,
)
COUNTER_PROPERTIES = [
    always(sum_below_seven, None),
    step(no_step_to_two, None),
    sometimes(all_at_top, "only"),
    sometimes(counts_down, "only"),
]


# Two jugs, of three and of five gallons: the first example of many TLA+ courses.


class JugConfig(Settings):
    """The jugs of the riddle, as far as the language needs settings."""

    small = size(3, 1, 20, "gallons that the small jug holds")
    big = size(5, 1, 20, "gallons that the big jug holds")
    members = derived(lambda c: 1)


class Jugs(State):
    """What is in them."""

    in_small = integer(0, "small", "gallons in the small jug")
    in_big = integer(0, "big", "gallons in the big jug")


def fill_small(s):
    """The small jug is filled."""
    s.in_small = s.config.small
    return True


def fill_big(s):
    """The big jug is filled."""
    s.in_big = s.config.big
    return True


def empty_small(s):
    """The small jug is emptied."""
    s.in_small = 0
    return True


def empty_big(s):
    """The big jug is emptied."""
    s.in_big = 0
    return True


def small_to_big(s):
    """The small jug is poured into the big one, as far as there is room."""
    poured = min(s.in_small, s.config.big - s.in_big)
    s.in_small -= poured
    s.in_big += poured
    return True


def big_to_small(s):
    """The big jug is poured into the small one, as far as there is room."""
    poured = min(s.in_big, s.config.small - s.in_small)
    s.in_big -= poured
    s.in_small += poured
    return True


def not_four_gallons(s):
    """There are never four gallons in the big jug: it is violated in six steps."""
    return s.in_big != 4


JUGS = Model(
    state=Jugs,
    config=JugConfig,
    actions=[fill_small, fill_big, empty_small, empty_big, small_to_big, big_to_small],
)
JUG_PROPERTIES = [always(not_four_gallons, None)]


# Peterson's mutual exclusion of two processes, and what is left of it without the turn.

IDLE, RAISED, WAITING, CRITICAL = 0, 1, 2, 3


class LockConfig(Settings):
    """Two processes."""

    polite = switch("a process lets the other go first", 1)
    members = derived(lambda c: 2)


class Process(Record):
    """One process."""

    place = integer(0, 3, "IDLE, RAISED, WAITING or CRITICAL")
    wants = flag("it has raised its flag")


class Shared(Record):
    """What both see, beside the flags."""

    turn = member("who may go first when both want to; nobody at first")


class Lock(State):
    """Peterson's algorithm."""

    process = many(Process, MEMBERS, "the two")
    shared = one(Shared, "between them")


def raise_flag(s, process):
    """A process says that it wants to enter."""
    if s.process[process].place != IDLE:
        return False

    s.process[process].place = RAISED
    s.process[process].wants = 1
    return True


def give_way(s, process):
    """It gives the turn to the other one."""
    if s.process[process].place != RAISED:
        return False

    s.process[process].place = WAITING
    s.shared.turn = other_than(process)
    return True


def other_than(process):
    """The other process."""
    return 1 - process


def enter(s, process):
    """It enters when the other does not want to, or has given it the turn."""
    if s.process[process].place != WAITING:
        return False
    if s.config.polite and s.process[other_than(process)].wants and s.shared.turn != process:
        return False

    s.process[process].place = CRITICAL
    return True


def leave(s, process):
    """It leaves and lowers its flag."""
    if s.process[process].place != CRITICAL:
        return False

    s.process[process].place = IDLE
    s.process[process].wants = 0
    return True


def one_at_a_time(s):
    """Never are both inside."""
    return sum(s.process[process].place == CRITICAL for process in range(s.config.members)) < 2


def somebody_enters(s):
    """A process gets in."""
    return any(s.process[process].place == CRITICAL for process in range(s.config.members))


LOCK = Model(
    state=Lock,
    config=LockConfig,
    actions=[raise_flag, give_way, enter, leave],
    revisions={
        "peterson": Revision("peterson", "a process lets the other go first", {"polite": 1}),
        "rude": Revision("rude", "nobody looks at the other", {"polite": 0}),
    },
    asymmetry=no_asymmetry,
)
LOCK_PROPERTIES = [always(one_at_a_time, "peterson"), sometimes(somebody_enters, "peterson")]
