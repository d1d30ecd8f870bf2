"""Functions of the language at random: in lanes, one state at a time, and in Python they do the same."""

import random
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from highwater.model.language.machine_code.lane_values import Spread
from highwater.model.language.machine_code.loader import load
from highwater.model.language.machine_code.lowered_kinds import LoweringError
from highwater.model.language.machine_code.lowering import Lowering
from highwater.model.language.machine_code.processor import LANES, has_lanes
from language.test_lanes import BLOCK, COUNT, FIELDS, cells, in_block

FUNCTIONS = 12
"""In a module, which is compiled as a whole."""

HELPERS = """
def least(one, other):
    if one > other:
        one = other - 1
    return one

def has(members, one):
    return members >> (one & 7) & 1 == 1

def first_above(me, end):
    for place in range(4):
        if me.list[1][place] == 0:
            continue
        if me.list[1][place] > end:
            return place
    return -1

def take(s, me, number):
    if me.x <= number:
        return False
    me.x -= number
    s.other.y = me.x
    return True

def mark(s, me, end):
    for place in range(3):
        if place == end:
            end += 2
        elif me.list[place][0] > 3:
            me.list[place][0] = end & 31
"""
"""What the functions call; the parameters of some are changed where they are tested."""


class Writer:
    """Writes a function of a state and of two numbers."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.names = ["a", "b", "x", "y", "n"]
        self.loops = 0

    def number(self, depth=3):
        """An expression whose value is from -40 to 200."""
        dice, part = self.dice, lambda: self.number(depth - 1)
        if depth == 0 or dice.random() < 0.25:
            return dice.choice([*self.names, str(dice.randint(-3, 9)), "s.small", "s.other.y", "me.x", "their.x", "s.flag"])
        forms = [
            lambda: f"({part()} {dice.choice('+-&|^')} {part()} & 31)",
            lambda: f"(({part()} & 31) * ({part()} & 7) & 31)",
            lambda: f"(({part()} & 31) {dice.choice(['>>', '<<'])} {dice.randint(0, 2)})",
            lambda: f"{dice.choice(['min', 'max'])}({part()}, {part()})",
            lambda: f"({part()} if {self.test(depth - 1)} else {part()})",
            lambda: f"least({part()}, {part()})",
            lambda: f"first_above({dice.choice(['me', 'their', 's.inner[1]'])}, {part()})",
            lambda: f"{dice.choice(['me', 's.inner[0]'])}.list[{dice.randint(0, 2)}][{part()} & 3]",
            lambda: f"s.inner[{part()} & 1].x",
            lambda: f"(({part()} & 31) // 3 + ({part()} & 31) % 5)",
        ]
        return dice.choice(forms)()

    def test(self, depth=2):
        """A test."""
        dice, part = self.dice, lambda: self.number(depth)
        if depth == 0 or dice.random() < 0.5:
            order = [dice.choice(["<", "<=", "==", "!=", ">", ">="]) for _ in range(2)]
            chain = f" {order[1]} {part()}" if dice.random() < 0.1 else ""
            return dice.choice([f"{part()} {order[0]} {part()}{chain}", f"has({part()} & 31, {part()})", "s.flag", "a > 1"])
        joined = f" {dice.choice(['and', 'or'])} ".join(self.test(depth - 1) for _ in range(dice.randint(2, 3)))
        return dice.choice([f"({joined})", f"not ({joined})"])

    def block(self, depth, pad):
        """Some statements, indented; a name that a block brings is known in it alone."""
        known = list(self.names)
        lines = [line for _ in range(self.dice.randint(1, 3)) for line in self.statement(depth, pad)]
        self.names = known
        return lines

    def statement(self, depth, pad):
        """One statement, as lines."""
        dice = self.dice
        kinds = ["name", "name", "add", "cell", "cell", "cell", "call", "if", "if", "for", "return"]
        kind = dice.choice(kinds if depth else ["cell", "name"])
        if kind == "name":
            name = dice.choice([*self.names[2:], f"z{depth}"])
            line = f"{pad}{name} = {self.number()}"
            self.names += [] if name in self.names else [name]
            return [line]
        if kind == "add":
            return [f"{pad}{dice.choice(self.names[2:5])} += {self.number(1)} & 7"]
        if kind == "cell":
            places = ["s.small", "s.other.y", "me.x", "their.x", "s.inner[0].x", f"me.list[1][{self.number(1)} & 3]"]
            return [f"{pad}{dice.choice(places)} = {self.number()} & 31", f"{pad}s.flag = {self.test()}"][: dice.randint(1, 2)]
        if kind == "call":
            return [f"{pad}{dice.choice(['mark', 'take'])}(s, {dice.choice(['me', 'their', 's.inner[1]'])}, {self.number(1)})"]
        if kind == "return":
            before = [f"{pad}    s.small = 3"] * dice.randint(0, 1)
            return [f"{pad}if {self.test()}:", *before, f"{pad}    return {self.test()}"]
        if kind == "if":
            test = f"take(s, me, {self.number(1)} & 3)" if dice.random() < 0.2 else self.test()
            lines = [f"{pad}if {test}:", *self.block(depth - 1, pad + "    ")]
            if dice.random() < 0.4:
                lines += [f"{pad}elif {self.test()}:", *self.block(depth - 1, pad + "    ")]
            return lines + ([f"{pad}else:", *self.block(depth - 1, pad + "    ")] if dice.random() < 0.5 else [])
        self.loops += 1
        ends, name, known = dice.choice(["3", "1, 4", "2, -1, -1"]), f"i{self.loops}", list(self.names)
        self.names.append(name)
        lines = [f"{pad}for {name} in range({ends}):"]
        if dice.random() < 0.5:
            lines += [f"{pad}    if {self.test()}:", f"{pad}        continue"]
        lines += self.block(depth - 1, pad + "    ")
        self.names = known
        return lines

    def function(self, name):
        """The whole function."""
        first = self.dice.choice(["s.which", "a & 1"])
        head = [f"def {name}(s, a, b):", "    x = s.small", "    y = s.other.y", "    n = 3"]
        head += [f"    me = s.inner[{first}]", f"    their = s.inner[1 - {first.replace('a & 1', '(a & 1)')}]"]
        body = [line for _ in range(4) for line in self.statement(3, "    ")]
        return "\n".join([*head, *body, f"    return {self.test()}"])


def function_of(seed, number):
    """The first of several functions whose numbers 16 bits hold."""
    for attempt in range(100):
        text = Writer(f"{seed} {number} {attempt}").function(f"f{number}")
        with suppress(LoweringError):
            Lowering(f"{HELPERS}\n\n{text}", (), ()).make(f"f{number}", [Spread(BLOCK["states"]), "number", "number"])
            return text
    raise AssertionError("hardly any function is possible")


def text_of(seed):
    """A module with some functions, and one that calls them by number: in lanes, and one state at a time."""
    parts, across, single = [HELPERS], ["def attempt(blocks, which, a, b, live, able):"], ["def alone(recs, which, a, b, able):"]
    for number in range(FUNCTIONS):
        parts.append(function_of(seed, number))
        call = f"in_lanes_of_f{number}(blocks[0].states, a, b, live, blocks[0].journal)"
        across += [f"    if which == {number}:", f"        able[0] = {call}"]
        single += [f"    if which == {number}:", f"        able[0] = f{number}(recs[0], a, b)"]
    return "\n\n".join([*parts, "\n".join(across), "\n".join(single)]) + "\n"


STATE = np.dtype((np.record, [*FIELDS, ("out", "i1", (5,))]))


def random_states(seed):
    """A state in each lane, of numbers from 0 to 31."""
    states = np.random.default_rng(seed).integers(0, 12, (LANES, COUNT), dtype=np.int8).view(STATE).reshape(LANES)
    states["which"] &= 1
    states["flag"] &= 1
    return states


def in_python(state):
    """The state as Python's numbers, which do not overflow."""
    inner = [SimpleNamespace(x=int(one["x"]), list=one["list"].tolist()) for one in state["inner"]]
    other = SimpleNamespace(y=int(state["other"]["y"]))
    return SimpleNamespace(inner=inner, other=other, **{name: int(state[name]) for name in ("small", "flag", "which")})


def written(state, like):
    """The same as bytes."""
    out = like.copy()
    for number, one in enumerate(state.inner):
        out["inner"][number]["x"], out["inner"][number]["list"] = one.x, one.list
    out["other"]["y"], out["small"], out["flag"] = state.other.y, state.small, bool(state.flag)
    return out.tobytes()


def compare(seed):
    """Every function of a module, from random states, with random numbers, in some lanes."""
    text, dice = text_of(seed), random.Random(seed)
    module, names = load("test-random", text, ["attempt", "alone"]), {}
    exec(text, names)
    for number in range(FUNCTIONS):
        a, b, live = dice.randrange(4), dice.randrange(4), dice.getrandbits(LANES)
        states, able = random_states(dice.randrange(2**32)), np.zeros(1, np.uint64)
        block, one = in_block(states), np.zeros(1, np.int64)
        module.attempt(block, number, a, b, np.uint64(live), able)
        for lane in range(LANES):
            expected, enabled = states[lane].tobytes(), 0
            if live >> lane & 1:
                plain = in_python(states[lane])
                enabled = bool(names[f"f{number}"](plain, a, b))
                expected = written(plain, states[lane])
                alone = states[lane : lane + 1].copy()
                module.alone(alone, number, a, b, one)
                assert (alone.tobytes(), bool(one[0])) == (expected, enabled), (seed, number, lane)
            found = np.ascontiguousarray(cells(block)[lane]).tobytes(), int(able[0]) >> lane & 1
            assert found == (expected, enabled), (seed, number, lane, text)


@pytest.mark.skipif(not has_lanes(), reason="the processor has neither AVX2 nor AVX-512")
@pytest.mark.parametrize("seed", range(3))
def test_some(seed):
    compare(seed)


@pytest.mark.long
def test_many():
    """Some minutes."""
    for seed in range(10, 210):
        compare(seed)
