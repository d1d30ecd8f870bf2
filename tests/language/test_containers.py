"""Bags, sets and maps, of numbers and of records: Python, compiled code and formulas agree, and equal ones are equal states."""

import itertools

import highwater
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.library import of_a_user
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.model.language import (
    Choice,
    Model,
    Record,
    Settings,
    State,
    UsageError,
    bag,
    cells,
    derived,
    integer,
    map_of,
    member,
    seq,
    set_of,
    size,
)  # fmt: skip
from highwater.model.language.errors import LanguageError, ModelError
from highwater.model.language.reading.footprint import footprint
from highwater.model.language.reading.preferences import preference
from highwater.properties.property import always, sometimes
from support.agreement import agree_at_random
from support.exploring import reachable


class Type(Choice):
    """What a message says."""

    ASK = "asks"
    TELL = "tells"


class Message(Record):
    """A message."""

    to = integer(-1, 0, "to whom", initial=-1)
    type = integer(0, 1, "what it says")


class Net(State):
    """Messages in every way."""

    sent = bag(Message, 2, "on their way")
    seen = set_of(integer(-1, 1, "a number"), 2, "what was seen")
    queue = seq(Message, 1, "what waits")
    phase = map_of(integer(0, 1, "a key"), integer(0, 2, "a value"), 2, "phases")
    got = integer(-1, 4, "what was got last")


def send(s, to, type):
    """One more, or none if there is no room."""
    if len(s.sent) == 2 or s.sent.count(type=type) > 1:
        return False
    s.sent.send(type=type, to=to - 1)
    return True


def receive(s, place):
    """One is received, seen and kept."""
    if place >= s.sent.length or len(s.seen) == 2 or s.queue.length == 1:
        return False
    message = s.sent.item[place]
    s.seen.add(message.to)
    s.queue.append(message)
    s.sent.remove(place)
    return True


def work(s):
    """The oldest is done."""
    if s.queue.length == 0:
        return False
    first = s.queue.head()
    if s.phase.length == 2 and not s.phase.has(key=first.type):
        return False
    s.got = s.phase.get(first.type, -1)
    s.phase.put(first.type, max(0, s.got) % 2 + 1)
    s.queue.remove(0)
    return True


def forget(s, to):
    """What was seen is forgotten, and the phase of its number."""
    if to - 1 not in s.seen:
        return False
    s.seen.discard(to - 1)
    s.got = s.phase.drop(to) + sum(message.type for message in s.sent.values())
    return True


def lose(s, to):
    """The first message to one, whatever it says."""
    return s.sent.discard(to=to - 1)


def in_order(s):
    """Bags, sets and maps are in order, and free places are as at first."""
    for place, one in enumerate(s.sent.item):
        if place >= s.sent.length and one != s.sent.empty:
            return False
        if place > 0 and place < s.sent.length and one < s.sent.item[place - 1]:
            return False
    if s.seen.length == 2 and not s.seen.item[0] < s.seen.item[1]:
        return False
    return s.phase.length < 2 or s.phase.item[0].key < s.phase.item[1].key


def nobody_else(s):
    """Loops over values may be left early."""
    for at, one in enumerate(s.queue.values()):
        if one.to == -1:
            continue
        if at == 1:
            break
        if one.to not in s.seen and all(one.to != other.to for other in s.sent.values()):
            return one.type == 0
    return True


DOMAINS = {"to": 2, "type": 2, "place": 2}
MODEL = Model(
    state=Net, domains=DOMAINS, actions=[send, receive, work, forget, lose],
    properties=[always(in_order), sometimes(nobody_else)],
)  # fmt: skip
WHOLE = of_a_user(MODEL)


def test_python_and_compiled_code_find_the_same_states():
    config = WHOLE.configure("only")
    states = {cells(state): state for _, state in reachable(WHOLE, config)}
    found = highwater.check(MODEL, threads=1, keep_going=True)
    assert found and found.states == len(states) > 1000
    assert all(map(in_order, states.values()))


class Turns(State):
    """Members in a queue."""

    queue = seq(member("who waits"), 2, "who waits")


def queue_up(s, member):
    """One more waits, once."""
    if len(s.queue) == 2 or member in s.queue:
        return False
    s.queue.append(member)
    return True


def serve(s):
    """The first is served."""
    if len(s.queue) == 0:
        return False
    s.queue.tail()
    return True


def test_a_queue_of_members_is_taken_from_by_compiled_code():
    """Its free place has no member, which is not the number below the first."""
    model = of_a_user(Model(state=Turns, config=Sizes, actions=[queue_up, serve]))
    search = BreadthFirst(Compiled(model, model.configure("only")), ())
    search.seed()
    search.run(Bounds())
    assert search.states == len(list(reachable(model, model.configure("only")))) == 5


def test_z3_reads_the_same():
    agree_at_random(WHOLE, 30)


def test_a_bag_is_the_same_in_whatever_order_it_was_filled():
    for values in itertools.permutations([(0, 1), (1, 0), (0, 1)], 2):
        one, other = Net(WHOLE.configure("only")), Net(WHOLE.configure("only"))
        for to, type in values:
            one.sent.send(to=to, type=type)
        for to, type in reversed(values):
            other.sent.send(to=to, type=type)
        assert one == other and len(one.sent) == 2 and one.sent.count(to=0) == [to for to, _ in values].count(0)


def test_what_is_read_and_written():
    found = footprint(receive, ["place"], Net)
    assert {"sent.item[place].to", "seen.length", "sent.length"} <= found.reads
    assert {"queue.item[*].type", "sent.length"} <= found.writes and not any("phase" in path for path in found.writes)


class Parts(State):
    """Messages of which a part is said."""

    seen = set_of(Message, 2, "each once")
    sent = bag(Message, 2, "as often as they are sent")
    queue = seq(Message, 2, "in their order")


def say(s, to, type):
    """A whole one."""
    if len(s.seen) == 2 or len(s.sent) == 2 or len(s.queue) == 2:
        return False
    s.seen.add(to=to - 1, type=type)
    s.sent.send(to=to - 1, type=type)
    s.queue.append(to=to - 1)
    return True


def hint(s, type):
    """The rest is what it is at first."""
    if len(s.sent) == 2 or len(s.queue) == 2 or (len(s.seen) == 2 and not s.seen.has(to=-1, type=type)):
        return False
    s.seen.add(type=type)
    s.sent.send(type=type)
    s.queue.append(type=type)
    return True


def unsay(s, type):
    """Any with this type goes."""
    if not s.seen.discard(type=type):
        return False
    s.sent.discard(type=type)
    s.queue.discard(type=type)
    return True


def differ_in_the_rest(s):
    """A set keeps two that differ in what was not said."""
    return len(s.seen) == 2 and s.seen.item[0].type == s.seen.item[1].type


def test_what_is_not_said_of_a_record_is_as_at_first():
    model = Model(state=Parts, domains=DOMAINS, actions=[say, hint, unsay], properties=[sometimes(differ_in_the_rest)])
    whole = of_a_user(model)
    states = {cells(state) for _, state in reachable(whole, whole.configure("only"))}
    found = highwater.check(model, threads=1, keep_going=True)
    assert found and found.states == len(states) > 100 and found.verdicts == {"differ_in_the_rest": "witnessed"}
    agree_at_random(whole, 30)


def too_many(s, to):
    """There is no room for a third."""
    s.sent.send(to=to - 1)
    return True


def too_long(s):
    """Nor for a second one here."""
    s.queue.append(s.sent.empty)
    return True


def test_no_more_is_put_than_there_is_room_for():
    with pytest.raises(ModelError, match=r"no room for one more than 2 \(.*test_containers.py:\d+ in too_many\)"):
        highwater.check(Model(state=Net, domains=DOMAINS, actions=[too_many]), threads=1)
    with pytest.raises(ModelError, match=r"no room for one more than 1 \(.*test_containers.py:\d+ in too_long\)"):
        highwater.check(Model(state=Net, domains=DOMAINS, actions=[too_long]), threads=1)


def wrong_record(s):
    s.got = s.queue.remove(0).to
    return True


def wrong_fields(s):
    s.sent.send(to=1, what=1)
    return True


def wrong_number(s):
    s.sent.send(1, 2)
    return True


def wrong_beside(s):
    s.sent.send(1, to=2)
    return True


def wrong_place(s):
    s.sent.item[0] = s.queue.item[0]
    return True


def wrong_container(s):
    return s.got in s.queue.item


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (wrong_container, r"test_containers.py:\d+: has of an array over \w+, which is not a sequence"),
        (wrong_place, r"test_containers.py:\d+: a write to a place of a bag"),
        (wrong_record, "whose place is another's already"), (wrong_fields, "has no field 'what'"),
        (wrong_number, "and it takes 1"), (wrong_beside, "beside other values"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(function, said):
    with pytest.raises((LanguageError, UsageError), match=said):
        highwater.check(Model(state=Net, actions=[function]), threads=1)


def test_of_what_there_is_no_container():
    with pytest.raises(UsageError, match="is of numbers"):
        bag(3, 3, "numbers")
    with pytest.raises(UsageError, match="from numbers to numbers"):
        map_of(Message, integer(0, 1, "a value"), 3, "messages")


class Sizes(Settings):
    """How many there are."""

    nodes = size(2, 1, 3, "members")
    members = derived(lambda c: c.nodes)


class Members(State):
    """Members in an order of their own, and in that of their numbers."""

    queue = seq(member("who waits"), 2, "who waits")
    crowd = bag(member("who is there"), 2, "who is there")


def wait(s, member):
    """One waits."""
    if member in s.queue or len(s.queue) == 2:
        return False
    s.queue.append(member)
    return True


def come(s, member):
    """One comes."""
    if member in s.crowd or len(s.crowd) == 2:
        return False
    s.crowd.add(member)
    return True


@pytest.mark.parametrize("function", [wait, come])
def test_neither_a_bag_of_members_nor_a_queue_prefers_them(function):
    model = of_a_user(Model(state=Members, config=Sizes, actions=[function]))
    assert preference(model, model.configure("only"), []) == ""
    assert (
        highwater.check(Model(state=Members, config=Sizes, actions=[function]), threads=1).states == {wait: 5, come: 4}[function]
    )


class Line(State):
    """A queue of numbers, and one of messages."""

    queue = seq(integer(0, 3, "a number"), 2, "numbers")
    sent = bag(Message, 2, "messages")
    got = integer(0, 9, "what was taken")


def join_line(s, n):
    """A number and a message come."""
    if len(s.queue) == 2 or len(s.sent) == 2:
        return False
    s.queue.append(n)
    s.sent.send(type=n)
    return True


def leave_line(s):
    """The first number goes."""
    if len(s.queue) == 0:
        return False
    s.got = s.queue.head()
    return s.queue.tail()


def be_delivered(s, place):
    """A message is delivered."""
    if place >= len(s.sent):
        return False
    s.sent.deliver(place)
    return True


def test_tail_and_deliver_are_what_remove_is():
    model = of_a_user(Model(state=Line, actions=[join_line, leave_line, be_delivered], domains={"n": 2, "place": 2}))
    state = model.initial_states(model.configure("only"))[0]
    for step in ((join_line, 1), (join_line, 0), (leave_line,), (be_delivered, 0)):
        assert step[0](state, *step[1:])
    assert (list(state.queue.values()), state.got, [message.type for message in state.sent.values()]) == ([0], 1, [1])
    assert len(list(reachable(model, model.configure("only")))) > 20  # the text that is compiled can do it, too
