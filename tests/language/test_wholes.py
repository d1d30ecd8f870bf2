"""Whole records and arrays, copied and compared: Python, compiled code, formulas and footprints agree."""

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import (
    MEMBERS,
    Model,
    Record,
    State,
    UsageError,
    bag,
    cells,
    flag,
    integer,
    many,
    member,
    one,
    seq,
    set_of,
)  # fmt: skip
from highwater.model.language.errors import LanguageError
from highwater.model.language.reading.footprint import footprint
from highwater.model.language.reading.preferences import preference
from highwater.properties.property import always, step
from support.agreement import agree_at_random
from support.exploring import reachable


class Inner(Record):
    """A part of a part."""

    bits = many(flag("a bit"), 2, "bits")


class Part(Record):
    """A number, and what is below it."""

    number = integer(-1, 2, "a number")
    inner = one(Inner)


class Whole(State):
    """Parts, and rows of numbers."""

    first = one(Part)
    part = many(Part, 2, "parts")
    row = many(integer(0, 2, "a number"), 2, "numbers")
    other = many(integer(0, 2, "a number"), 2, "numbers")
    same = flag("the first is the second")


def count(s):
    """The number of the first grows."""
    if s.first.number == 2:
        return False
    s.first.number += 1
    s.first.inner.bits[s.first.number % 2] = s.first.number // 2
    return True


def keep(s, part):
    """The first becomes one of the parts, which changes with it by no means."""
    if s.part[part] == s.first:
        return False
    s.part[part] = s.first
    s.first.number = 0
    s.row[part] = s.part[part].number + (s.part[part].number < 0)
    return True


def back(s, part):
    """A part that is larger is taken back, by a name that stands for the place."""
    mine = s.part[part]
    if mine.inner.bits <= s.first.inner.bits or s.row > s.other:
        return False
    s.first = mine
    s.other = s.row
    s.same = s.part[0] == s.part[1 - part]
    return True


def order(s, part):
    """The parts are put into order, through the first."""
    if not s.part[1] < s.part[0] or s.part[part] != s.part[0]:
        return False
    s.first = s.part[0]
    s.part[0] = s.part[1]
    s.part[1] = s.first
    return True


def parts_are_in_order(s):
    """Which they are not always."""
    return s.part[0] <= s.part[1] or s.part[0] >= s.first


def rows_stay(s, t):
    """Where a row grows, it is no smaller."""
    return s.row != t.row or s.other == t.other or t.other == t.row


MODEL = Model(
    state=Whole, domains={"part": 2}, actions=[count, keep, back, order],
    properties=[always(parts_are_in_order), step(rows_stay)],
)  # fmt: skip
WHOLE = of_a_user(MODEL)


def test_python_and_compiled_code_find_the_same_states():
    config = WHOLE.configure("only")
    states = {cells(state): state for _, state in reachable(WHOLE, config)}
    found = highwater.check(MODEL, threads=1, keep_going=True)
    assert found.states == len(states) > 100
    assert (found.verdicts["parts_are_in_order"] == "holds") is all(map(parts_are_in_order, states.values()))


def test_z3_reads_the_same():
    agree_at_random(WHOLE, 40)


def test_what_is_below_is_read_and_written():
    found = footprint(order, ["part"], Whole)
    assert {"first.number", "first.inner.bits[*]", "part[*].number", "part[*].inner.bits[*]"} <= found.writes
    assert {"part[part].number", "part[*].inner.bits[*]"} <= found.reads and not any("row" in path for path in found.reads)


def to_a_number(s):
    s.same = s.first
    return True


def of_other_kinds(s):
    s.first = s.row
    return True


def in_a_chain(s):
    return s.first == s.part[0] == s.part[1]


@pytest.mark.parametrize("function", [to_a_number, of_other_kinds, in_a_chain])
def test_what_does_not_fit_is_refused(function):
    with pytest.raises((LanguageError, UsageError), match=r"test_wholes.py:\d+: .*(an assignment of|where a number is expected)"):
        highwater.check(Model(state=Whole, actions=[function]), threads=1)


class Node(Record):
    """What each has."""

    owner = member("who has it")


class Nodes(State):
    """Members."""

    node = many(Node, MEMBERS)


def copy(s, member, other):
    """One takes over what another has."""
    if s.node[member] == s.node[other]:
        return False
    s.node[member] = s.node[other]
    return True


def copy_less(s, member, other):
    """Only what comes first by number."""
    if not s.node[member] < s.node[other]:
        return False
    s.node[member] = s.node[other]
    return True


@pytest.mark.parametrize(("function", "said"), [(copy, ""), (copy_less, "are compared by order")])
def test_order_prefers_members_and_equality_does_not(function, said):
    model = of_a_user(Model(state=Nodes, actions=[function]))
    found = preference(model, model.configure("only"), [])
    assert said in found and bool(said) is bool(found)


class Box(Record):
    """A queue, and what was seen in it."""

    queue = seq(integer(0, 1, "a number"), 2, "what waits")
    seen = set_of(integer(-1, 1, "a difference"), 2, "differences of neighbours")


class Boxes(State):
    """Two boxes, a third, and a bag."""

    box = many(Box, 2)
    more = one(Box)
    few = bag(integer(0, 1, "a number"), 2, "in no order")


def put(s, box, number):
    """A number waits."""
    if len(s.box[box].queue) == 2:
        return False
    s.box[box].queue.append(number)
    return True


def fold(s, box):
    """The first goes, and how far it was from the second is kept."""
    mine = s.box[box]
    if len(mine.queue) < 2 or len(mine.seen) == 2:
        return False
    if not mine.seen.add(mine.queue.item[0] - mine.queue.item[1]):
        return False
    mine.queue.tail()
    return True


def copy_box(s, box):
    """All that a box has goes to the other, too."""
    if s.box[box] == s.box[1 - box] or len(s.box[box].seen) == 0:
        return False
    s.box[1 - box] = s.box[box]
    return True


def lower_difference_alone(s):
    """Of two boxes that are out of order one has few."""
    return s.box[0] <= s.box[1] or -1 not in s.box[1].seen or len(s.box[0].seen) < 2


def test_records_with_sets_are_copied_whole():
    """The counts are those of a search over tuples that knows nothing of this language."""
    model = Model(
        state=Boxes, actions=[put, fold, copy_box], domains={"number": 2}, rollback=[fold],
        properties=[always(lower_difference_alone)],
    )  # fmt: skip
    found = highwater.check(model, threads=1, keep_going=True)
    assert (found.states, found.transitions, found.steps("lower_difference_alone")) == (961, 3425, 6)
    agree_at_random(of_a_user(model), 20)


def queue_to_bag(s):
    s.few = s.box[0].queue
    return True


def set_is_bag(s):
    return s.box[0].seen == s.few


@pytest.mark.parametrize(
    ("function", "said"),
    [(queue_to_bag, "an assignment of a sequence to a bag"), (set_is_bag, "a set or a map where a number is expected")],
)
def test_containers_of_other_kinds_are_not_copied(function, said):
    with pytest.raises(UsageError, match=rf"test_wholes.py:\d+: {said}"):
        highwater.check(Model(state=Boxes, actions=[function]), threads=1)
