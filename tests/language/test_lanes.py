"""Functions in lanes do in each of many states what Python does in it, and write down what they change."""


import numpy as np
import pytest
from highwater.model.language.machine_code.lane_values import Spread
from highwater.model.language.machine_code.layout import _in_lanes
from highwater.model.language.machine_code.loader import load
from highwater.model.language.machine_code.lowered_kinds import LoweringError
from highwater.model.language.machine_code.lowering import JOURNAL_CAPACITY, Lowering
from highwater.model.language.machine_code.processor import LANES, has_lanes
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = """
SEVEN = 7

def contains(members, one):
    return members >> one & 1 == 1

def arithmetic(s, a, b):
    x = s.small
    y = (x - 9 >> 16) + (x >> (s.other.y & 7) & 15)
    return y + (a + x * 3 - (x & b)) ^ (x | ~b) + (x >> 2) - (b << 1) + -x + x // SEVEN * 10 + x % 5 + (3 if x > a else -x)

def chained(s, a, b):
    return a < s.small <= s.other.y != b

def either(s, a):
    return a and s.small > 0 or s.other.y

def chosen(s, a, b):
    found = s.small == b
    if found:
        return found
    found += min(s.small, b, 3) * 10 + max(a, s.other.y)
    return found if s.small > b else -found

def counted(s, a, b):
    total = 0
    for i in range(5, -2, -2):
        if i == s.small:
            continue
        total += 1
        for j in range(3):
            if j == s.inner[0].list[j][b]:
                total += i
                continue
            elif i + j > 4:
                total -= 1
                if total < -2:
                    return total
    for i in range(3):
        if s.flag:
            if i == a:
                continue
            for j in range(2):
                total += j
        total += 1
    return total

def take(s, me, number):
    if me.x <= 0:
        return False
    me.x -= number
    s.other.y = me.x
    return True

def cut(s, me, end):
    # It changes its own parameter, which is the same in all lanes, in some of them.
    if me.x > end:
        end = me.x - 1
    me.list[0][3] = end

def step(s, a, b):
    if s.small == a:
        return False
    if a > 2 and s.other.y < 3:
        return False
    me = s.inner[s.which]
    their = s.inner[1 - s.which]
    if take(s, me, b) and s.small != 5:
        s.small += 1
        me.list[s.which][b] = 9
    elif their.x > 3:
        for place in range(4):
            if contains(s.small, place):
                their.list[place & 1][3] += place
            me.list[2][place] = their.list[s.which][place]
    else:
        s.other.y = 7 if contains(s.small, s.which) else arithmetic(s, a, b) & 31
    s.flag = s.small > b
    cut(s, their, 2)
    if b == 3:
        s.which = 1 - s.which
        return take(s, s.inner[s.which], 1) or b > a
    return True

def answers(s, a, b):
    s.out[0] = arithmetic(s, a, b) & 63
    s.out[1] = chained(s, a, b)
    s.out[2] = either(s, a) & 63
    s.out[3] = chosen(s, a, b) & 63
    s.out[4] = counted(s, a, b) & 63
    s.out[s.which] += 1

def attempt(blocks, a, b, live, able):
    block = blocks[0]
    able[0] = in_lanes_of_step(block.states, a, b, live, block.journal)

def answer(blocks, a, b, live):
    block = blocks[0]
    in_lanes_of_answers(block.states, a, b, live, block.journal)
"""
CELL = "i1"
INNER = np.dtype([("x", CELL), ("list", CELL, (3, 4))])
FIELDS = [("inner", INNER, (2,)), ("other", np.dtype([("y", CELL)])), ("small", CELL), ("flag", CELL), ("which", CELL)]
STATE = np.dtype((np.record, [*FIELDS, ("out", CELL, (5,))]))
BLOCK = np.dtype([("states", _in_lanes(STATE, STATE.names)), ("journal", "i8", (1 + JOURNAL_CAPACITY,))])
COUNT = STATE.itemsize

needs_lanes = pytest.mark.skipif(not has_lanes(), reason="the processor has neither AVX2 nor AVX-512")


def plain(name):
    """A function of the text, run by Python."""
    names = {}
    exec(TEXT, names)
    return names[name]


def random_states(seed):
    """A state in each lane: small numbers, and in `which` an index."""
    states = np.random.default_rng(seed).integers(-3, 12, (LANES, COUNT), dtype=np.int8).view(STATE).reshape(LANES)
    states["which"] &= 1
    states["small"] = np.abs(states["small"])
    return states.view(np.recarray)


def in_block(states):
    """The states as a block, 64 bytes for each cell."""
    whole = np.zeros(BLOCK.itemsize + LANES, np.uint8)
    begin = -whole.ctypes.data % LANES
    block = whole[begin : begin + BLOCK.itemsize].view(BLOCK)
    block["states"].view(np.int8).reshape(COUNT, LANES)[:] = states.view(np.int8).reshape(LANES, COUNT).T
    return block


def cells(block):
    """The block's cells [lane, cell]."""
    return block["states"].view(np.int8).reshape(COUNT, LANES).T


@needs_lanes
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(0, 3), st.integers(0, 2**LANES - 1))
def test_each_lane_does_what_python_does(seed, a, b, live):
    module = load("test-lanes", TEXT, ["attempt", "answer"])
    states, able = random_states(seed), np.zeros(1, np.uint64)
    block = in_block(states)
    module.attempt(block, a, b, np.uint64(live), able)
    expected = states.copy()
    enabled = sum(bool(plain("step")(expected[lane], a, b)) << lane for lane in range(LANES) if live >> lane & 1)
    assert int(able[0]) == enabled
    assert cells(block).tobytes() == expected.tobytes()
    journal = block["journal"][0]
    found = {(int(address) - block.ctypes.data) // LANES for address in journal[1 : 1 + journal[0]]}
    before, after = (np.ascontiguousarray(one).view(np.int8).reshape(LANES, COUNT) for one in (states, expected))
    assert found >= set(np.flatnonzero((before != after).any(axis=0)))
    block = in_block(states)
    module.answer(block, a, b, np.uint64(live))
    for lane in range(LANES):
        if live >> lane & 1:
            plain("answers")(states[lane], a, b)
    assert cells(block).tobytes() == states.tobytes()


def lowered(body, more=""):
    """The function `f(s, a)` with this body, in lanes."""
    marked = "OF_SETS = ['including']\n" if "def including" in body else ""
    text = f"{marked}def f(s, a):\n    {body}\n{more}"
    return Lowering(text, (), ()).make("f", [Spread(BLOCK["states"]), "number"])


OTHER_RECORD = "me = s.inner[0]\n    if s.small:\n        me = s.inner[1]\n    return me.x"
EITHER_RECORD = "if s.small:\n        me = s.inner[0]\n    else:\n        me = s.other\n    return me.x"


@pytest.mark.parametrize(
    "body, message",
    [
        (OTHER_RECORD, "me, which is another record in some states, in f"),
        (EITHER_RECORD, "me, which may be one of several records, in f"),
        (EITHER_RECORD.replace("s.other", "s.inner[1]"), "me, which may be one of several records, in f"),
        ("me = s.inner[1] if a > 0 else s.inner[s.which]\n    return me.x", "one of several records in f"),
        ("i = 3\n    if s.small:\n        for i in range(2):\n            s.flag = i\n    return i", "i, which may be one of"),
        ("return 0 < s.small < g(s)\ndef g(s):\n    s.small = 1\n    return 2", "a call behind a comparison that may fail in f"),
        ("return s.small < 1 << s.small", "a shift to the left by what is not a constant in f"),
        ("return s.small < 1 << a", "a shift to the left by what is not a constant in f"),
        ("n = 1\n    for i in range(2):\n        s.inner[n].x = 1\n        n = n * 2\n    return 1", "n, which grows from round"),
        ("for i in range(a):\n        s.small += 1\n    return True", "a loop whose length is not a constant in f"),
        ("return s.missing", "the field missing in f"),
        ("s.other = s.inner[0]\n    return True", "an assignment of a whole record or array in f"),
        ("return s.small * s.small * s.small == 8", "a number as large as 2,097,280 in f"),
        ("x = 0\n    for i in range(300):\n        x += s.small\n    return x", "a number as large as 38,400 in f"),
        ("x = s.small\n    for i in range(3):\n        x += x\n    return x", "a number as large as .* in f"),
        ("return s.small + a * 9999", "a number as large as .* in f"),
        ("return s.small * g(9999, a)\ndef g(x, y):\n    return x * y", "a number as large as .* in g"),
    ],
)  # fmt: skip
def test_what_lanes_cannot_do_is_refused(body, message):
    with pytest.raises(LoweringError, match=message):
        lowered(body)


def test_how_large_numbers_can_be():
    """n stands for all from -n - 1 to n: such are a cell (127), a parameter (1,023), and what is made of them."""
    sizes = {
        "return s.small": 127,
        "return s.small + a": 127 + 1023 + 1,
        "return -s.small": 128,
        "return including(s.small, s.small)\ndef including(x, y):\n    return x | 1 << y": 1023,
        "return s.small % 5 + s.small // 5": 5 + 127 + 1,
        "return min(s.small, 3) if s.small > 200 else 200": 200,
        "x = 0\n    for i in range(3):\n        for j in range(5):\n            x += s.flag\n    return x": 15 * 128,
        "return g(s.small, a)\ndef g(x, y):\n    return x - y": 1023 + 1023 + 1,
        "return g(s.small, g(a, 1))\ndef g(x, y):\n    return x | y": 1023,
        "return g(s.small * s.small)\ndef g(x):\n    return x": 32767,
        "x = s.small\n    for i in range(3):\n        x = x + i\n    return x": 127 + 3 * 4,
        "return s.small > a": 1,
    }
    assert {body: lowered(body).size for body in sizes} == sizes


def test_the_changes_of_loops_and_calls_are_counted():
    """So that a journal is never too short."""
    rounds = "for i in range(3):\n        for j in range(2):\n            g(s)\n        s.inner[s.which].x = i"
    body = f"{rounds}\n    s.small = 1\n    return True"
    made = lowered(body, "def g(s):\n    s.flag = 1\n    s.other.y = 2\n")
    assert made.writes == 3 * (2 * 2 + 2) + 1
    long = "for i in range(9000):\n        for j in range(9):\n            s.small = j\n    return True"
    text = f"def f(s):\n    {long}\ndef g(blocks, live):\n    in_lanes_of_f(blocks[0].states, live, blocks[0].journal)\n"
    with pytest.raises(LoweringError, match="81000 changes in f"):
        Lowering(text, (), ()).make("g", [np.dtype((BLOCK, (1,))), "word"])
