"""Whole records and arrays, copied and compared: Python, compiled code, formulas and footprints agree."""

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import MEMBERS, Model, Record, State, UsageError, cells, flag, integer, many, member, one
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
