"""Rows and keys: what goes in comes out, keys do not depend on the layout, and what does not fit is refused."""

import random
from functools import cache

import numpy as np
import pytest
from highwater.explorer.compiling.compiled import Compiled
from highwater.model.language import NO_MEMBER, Model, Settings, State, UsageError, cells, integer, size, walk
from highwater.model.language.errors import LayoutError
from highwater.model.language.kinds import Member, fill
from highwater.model.language.machine_code.layout import Layout, fits_small_cells
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, PUBLISHED
from hypothesis import given, settings
from hypothesis import strategies as st

KAFKA_CONFIGS = [
    KAFKA.configure("kip-320"),
    KAFKA.configure("kip-279", brokers=2, log_size=3, max_records=3, crashes=1, power_losses=1, max_batch=2, consumers=1),
    KAFKA.configure("kip-320", brokers=4, partitions=2, fetch="in-flight", controller_changes=2, start="empty", max_epoch=4),
    KAFKA.configure("high-watermark", brokers=1, log_size=1, max_records=1, max_epoch=0),
]
PUBLISHED_CONFIGS = [
    PUBLISHED.configure("kip-320"),
    PUBLISHED.configure("kip-279", brokers=5, log_size=4, max_records=4, max_epoch=3),
    PUBLISHED.configure("kip-101", brokers=1, log_size=1, max_records=1, max_epoch=0),
]
CONFIGS = [(KAFKA, c) for c in KAFKA_CONFIGS] + [(PUBLISHED, c) for c in PUBLISHED_CONFIGS]


@st.composite
def legal_states(draw, model, config):
    """Any state with all variables within their normal range, reachable or not."""
    state = model.state(config)
    chance = random.Random(draw(st.integers(0, 1 << 32)))
    values = []
    for _, kind, _ in walk(type(state), state):
        low, high = kind.normal_span(config)
        value = chance.choice((low, high, chance.randint(low, high)))
        values.append(NO_MEMBER if isinstance(kind, Member) and value < 0 else value)
    return fill(state, values)


@cache
def layouts(model, config):
    """Every layout that has room for the configuration."""
    return [Layout(model, "exact", config), *(Layout(model, name) for name in model.capacities)]


def key_bits(layout, config, row):
    """The key of a row as one number, in plain Python: what `kernels.pack` does."""
    plan, lane = layout.plan(config), 8 * layout.cell.itemsize
    key, filled_bits = 0, 0
    for word, mask, bias in zip(map(int, plan.word), map(int, plan.mask), map(int, plan.bias), strict=True):
        value = int(row[word])
        for at in range(0, 64, lane):
            cell = ((value >> at) + (bias >> at)) & ((1 << lane) - 1)
            width = (mask >> at & ((1 << lane) - 1)).bit_length()
            key |= (cell & ((1 << width) - 1)) << filled_bits
            filled_bits += width
    assert filled_bits == int(plan.bits.sum())
    return key


@pytest.mark.parametrize(("model", "config"), CONFIGS)
@settings(max_examples=50)
@given(data=st.data())
def test_rows_give_back_their_states_and_their_keys_tell_them_apart_in_every_layout(model, config, data):
    one, other = states = [data.draw(legal_states(model, config)) for _ in range(2)]
    keys = []
    for layout in layouts(model, config):
        rows = layout.rows(config, 2)
        for state, row in zip(states, rows, strict=True):
            layout.write(state, row)
            assert layout.read(row, config) == state
        keys.append(tuple(key_bits(layout, config, row) for row in rows))
    assert len(set(keys)) == 1
    assert (keys[0][0] == keys[0][1]) == (cells(one) == cells(other))


@pytest.mark.parametrize("config", PUBLISHED_CONFIGS)
@settings(max_examples=50)
@given(data=st.data())
def test_compiled_keys_are_these_and_come_back(config, data):
    compiled = Compiled(PUBLISHED, config, properties_of(PUBLISHED), generic="small")
    state = data.draw(legal_states(PUBLISHED, config))
    (key,) = compiled.canonical_keys([state])
    row = compiled.layout.rows(config, 1)[0]
    compiled.layout.write(state, row)
    words = [int(word) for word in key]
    assert sum(word << 64 * place for place, word in enumerate(words)) == key_bits(compiled.layout, config, row)
    assert (compiled.rows_of(key.reshape(1, -1)) == row).all() and compiled.state_of(key) == state


@pytest.mark.parametrize("config", KAFKA_CONFIGS)
@settings(max_examples=50)
@given(data=st.data())
def test_compiled_keys_are_those_of_the_normal_form_in_plain_python(config, data):
    compiled = Compiled(KAFKA, config, properties_of(KAFKA), generic="small")
    state = data.draw(legal_states(KAFKA, config))
    (key,) = compiled.canonical_keys([state])
    assert compiled.own_normal_form and (compiled.keys_of([state]) == key).all()
    KAFKA.normal_form(state)
    assert compiled.state_of(key) == state and compiled.layout.read(compiled.rows_of(key.reshape(1, -1))[0], config) == state


@pytest.mark.parametrize("symmetry", [False, True])
def test_a_key_holds_a_state_whose_normal_form_has_smaller_numbers(symmetry):
    """A version may be larger than what a row has room for, until it is in its normal form."""
    compiled = Compiled(KAFKA, KAFKA_CONFIGS[0], properties_of(KAFKA), symmetry, "small")
    state = KAFKA.initial_states(compiled.config)[0]
    state.zookeeper.leader_and_isr[0].version = 128
    normal = state.copy()
    KAFKA.normal_form(normal)
    assert compiled.layout.cell.itemsize == 1 and cells(normal) != cells(state)
    assert (compiled.keys_of([state]) == compiled.keys_of([normal])).all()


@pytest.mark.parametrize(("model", "config"), CONFIGS[:1] + CONFIGS[-2:])
def test_every_variable_out_of_range_is_refused(model, config):
    layout = Layout(model, "exact", config)
    empty = model.state(config)
    row = layout.rows(config, 1)[0]
    layout.write(empty, row)  # in range
    paths = [(path, kind) for path, kind, _ in walk(model.state, empty)]
    for number, (path, kind) in enumerate(paths):
        low, high = kind.span(config)
        for value in (low - 2, high + 1):
            if value > np.iinfo(layout.cell).max:
                continue
            values = list(cells(empty))
            values[number] = value
            with pytest.raises(LayoutError) as error:
                layout.write(fill(model.state(config), values), row)
            assert str(error.value).startswith(f"{path} = {value} is outside")


def test_a_configuration_beyond_the_layout_is_refused_in_one_sentence():
    layout = Layout(KAFKA, "small")
    with pytest.raises(UsageError, match=r"log_size = 6 is more than the small layout .* holds \(5\); choose a smaller size"):
        layout.rows(KAFKA.configure("kip-320", log_size=6), 1)


def test_the_large_layout_has_room_for_every_size():
    sizes = {name: s for name, s in KAFKA.config.settings.items() if s.group == "size"}
    highest = {name: s.high for name, s in sizes.items() if name != "keys"}  # which are in no variable
    config = KAFKA.configure("kip-320", **highest, controller_changes=9, fetch="in-flight", crashes=9, power_losses=9)
    Layout(KAFKA, "large").check(config)


def test_the_configuration_stands_in_every_row():
    config = KAFKA_CONFIGS[1]
    for layout in layouts(KAFKA, config):
        rows = layout.rows(config, 3)
        for record in layout.records(rows):
            assert {name: int(record.config[name]) for name in record.config.dtype.names} == dict(config.numbers())


def test_wide_cells_where_a_number_does_not_fit_into_eight_bits():
    assert fits_small_cells(KAFKA, KAFKA.configure("kip-320"))
    # Seven brokers make sets of seven bits, of which the highest is 127.
    config = KAFKA.configure("kip-320", brokers=7)
    assert not fits_small_cells(KAFKA, config)
    assert Layout(KAFKA, "exact", config).cell == np.dtype("i2")


class Steps(Settings):
    """How far a counter goes at a time: no variable has this range."""

    by = size(3, 1, 1000, "how much is added")


class Counter(State):
    """A counter."""

    count = integer(0, 100, "a number")


def test_a_setting_that_is_no_byte_has_no_room_where_cells_are_bytes():
    """It is a cell of each row, too. A sweep asked for the room, and then refused the point."""
    model = Model(state=Counter, config=Steps)
    assert Layout(model, "small").has_room(model.configure("only", by=127))
    assert not Layout(model, "small").has_room(model.configure("only", by=128))
