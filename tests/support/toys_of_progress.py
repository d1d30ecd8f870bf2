"""Toys that get somewhere or do not, with known answers: under weak fairness, under strong fairness only, and after faults."""

from highwater.model.language import MEMBERS, Model, Record, Settings, State, budget, derived, flag, integer, many, size, switch
from highwater.properties.extended import extended
from highwater.properties.property import eventually, leads_to, quantified, recoverable

# A signal that changes for ever, and a train that may pass while it is green. Between two changes the train could always go, but
# it never could for ever: weak fairness of its step is not enough, strong fairness is.


class SignalConfig(Settings):
    """One signal, one train."""

    members = derived(lambda c: 1)
    stuck = switch("the signal may stay red")


class Signal(State):
    """Both of them."""

    green = flag("the signal")
    passed = flag("the train is through")
    failed = flag("the signal is red for good")


def change_signal(s):
    """The signal changes."""
    if s.failed:
        return False

    s.green = 1 - s.green
    return True


def pass_signal(s):
    """The train passes at green."""
    if not s.green or s.passed:
        return False

    s.passed = 1
    return True


def fail_signal(s):
    """A red signal fails, if that can happen."""
    if s.green or s.failed or not s.config.stuck:
        return False

    s.failed = 1
    return True


def train_passes(s):
    """The train gets through."""
    return s.passed == 1


def train_can_pass(s):
    """The train can still get through."""
    return s.passed == 1


def signal(**fairness):
    """The model with this fairness declared. All have one name: they share what is compiled."""
    return Model(
        state=Signal,
        config=SignalConfig,
        actions=[change_signal, pass_signal, fail_signal],
        faults=[fail_signal],
        **fairness,
    )


WEAK_SIGNAL = signal(weak=[change_signal, pass_signal])
STRONG_SIGNAL = signal(weak=[change_signal], strong=[pass_signal])
LAZY_SIGNAL = signal(weak=[pass_signal])
SIGNAL_PROPERTIES = [eventually(train_passes, "only"), recoverable(train_can_pass, "only")]

# A lock without an order: a process that waits can be overtaken for ever.


class QueueConfig(Settings):
    """Processes."""

    processes = size(2, 1, 3, "who want in")
    members = derived(lambda c: c.processes)


class Waiter(Record):
    """One process."""

    waits = flag("it wants in")
    inside = flag("it is in")


class Queue(State):
    """All of them."""

    process = many(Waiter, MEMBERS, "by number")


def want(s, process):
    """A process begins to wait: nobody says that it must."""
    if s.process[process].waits or s.process[process].inside:
        return False

    s.process[process].waits = 1
    return True


def go_in(s, process):
    """It goes in when nobody is in."""
    if not s.process[process].waits:
        return False
    if any(s.process[other].inside for other in range(s.config.members)):
        return False

    s.process[process].waits = 0
    s.process[process].inside = 1
    return True


def come_out(s, process):
    """It comes out."""
    if not s.process[process].inside:
        return False

    s.process[process].inside = 0
    return True


def waits(s, process):
    """It waits."""
    return s.process[process].waits


def comes_in(s, process):
    """Who waits gets in."""
    return s.process[process].inside


def comes_out(s, process):
    """Who is inside gets out: that is not asked of who never was."""
    return not s.process[process].inside


def queue(**fairness):
    """The model with this fairness declared. All have one name: they share what is compiled."""
    actions = [want, go_in, come_out]
    return Model(state=Queue, config=QueueConfig, actions=actions, capacities={"small": {MEMBERS: 3}}, **fairness)


WEAK_QUEUE = queue(weak=[go_in, come_out])
STRONG_QUEUE = queue(weak=[come_out], strong=[go_in])
QUEUE_PROPERTIES = quantified([leads_to(waits, comes_in, "only"), recoverable(comes_out, "only")], {"process": MEMBERS})

# A machine that breaks, as often as the budget has it, and is repaired while there are spares.


class MachineConfig(Settings):
    """How often it breaks."""

    breaks = budget("breakdowns", 1)
    spares = size(1, 0, 5, "parts in store")
    members = derived(lambda c: 1)


class Machine(State):
    """One machine."""

    broken = flag("it stands still")
    breaks = integer(0, "breaks", "breakdowns so far")
    used = integer(0, "spares", "parts used")


def break_down(s):
    """It breaks."""
    if s.broken or s.breaks >= s.config.breaks:
        return False

    s.broken = 1
    s.breaks += 1
    return True


def repair(s):
    """It is repaired."""
    if not s.broken or s.used >= s.config.spares:
        return False

    s.broken = 0
    s.used += 1
    return True


def machine_runs(s):
    """It can be made to run."""
    return not s.broken


def is_broken(s):
    """It is broken."""
    return s.broken


def machine_can_be_repaired(s):
    """A broken machine can be made to run."""
    return not s.broken


def machine_is_repaired(s):
    """A broken machine runs again."""
    return not s.broken


MACHINE = Model(state=Machine, config=MachineConfig, actions=[break_down, repair], weak=[repair])
MACHINE_PROPERTIES = [
    recoverable(machine_runs, "only"),
    recoverable(machine_can_be_repaired, "only", premise=is_broken),
    leads_to(is_broken, machine_is_repaired, "only"),
]

# Two machines, each with its own breakdowns, which nobody repairs: a second breakdown of a kind sets one going again.


class Shop(State):
    """Both of them."""

    broken = many(flag("it stands still"), MEMBERS, "by machine")
    breaks = many(integer(0, "breaks", "breakdowns so far"), MEMBERS, "by machine")


class ShopConfig(Settings):
    """How often each breaks."""

    breaks = budget("breakdowns", 1)
    members = derived(lambda c: 2)


def kick(s, machine):
    """It breaks, or a second blow sets it going."""
    if s.breaks[machine] >= s.config.breaks:
        return False

    s.breaks[machine] += 1
    s.broken[machine] = 1 - s.broken[machine]
    return True


def shop_works(s, machine):
    """Without another blow."""
    return not s.broken[machine]


SHOP = Model(state=Shop, config=ShopConfig, actions=[kick], domains={"machine": MEMBERS})
SHOP_PROPERTIES = quantified([recoverable(shop_works, "only")], {"machine": MEMBERS})

# A maze of numbered places, drawn by arithmetic: doors that lead to one place each, some of them closed, one of them a trap.


class MazeConfig(Settings):
    """How large it is."""

    doors = size(3, 2, 5, "doors of a place")
    places = size(1000, 2, 20_000, "places, but for one")
    members = derived(lambda c: c.doors)


class Maze(State):
    """Who is lost in it."""

    place = integer(0, "places", "where")
    trapped = flag("a trap has closed")


def go(s, door):
    """One goes through a door that is open; from traps only the first door leads on."""
    if (s.place * 7 + door * 3) % 5 < 2 or (s.trapped and door > 0):
        return False

    s.place = (s.place * (door + 2) + 5 * door + 1) % (s.config.places + 1)
    return True


def fall_in(s):
    """The place is a trap."""
    if s.place % 13 != 5 or s.trapped:
        return False

    s.trapped = 1
    return True


def is_at_exit(s, door):
    """There is an exit behind some places for each door."""
    return s.place % 29 == door


def is_odd(s, door):
    """Only from there somebody asks."""
    return s.place % 2 == 1


def exit_is_near(s, door):
    """So many exits that most of them are a step away."""
    return s.place % 4 == door or s.trapped


MAZE = Model(
    state=Maze,
    config=MazeConfig,
    actions=[go, fall_in],
    faults=[fall_in],
    domains={"door": MEMBERS},
    capacities={"small": {MEMBERS: 1}, "large": {MEMBERS: 5}},
)
MAZE_PROPERTIES = quantified(
    [recoverable(is_at_exit, "only", premise=is_odd), recoverable(exit_is_near, "only")], {"door": MEMBERS}
)


def register(models, queue=STRONG_QUEUE):
    """As a plugin: commands and executors know models by name."""
    toys = ((queue, QUEUE_PROPERTIES), (MACHINE, MACHINE_PROPERTIES), (MAZE, MAZE_PROPERTIES))
    return [extended(model, properties=properties) for model, properties in toys]


def weak(models):
    """The same, with the queue in which somebody may wait for ever."""
    return register(models, WEAK_QUEUE)
