"""States as trees of records: ranges, strict indices, copies, and the walk over all variables."""

import pytest
from highwater.model.language import (
    MEMBERS,
    NO_MEMBER,
    Choice,
    Record,
    Settings,
    State,
    cells,
    derived,
    flag,
    integer,
    many,
    member,
    member_set,
    one,
    one_of,
    size,
    walk,
)
from highwater.model.language.kinds import Kind
from hypothesis import given
from hypothesis import strategies as st
from support import toys


class Config(Settings):
    nodes = size(3, 1, 9, "nodes")
    length = size(2, 0, 9, "slots")
    members = derived(lambda c: c.nodes)


class Inner(Record):
    value = integer(-1, "length", "a value", -1)
    here = flag("whether")


class Everything(State):
    number = integer(0, 5, "a number", normal_high=2)
    who = member("a member")
    some = member_set("a set")
    single = one(Inner, "a record")
    table = many(many(Inner, "length"), MEMBERS, "a table")


PATHS = [
    "number", "who", "some", "single.value", "single.here",
    *(f"table[{i}][{j}].{name}" for i in range(3) for j in range(2) for name in ("value", "here")),
]  # fmt: skip


def test_walk_names_every_variable_once_in_order_of_declaration():
    state = Everything(Config())
    assert [path for path, _, _ in walk(Everything, state)] == PATHS
    assert all(isinstance(kind, Kind) for _, kind, _ in walk(Everything, state))


def test_initial_values():
    values = {path: value for path, _, value in walk(Everything, Everything(Config()))}
    assert values["who"] == NO_MEMBER
    assert values["single.value"] == values["table[2][1].value"] == -1
    assert values["number"] == values["some"] == values["single.here"] == 0


def test_cells_are_the_values_of_the_walk():
    state = Everything(Config(nodes=2, length=3))
    state.table[1][2].value = 3
    assert cells(state) == tuple(value for _, _, value in walk(Everything, state))


def test_spans_follow_the_configuration():
    config = Config(nodes=4, length=7)
    kinds = Everything.fields
    assert kinds["number"].span(config) == (0, 5)
    assert kinds["number"].normal_span(config) == (0, 2)
    assert kinds["who"].span(config) == (-1, 3)
    assert kinds["some"].span(config) == (0, 15)
    assert Inner.fields["value"].span(config) == (-1, 7)


@pytest.mark.parametrize(
    ("kind", "legal", "illegal"),
    [("number", [0, 5], [-1, 6]), ("who", [0, 2, NO_MEMBER], [-1, 3, 14, 16]), ("some", [0, 7], [-1, 8])],
)
def test_legal_values(kind, legal, illegal):
    config = Config()
    field = Everything.fields[kind]
    assert all(field.legal(value, config) for value in legal)
    assert not any(field.legal(value, config) for value in illegal)


@pytest.mark.parametrize("index", [-1, 3, NO_MEMBER])
def test_indices_are_strict(index):
    state = Everything(Config())
    with pytest.raises(IndexError, match=f"index {index} in an array of 3"):
        state.table[index]
    with pytest.raises(IndexError, match=f"index {index} in an array of 3"):
        state.table[index] = None


def test_no_member_is_in_no_set_and_indexes_nothing():
    state = Everything(Config(nodes=9))
    assert (511 >> NO_MEMBER) & 1 == 0
    with pytest.raises(IndexError):
        state.table[state.who]


@given(st.sampled_from(PATHS), st.integers(0, 1))
def test_a_copy_is_equal_and_independent(path, value):
    state = Everything(Config())
    twin = state.copy()
    assert twin == state
    assert twin.config is state.config
    target = eval(f"twin.{path.rpartition('.')[0]}" if "." in path else "twin", {"twin": twin})
    name = path.rpartition(".")[2]
    before = getattr(target, name)
    setattr(target, name, value + 2)
    assert twin != state
    assert cells(state) == cells(Everything(Config()))
    setattr(target, name, before)
    assert twin == state


def test_states_cannot_be_dictionary_keys_by_mistake():
    with pytest.raises(TypeError):
        hash(Everything(Config()))


def test_a_dimension_of_zero_leaves_no_variable():
    state = Everything(Config(length=0))
    assert [path for path, _, _ in walk(Everything, state) if path.startswith("table")] == []


def test_toys_copy_their_records():
    state = toys.LOCK.initial_states(toys.LOCK.configure("peterson"))[0]
    twin = state.copy()
    assert toys.raise_flag(twin, 1)
    assert state.process[1].wants == 0 and twin.process[1].wants == 1


def test_flags_and_choices_begin_where_the_model_says():
    class Phase(Choice):
        """A phase."""

        IDLE = "it has nothing to do"
        BUSY = "it works"

    class Machine(State):
        """A machine."""

        on = flag("it is on", initial=True)
        phase = one_of(Phase, "what it does", initial=Phase.BUSY)

    state = Machine(None)
    assert (state.on, state.phase) == (1, Phase.BUSY) and str(state.phase) == str(Phase.BUSY)
