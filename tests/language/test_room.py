"""Numbers and members that no cell has room for: wider cells, another layout, or a refusal, but never a number that is cut."""

import highwater
import numpy as np
import pytest
from highwater.explorer.compiling.compiled import layouts_with_room
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
from highwater.model.language.layout import Layout
from highwater.properties.property import sometimes
from highwater.properties.registry import MODELS


class Config(Settings):
    top = size(3, 1, 2**32, "the highest number")
    nodes = size(3, 1, 20, "nodes")
    members = derived(lambda c: c.nodes)


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
    assert layouts_with_room(model, model.configure("only", top=127)) == ["small"]
    config = model.configure("only", top=128)
    assert layouts_with_room(model, config) == []
    with pytest.raises(UsageError, match="the small layout of the model own holds numbers from -128 to 127, and number"):
        Layout(model, "small").check(config)


def test_sets_of_many_members_have_wide_cells():
    assert Layout(model_with(some=member_set("some"), room=7), "small").cell == np.dtype("i1")
    assert Layout(model_with(some=member_set("some"), room=8), "small").cell == np.dtype("i2")


@pytest.mark.parametrize(
    ("fields", "settings", "said"),
    [
        ({"number": integer(0, 2**31, "")}, {}, "the variable number goes from 0 to 2147483648 under this configuration"),
        ({"number": integer(-(2**31) - 1, 0, "")}, {}, "the variable number goes from -2147483649 to 0 under this configuration"),
        ({}, {"top": 2**31}, "top = 2147483648 has no room"),
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


def test_what_does_not_fit_in_32_bits_says_where():
    says = r"double sets number to 4294967295, outside 0 to 2147483647 .*test_room.py:\d+ in double"
    with pytest.raises(ModelError, match=says):
        highwater.check(Model(state=Generator, actions=[double]), threads=1)
    with pytest.raises(ModelError, match=r"test_room.py:\d+ in cube"):
        highwater.check(Model(state=Generator, actions=[double, cube]), threads=1)
