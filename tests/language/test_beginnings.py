"""Initial states one after the other from the text that makes them, in Python and as a function that is compiled."""

import importlib.util
import itertools
import sys
from functools import partial
from pathlib import Path

import highwater
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling import beginnings as compiled_beginnings
from highwater.explorer.compiling.beginnings import Beginnings, rows_of
from highwater.explorer.estimate.smaller import lowered
from highwater.explorer.library import of_a_user
from highwater.explorer.local.check import check
from highwater.explorer.mutation.programs import declared
from highwater.explorer.plain.graph import state_graph
from highwater.explorer.plain.stepping import Stepper
from highwater.explorer.request import Request
from highwater.explorer.symbolic.candidates import walked_states
from highwater.explorer.symbolic.induction import Induction
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.tla import initial_text
from highwater.model.language import MEMBERS, Model, Settings, State, UsageError, every, flag, integer, many, member, size
from highwater.model.language.machine_code.layout import Layout, LayoutError
from highwater.model.language.reading import beginnings as language_beginnings
from highwater.model.language.reading.beginnings import in_turn, is_read, nth
from highwater.properties.property import always
from highwater.traces.replay import replay
from highwater.traces.trace import record

GALLERY = Path(__file__).parent.parent / "gallery"
READ = ("chameneos", "chang_roberts", "coffee_can", "ewd840", "ewd998", "write_through_cache")


class Sizes(Settings):
    """How many there are."""

    members = size(2, 1, 4, "members")
    most = size(4, 1, 9, "the highest number")


class Toy(State):
    """What the toys fill."""

    low = integer(0, 9, "a number")
    high = integer(0, 9, "another")
    holder = member("who has it")
    up = many(flag("it runs"), MEMBERS)


def stay(s):
    """Nothing happens."""
    return False


def in_order(config):
    """Two numbers in order, but not two and three."""
    found: list[Toy] = []
    for low in range(config.most):
        for high in range(low, config.most + 1):
            s = Toy(config)
            s.low, s.high = low, high
            if low == 2 and high == 3:
                pass
            if low == 0:
                if high > 1:
                    found.append(s)
            elif low + high != 5:
                found.append(s)
    return found


def of_everything(config):
    """Any holder, who runs."""
    one = Toy(config)
    one.low = config.most
    return [some for some in every(one, "holder", "up[]") if some.holder != 15 if some.up[some.holder]]


def in_loops_over_every(config):
    """A loop over all ways, in which more is written."""
    out = []
    for s in every(Toy(config), "up[]", "low"):
        if s.low > config.most:
            continue
        s.high = sum(s.up)
        out.append(s)
    return out


def of_products(config):
    """Products in all their forms."""
    out = []
    for low, *up in itertools.product((3, 1), *[(0, 1)] * config.members):
        for high in [7, 5]:
            state = Toy(config)
            for one, value in enumerate(up):
                state.up[one] = value
            state.low, state.high = low, high
            out.append(state)
    return out


def the_same_again(config):
    """One state, written to after it was given: the list has it as it is at the end."""
    s, out = Toy(config), []
    for low in range(3):
        s.low = low
        out.append(s)
    return out


def written_afterwards(config):
    """Each is written to after it was given."""
    out = []
    for low in range(3):
        s = Toy(config)
        out.append(s)
        s.low = low
    return out


def under_two_names(config):
    """A second name for the state before."""
    out = []
    other = Toy(config)
    for low in range(3):
        other.low = low
        s = Toy(config)
        other = s
        out.append(s)
    return out


def changes_its_base(config):
    """What is filled changes on the way."""
    base, out = Toy(config), []
    for s in every(base, "low"):
        base.high = 9
        out.append(s)
    return out


def changes_its_base_before(config):
    """What was filled is changed before the loop over it."""
    base, out = Toy(config), []
    ways = every(base, "low")
    base.high = 9
    for s in ways:
        out.append(s)
    return out


def beyond(config):
    """The last is beyond its range."""
    out = []
    for low in range(11):
        s = Toy(config)
        s.low = low
        out.append(s)
    return out


def model_of(function) -> Model:
    return Model(state=Toy, config=Sizes, initial_states=function, actions=[stay])


def gallery_model(name: str) -> Model:
    spec = importlib.util.spec_from_file_location(f"begins_{name}", GALLERY / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MODEL


def rows_by_compiled_code(model, config, monkeypatch):
    """All rows, in several batches."""
    monkeypatch.setattr(compiled_beginnings, "MOST", 5)
    monkeypatch.setattr(compiled_beginnings, "BATCH", 1)
    layout = Layout(model, "exact", config)
    found = Beginnings(model, config, layout)
    assert found.module is not None
    return layout, [row for rows in found.rows() for row in rows.copy()]


@pytest.mark.parametrize("function", [in_order, of_everything, in_loops_over_every, of_products], ids=lambda f: f.__name__)
def test_three_ways_agree(function, monkeypatch) -> None:
    """Python, one at a time, and compiled code give what the function gives, in its order."""
    model = model_of(function)
    config = model.configure("only", members=3)
    expected = function(config)
    assert is_read(model) and list(in_turn(model, config)) == expected
    layout, rows = rows_by_compiled_code(model, config, monkeypatch)
    assert [layout.read(row, config) for row in rows] == expected


@pytest.mark.parametrize("name", READ)
def test_models_of_the_gallery_are_read(name, monkeypatch) -> None:
    """What their functions give is what compiled code makes of their text."""
    model = gallery_model(name)
    config = model.configure("only")
    expected = model.initial_states(config)
    assert list(itertools.islice(in_turn(model, config), 300)) == expected[:300]
    layout, rows = rows_by_compiled_code(model, config, monkeypatch)
    assert (rows_of(layout, config, expected) == rows).all()


@pytest.mark.parametrize(
    "function",
    [the_same_again, written_afterwards, under_two_names, changes_its_base, changes_its_base_before],
    ids=lambda f: f.__name__,
)
def test_what_one_at_a_time_would_change_is_not_read(function) -> None:
    """A state that is given and then changed is in the list as it is at the end."""
    model = model_of(function)
    config = model.configure("only")
    assert not is_read(model) and list(in_turn(model, config)) == function(config)
    for number, state in enumerate(function(config)):
        assert nth(model, config, number) == state


def test_a_late_state_beyond_its_range_is_refused(monkeypatch) -> None:
    """Compiled code stops at it, and plain Python says which variable it is."""
    model = model_of(beyond)
    config = model.configure("only")
    with pytest.raises(LayoutError, match="low = 10 is outside"):
        rows_by_compiled_code(model, config, monkeypatch)


def test_a_text_that_is_not_read_runs_once(monkeypatch) -> None:
    """What has to be made to know whether there is any is kept for the search."""
    times = []

    def counted(config):
        times.append(1)
        return [Toy(config)]

    model = model_of(counted)
    config = model.configure("only")
    assert language_beginnings.has_one(model, config) and language_beginnings.has_one(model, config)
    assert Beginnings(model, config, Layout(model, "exact", config)).first == [Toy(config)]
    assert len(times) == 1


def is_not_the_last(s):
    """Not all are the highest."""
    return not all(value == 10 for value in s.value)


class Dials(State):
    """Four dials."""

    value = many(integer(0, 10, "a number"), 4)


def any_dials(config):
    """Each says anything."""
    return every(Dials(config), "value[]")


def turn_back(s, value):
    """A dial is turned back."""
    if s.value[value] == 0:
        return False
    s.value[value] -= 1
    return True


def test_more_than_python_makes_are_found_by_the_search_and_by_their_number():
    """14,641 initial states: all are counted, each once, and the trace from the last begins with its number."""
    model = Model(state=Dials, initial_states=any_dials, actions=[turn_back], properties=[always(is_not_the_last)])
    found = highwater.check(model, keep_going=True, threads=1)
    assert (found.states, found.transitions, found.depth) == (11**4, 11**4 + 4 * 10 * 11**3, 1)
    trace = found.trace("is_not_the_last")
    assert (trace.initial, trace.steps) == (11**4 - 1, ())
    assert replay(trace, of_a_user(model), [always(is_not_the_last)]).broken == {"is_not_the_last": 0}


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (Bounds(states=3_000), "the bound of 3,000 states, reached among 3,072 initial states,"),
        (Bounds(seconds=0.0), "the bound of 0 seconds, reached among 1,024 initial states,"),
    ],
    ids=["states", "seconds"],
)
def test_a_bound_is_looked_at_while_they_are_made(bounds, said, monkeypatch):
    """The run is inconclusive and says so: no state was explored, and the time was not for compiling."""
    monkeypatch.setattr(compiled_beginnings, "BATCH", 1)
    model = Model(state=Dials, initial_states=any_dials, actions=[turn_back])
    found = check(Request(of_a_user(model), "only", model.configure("only"), [], bounds=bounds))
    assert (found.stopped, found.complete, found.levels) == (said, False, [])
    assert found.initial_seconds > 0


class Many(Settings):
    """How many dials there are."""

    dials = size(12, 1, 12, "how many dials there are")


class Wall(State):
    """10^12 ways to set twelve dials."""

    value = many(integer(0, 9, "a number"), "dials")


def any_wall(config):
    """Each dial says anything."""
    return every(Wall(config), "value[]")


def test_of_a_trillion_only_those_are_made_that_are_needed(monkeypatch):
    """A graph ends at its bound, a walk says that there are more, and what a size changes is read from the program."""
    model = of_a_user(Model(state=Wall, config=Many, initial_states=any_wall, actions=[turn_back]))
    config = model.configure("only")
    with pytest.raises(UsageError, match="more than 5 states"):
        state_graph(model, config, most_states=5)
    walk = Stepper(record(model, "only", config, 2, []), model)
    assert (walk.place, walk.state.value[11]) == ("initial state 3 of more than 10,000", 2)
    walk.begin(1)
    assert walk.state.value[11] == 1
    with pytest.raises(UsageError, match="no initial state 10001; a walk begins in one of the first 10,000"):
        walk.begin(10_000)
    assert lowered(model, config) == ["dials"]
    monkeypatch.setattr(language_beginnings, "MOST_LISTED", 20)
    for use in (prove_initially, partial(declared, model), partial(initial_text, model), partial(walked_states, model)):
        with pytest.raises(UsageError, match="there are more than 20 initial states"):
            use(config)


def prove_initially(config):
    """The base of an induction over the dials."""
    claim = always(first_dial)
    model = of_a_user(Model(state=Wall, config=Many, initial_states=any_wall, actions=[turn_back], properties=[claim]))
    Induction(Relation(model, config, [claim]), [claim], []).initial()


def first_dial(s):
    """The first dial says something."""
    return s.value[0] < 10
