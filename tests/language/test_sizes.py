"""Numbers and members that no cell has room for: wider cells, another layout, or a refusal, but never a number that is cut."""

import re
from contextlib import suppress
from itertools import product
from pathlib import Path

import highwater
import numpy as np
import pytest
from highwater.explorer.compiling.compiled import layouts_that_fit
from highwater.explorer.library import of_a_user
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.model.language import (
    MEMBERS,
    Model,
    Revision,
    Settings,
    State,
    UsageError,
    cells,
    derived,
    integer,
    member,
    member_set,
    size,
)
from highwater.model.language.errors import ModelError
from highwater.model.language.kinds import fill
from highwater.model.language.machine_code.layout import Layout
from highwater.model.language.reading.arithmetic import HELPERS
from highwater.properties.property import always, sometimes
from highwater.properties.registry import MODELS
from hypothesis import example, given
from hypothesis import strategies as st
from support.elsewhere import python


class Config(Settings):
    top = size(3, 1, 2**64, "the highest number")
    nodes = size(3, 1, 20, "nodes")
    members = derived(lambda c: c.nodes)
    twice = derived(lambda c: 2 * c.top)


def model_with(normal_form=None, room=3, **fields):
    state = type("Own", (State,), fields)
    revisions = {"only": Revision("only", "there is one", {})}
    return Model(
        "own", "own", state, Config, (), lambda c: [state(c)], revisions, {"small": {MEMBERS: room}}, normal_form=normal_form
    )


def normal(s):
    s.number = min(s.number, 3)


RANGES = [
    (0, 126, "i1"), (0, 200, "i2"), (-300, -200, "i2"), (-200, 0, "i2"), (-128, 5, "i2"), (-32768, 32767, "i2"),
    (0, 32768, "i4"), (-32769, 0, "i4"), (-(2**31), 2**31 - 1, "i4"),
    (0, 2**31, "i8"), (1 - 2**63, 2**63 - 1, "i8"),
]  # fmt: skip


@pytest.mark.parametrize(("low", "high", "cell"), RANGES)
def test_cells_hold_both_ends_of_a_range(low, high, cell):
    model = model_with(number=integer(low, high, "a number", low))
    config = model.configure("only")
    exact, small = Layout(model, "exact", config), Layout(model, "small")
    assert exact.cell == np.dtype(cell) and small.has_room(config)
    for layout in (exact, small):
        row = layout.rows(config, 1)[0]
        for end in (low, high):
            layout.write(fill(model.state(config), [end]), row)
            assert cells(layout.read(row, config)) == (end,)


@pytest.mark.parametrize(("own", "cell"), [(False, "i2"), (True, "i1")])
def test_a_step_that_is_not_our_own_may_go_beyond_the_normal_form_by_far(monkeypatch, own, cell):
    if own:
        monkeypatch.setattr(normal, "__module__", "highwater.model.normal")
    model = model_with(normal, number=integer(0, 200, "a number", normal_high="top"))
    config = model.configure("only")
    assert Layout(model, "exact", config).cell == Layout(model, "small").cell == np.dtype(cell)


def test_a_generic_layout_is_refused_where_a_bound_by_name_has_no_room():
    model = model_with(number=integer(0, "top", "a number"))
    assert layouts_that_fit(model, model.configure("only", top=63)) == ["small"]
    assert layouts_that_fit(model, model.configure("only", top=64)) == [], "twice is 128, and a cell of each row"
    config = model.configure("only", top=128)
    assert layouts_that_fit(model, config) == []
    with pytest.raises(UsageError, match="the small layout of the model own holds numbers from -128 to 127, and number"):
        Layout(model, "small").check(config)


def test_sets_of_many_members_have_wide_cells():
    assert Layout(model_with(some=member_set("some"), room=7), "small").cell == np.dtype("i1")
    assert Layout(model_with(some=member_set("some"), room=8), "small").cell == np.dtype("i2")


@pytest.mark.parametrize(
    ("fields", "settings", "said"),
    [
        ({"number": integer(0, 2**63, "")}, {}, "the variable number goes from 0 to 9223372036854775808 under this"),
        ({"number": integer(-(2**63), 0, "")}, {}, "the variable number goes from -9223372036854775808 to 0 under this"),
        ({}, {"top": 2**63}, "top = 9223372036854775808 has no room"),
        ({"number": integer(0, "twice", "")}, {"top": 2**31}, "the range of number ends at twice = 4294967296, which is derived"),
        ({"number": integer(5, 9, "", 5, "top")}, {}, "in the normal form the variable number is at most 3"),
    ],
)
def test_what_no_cell_holds_is_refused_when_the_model_is_configured(fields, settings, said):
    model = model_with(**fields)
    with pytest.raises(UsageError, match=said):
        model.configure("only", **settings)
    with pytest.raises(UsageError, match=said):
        Layout(model, "exact", model.defaults("only").with_(**settings)).rows(model.config(**settings), 1)


@pytest.mark.parametrize("name", MODELS)
def test_our_own_models_have_bytes_in_the_small_layout(name):
    assert Layout(MODELS[name], "small").cell == np.dtype("i1")


def test_member_fifteen_would_be_nobody():
    model = model_with(who=member("who"))
    model.configure("only", nodes=15)
    with pytest.raises(UsageError, match=r"there are 16 members .* at most 15, as the number 15 stands for no member at all"):
        model.configure("only", nodes=16)


class Generator(State):
    """A generator of numbers of 31 bits."""

    number = integer(0, 2**31 - 1, "the last number", 1)
    drawn = integer(0, 60, "how many were drawn")
    negative = integer(-(2**31), 0, "its negative")


def draw(s):
    """The next number."""
    if s.drawn == 60:
        return False
    s.number = s.number * 48_271 % 2_147_483_647
    s.negative = -s.number - 1
    s.drawn += 1
    return True


LAST = 2_130_959_757


def is_last(s):
    """This is the number after 60 times."""
    return s.number == LAST and s.negative == -LAST - 1


def double(s):
    """It doubles beyond what there is room for."""
    s.number = s.number * 2 + 1
    return True


def cube(s):
    """A product beyond 64 bits."""
    s.number = s.number * 2_000_000_000 * 2_000_000_000 % 5
    return True


def test_numbers_of_32_bits_are_counted_as_in_python():
    model = Model(state=Generator, actions=[draw], properties=[sometimes(is_last)])
    found = highwater.check(model, threads=1)
    assert found and (found.states, found.depth, found.steps("is_last")) == (61, 61, 60)


class Wide(State):
    """Numbers of 63 bits."""

    number = integer(1 - 2**63, 2**63 - 1, "a number", 5)
    other = integer(0, 2**62, "another", 2**61)
    taken = integer(0, 2, "steps")


def mix(s, way):
    """Sums, products, shifts and bits that just fit."""
    if s.taken == 2:
        return False
    s.number = (s.number // 3 - s.other // 5 + way * 1_234_567_890_123) % 2_305_843_009_213_693_951 * (3 - 6 * way) + (
        s.other >> 1
    )
    s.other = (s.other ^ (s.number & 1_152_921_504_606_846_975) << 1) % 4_611_686_018_427_387_904
    s.taken += 1
    return True


def is_negative(s):
    """It is less than the half of all."""
    return s.number < -4_611_686_018_427_387_904


@pytest.mark.parametrize("way", ["no", pytest.param("yes", marks=pytest.mark.long)])
def test_numbers_of_64_bits_are_counted_as_in_python(way):
    program = (
        "import highwater, test_sizes as here; from highwater.model.language import Model, cells;"
        "from highwater.properties.property import always; from highwater.explorer.plain.breadth_first import breadth_first;"
        "model = Model(state=here.Wide, actions=[here.mix], domains={'way': 2}, properties=[always(here.is_negative)]);"
        "found = highwater.check(model, keep_going=True, exact=True, threads=1);"
        "plain = {cells(one[-1]) for one in breadth_first(model, model.configure('only'))};"
        "print(found.states == len(plain) == 7, found.verdicts, highwater.prove(model, properties=['is_negative']).verdict)"
    )
    code, out, error = python(Path(__file__).parent, "-c", program, HIGHWATER_COMPILE=way, PYTHONWARNINGS="ignore")
    assert (code, out) == (0, "True {'is_negative': 'violated'} not inductive\n"), error


def add(s):
    """A sum beyond."""
    s.number = (s.other * 3 + s.other * 3) % 7
    return True


def subtract(s):
    """A difference beyond."""
    s.number = (s.other * -3 - s.other * 3) % 7
    return True


def square(s):
    """A product beyond, in a function that is called."""
    s.number = squared(s.other) % 7
    return True


def squared(number):
    return number * number


def move(s):
    """A shift beyond."""
    s.number = (s.other << s.taken + 3) % 7
    return True


def mask(s):
    """The lowest of all numbers, which no division by -1 fits."""
    low = s.taken - 9_223_372_036_854_775_807
    s.number = (low & low + 1) // -1 % 7
    return True


BEYOND = {add: "a sum", subtract: "a difference", square: "a product", move: "a shift", mask: "a mask"}


@pytest.mark.parametrize("action", BEYOND, ids=lambda action: action.__name__)
def test_what_is_beyond_64_bits_says_where_as_plain_python_runs_it(action):
    model = of_a_user(Model(state=Wide, actions=[action]))
    place = "squared" if action is square else action.__name__
    with pytest.raises(ModelError, match=rf"{BEYOND[action]} beyond 64 bits \(\S*test_sizes.py:\d+ in {place}\)"):
        for _ in breadth_first(model, model.configure("only")):
            pass


def test_what_is_beyond_64_bits_is_no_proof():
    model = of_a_user(Model(state=Wide, actions=[add], properties=[always(is_negative)]))
    assert re.search(r"test_sizes.py:\d+ number beyond 64 bits", str(highwater.prove(model, properties=["is_negative"])))


EDGE = 2**63 - 1
NUMBERS = st.one_of(st.integers(-EDGE, EDGE), st.sampled_from([0, 1, -1, 2**31, 2**32, -(2**31), EDGE, -EDGE, 2**62]))


@given(one=NUMBERS, other=NUMBERS)
@example(one=3_037_000_500, other=3_037_000_500)
@example(one=4_294_967_295, other=2_147_483_648)
@example(one=-4_294_967_296, other=2_147_483_648)
def test_operations_fail_where_64_bits_do_not_hold_the_result(one, other):
    names = {}
    exec(HELPERS, names)
    for name, result in (("product", one * other), ("added", one + other), ("subtracted", one - other)):
        try:
            found = names[name](one, other)
        except ValueError:
            found = None
        assert found == (result if abs(result) <= EDGE else None)


@pytest.mark.parametrize("name", ["product", "added", "subtracted", "shifted"])
def test_nothing_overflows_in_the_checks_themselves(name):
    """What they compute on the way fits in 64 bits, too, where Python has to count no further than compiled code."""

    class Counted(int):
        """A number that must not become too large."""

    def limited(method):
        def operation(self, *others):
            result = method(self, *others)
            assert not isinstance(result, int) or isinstance(result, bool) or -(2**63) <= result < 2**63
            return Counted(result) if type(result) is int else result

        return operation

    for method in ("add", "radd", "sub", "rsub", "mul", "rmul", "lshift", "rlshift", "rshift", "rrshift", "and", "rand"):
        setattr(Counted, f"__{method}__", limited(getattr(int, f"__{method}__")))
    names = {}
    exec(HELPERS, names)
    edges = [0, 1, 2, 31, 62, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 3_037_000_500, 2**62, EDGE - 1, EDGE]
    for pair, other in product([*edges, *(-edge for edge in edges)], repeat=2):
        with suppress(ValueError):
            names[name](Counted(pair), Counted(other))


def test_what_does_not_fit_in_32_bits_says_where():
    says = r"double sets number to 4294967295, outside 0 to 2147483647 .*test_sizes.py:\d+ in double"
    with pytest.raises(ModelError, match=says):
        highwater.check(Model(state=Generator, actions=[double]), threads=1)
    with pytest.raises(ModelError, match=r"test_sizes.py:\d+ in cube"):
        highwater.check(Model(state=Generator, actions=[double, cube]), threads=1)
