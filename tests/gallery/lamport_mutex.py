"""Lamport's mutual exclusion by logical clocks, over channels that keep order. TLA+ Examples: lamport_mutex/MCLamportMutex."""

from highwater.model.language import MEMBERS, Model, Record, Settings, State, derived, flag, integer, many, seq, size
from highwater.properties.property import always


class Config(Settings):
    """The sizes; a clock that would go further stands still, where TLC has a constraint."""

    processes = size(3, 1, 4, "processes")
    clocks = size(6, 1, 9, "the highest clock")
    members = derived(lambda c: c.processes)
    answer = derived(lambda c: c.clocks + 1)
    release = derived(lambda c: c.clocks + 2)


class Process(Record):
    """One process."""

    clock = integer(1, "clocks", "its clock", initial=1)
    request = many(integer(0, "clocks", "the clock of a request; 0: none"), MEMBERS, "requests, its own too")
    answered = many(flag("it has answered"), MEMBERS, "whose answers it has")
    critical = flag("it is in the critical section")
    to = many(seq(integer(0, "release", "a message; a request is its clock"), 3, "a channel"), MEMBERS, "what it has sent")


class Processes(State):
    """Processes with clocks, and the channels between them."""

    process = many(Process, MEMBERS, "the processes")


def broadcast(s, sender, message):
    """A message is sent to all others."""
    for receiver in range(s.config.members):
        if receiver != sender:
            s.process[sender].to[receiver].append(message)


def request(s, process):
    """A process asks all others for the critical section."""
    me = s.process[process]
    if me.request[process]:
        return False
    me.request[process] = me.clock
    broadcast(s, process, me.clock)
    for other in range(s.config.members):
        me.answered[other] = 1 if other == process else 0
    return True


def receive_request(s, process, other):
    """It notes a request, puts its clock forward, and answers."""
    me, clock = s.process[process], s.process[other].to[process].item[0]
    if process == other or clock not in range(1, s.config.answer):
        return False
    if max(clock, me.clock) >= s.config.clocks:
        return False
    me.request[other] = clock
    me.clock = max(clock, me.clock) + 1
    s.process[other].to[process].remove(0)
    me.to[other].append(s.config.answer)
    return True


def receive_answer(s, process, other):
    """It notes an answer."""
    if process == other or s.process[other].to[process].item[0] != s.config.answer:
        return False
    s.process[process].answered[other] = 1
    s.process[other].to[process].remove(0)
    return True


def receive_release(s, process, other):
    """It forgets a request that has been served."""
    if process == other or s.process[other].to[process].item[0] != s.config.release:
        return False
    s.process[process].request[other] = 0
    s.process[other].to[process].remove(0)
    return True


def comes_first(s, process, other):
    """Whether a process knows no request of another that is before its own."""
    mine, theirs = s.process[process].request[process], s.process[process].request[other]
    return theirs == 0 or mine < theirs or (mine == theirs and process < other)


def enter(s, process):
    """It enters when all have answered, and its own request is the first."""
    me = s.process[process]
    if me.critical or not all(me.answered[other] for other in range(s.config.members)):
        return False
    if not all(comes_first(s, process, other) for other in range(s.config.members) if other != process):
        return False
    me.critical = 1
    return True


def leave(s, process):
    """It leaves, and tells all others."""
    me = s.process[process]
    if not me.critical:
        return False
    me.critical = 0
    broadcast(s, process, s.config.release)
    me.request[process] = 0
    for other in range(s.config.members):
        me.answered[other] = 0
    return True


def one_at_a_time(s, process, other):
    """No two are in the critical section at once."""
    return process == other or not s.process[process].critical or not s.process[other].critical


MODEL = Model(
    state=Processes,
    config=Config,
    domains={"process": MEMBERS, "other": MEMBERS},
    actions=[request, receive_request, receive_answer, receive_release, enter, leave],
    properties=[always(one_at_a_time)],
)
