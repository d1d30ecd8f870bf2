"""Who reads whose variables: what an action takes from another actor stands in its docstring, with the reason.

Computed from the syntax tree, whatever the configuration rules out, and compared with `Reads:`. An actor's own are the
variables under its own number, and a message that it sends or receives. What the store does of itself when it is
asked (whether the session lives, whose watch fires) is not the asking actor's reading; ghosts only properties read.
"""

import inspect
import itertools
import random
import re
from types import FunctionType

import pytest
from highwater.model import history
from highwater.model.language.footprint import footprint, footprint_in
from highwater.model.language.kinds import fill, walk
from highwater.model.language.program import program
from highwater.model.next import KAFKA
from highwater.model.published.next import PUBLISHED
from highwater.model.zookeeper import watches
from support.kafka import PROPERTIES, reachable, steps_of, tiny
from support.toys import COUNTERS

ACTORS = ("controller", "broker", "leader", "follower")
MESSAGES = ("command", "earlier_command", "fetch_request", "fetch_response")
HANDLERS = [
    function
    for module in (watches, history)
    for function in vars(module).values()
    if isinstance(function, FunctionType) and function.__module__ == module.__name__
]


def versions():
    """Every function that an action of the Kafka model can be."""
    for action in KAFKA.actions:
        for version in action.versions:
            yield pytest.param(action, version, id=f"{action.name}-{version.__name__}")


def of_others(action, version):
    """The variables that are not the acting broker's or controller's own: paths."""
    actor = next((name for name in action.parameters if name in ACTORS), None)
    for path in sorted(footprint(version, action.parameters, KAFKA.state, HANDLERS).reads):
        indices = re.findall(r"\[(.*?)\]", path)
        is_own = f"[{actor}]" in path
        is_its_message = path.startswith(MESSAGES) and indices and "*" not in indices
        if not is_own and not is_its_message and not path.startswith("spent"):
            yield path


def listed(version):
    """The paths after `Reads:`, and the reasons in parentheses."""
    _, found, text = inspect.cleandoc(version.__doc__).partition("Reads:")
    groups = re.findall(r"([^;()]+) \(([^()]+)\)[;.]", " ".join(text.split())) if found else []
    return [(path.strip(), reason) for paths, reason in groups for path in paths.split(",")]


def covers(root, path):
    """The variable is the listed one, or below it."""
    return path == root or path.startswith((root + ".", root + "["))


@pytest.mark.parametrize(("action", "version"), list(versions()))
def test_what_an_action_reads_of_others_is_listed_with_its_reason(action, version):
    reads = list(of_others(action, version))
    roots = listed(version)
    for path in reads:
        assert any(covers(root, path) for root, _ in roots), f"{version.__name__} reads {path}, and does not say why"
    for root, reason in roots:
        assert any(covers(root, path) for path in reads), f"{version.__name__} does not read {root}"
        assert len(reason) > 8


@pytest.mark.parametrize(("action", "version"), list(versions()))
def test_no_action_asks_a_ghost(action, version):
    """What happened is written down for the properties: no step depends on it."""
    reads = footprint(version, action.parameters, KAFKA.state, HANDLERS).reads
    assert not [path for path in reads if path.startswith(("history", "generation"))]


@pytest.mark.parametrize(("action", "version"), list(versions()))
def test_what_an_action_writes_is_what_its_docstring_says(action, version):
    """No more and no less, whatever the configuration (that no run writes more is tested step by step elsewhere)."""
    writes = sorted(footprint(version, action.parameters, KAFKA.state).writes)
    text = inspect.cleandoc(version.__doc__).partition("Modifies:")[2].partition("Reads:")[0]
    roots = [root.strip() for root in " ".join(text.split()).rstrip(".").split(",")]
    for path in writes:
        assert any(covers(root, path) for root in roots), f"{version.__name__} writes {path}, and does not say so"
    for root in roots:
        assert any(covers(root, path) for path in writes), f"{version.__name__} never writes {root}"


def test_a_footprint_follows_references_calls_and_both_branches():
    """By hand: the published model's fetch, and a toy."""
    fetch = next(a for a in PUBLISHED.actions if "fetch" in a.name)
    found = footprint(fetch.function, fetch.parameters, PUBLISHED.state)
    assert found.reads and found.writes
    count = COUNTERS.actions[0]
    found = footprint(count.function, count.parameters, COUNTERS.state)
    assert found.writes <= found.reads | found.writes and found.writes


SIZES = {"session_expiries": 1, "crashes": 1}
STEPS = [one for one in PROPERTIES.values() if one.over_steps and one.applies(tiny(**SIZES))]


def steps_with_noise():
    """Steps of a small cluster, and the same variable of both states to change in each, with the new value."""
    dice = random.Random(5)
    config = tiny(**SIZES)
    for state, _ in dice.sample(list(reachable(config, True, 12).values()), 60):
        for _, _, successor in itertools.islice(KAFKA.enabled(state, steps_of(config)), 4):
            for path, kind, _ in dice.sample(list(walk(type(state), state)), 30):
                yield state, successor, path, dice.randint(*kind.span(config))


def with_change(state, path, value):
    """The state with another value of one variable."""
    found = [value if at == path else old for at, _, old in walk(type(state), state)]
    return fill(state.copy(), found)


@pytest.mark.parametrize("one", STEPS, ids=lambda one: one.name)
def test_a_property_of_steps_depends_on_what_it_reads_alone(one):
    """Lanes ask it only after actions that may write what it reads."""
    whole = program([one.function])
    reads = {bare(path) for path in footprint_in(whole, whole.name_of(one.function), 2, KAFKA.state).reads}
    others = [case for case in steps_with_noise() if bare(case[2]) not in reads]
    assert len(others) > 1000
    for state, successor, path, value in others:
        changed = with_change(state, path, value), with_change(successor, path, value)
        assert one.holds(state, successor) == one.holds(*changed), path


def test_the_normal_form_depends_on_what_it_reads_and_writes_alone():
    """Lanes take it only after actions that may write that; a state in normal form stays as it is."""
    whole = program([KAFKA.normal_form])
    found = footprint_in(whole, whole.name_of(KAFKA.normal_form), 1, KAFKA.state)
    touched = {bare(path) for path in found.reads | found.writes}
    others = [case for case in steps_with_noise() if bare(case[2]) not in touched]
    assert len(others) > 1000
    for state, _, path, value in others:
        changed = with_change(state, path, value)
        again = changed.copy()
        KAFKA.normal_form(again)
        assert again == changed, path


def bare(path):
    """The path of a variable without indices."""
    return re.sub(r"\[[^]]*\]", "", path)


def late(s, p):
    """What a test in a round meets that the round before has assigned."""
    chosen = 0
    for _ in range(2):
        if chosen == 1:
            s.next_record_id = s.next_leader_epoch
        chosen = 1
    return True


def test_a_round_meets_what_an_earlier_one_has_assigned():
    found = footprint(late, ["p"], PUBLISHED.state)
    assert found.reads == {"next_leader_epoch"} and found.writes == {"next_record_id"}


def half_known(s):
    """A number that is a constant, or not known."""
    kind = 1 if s.next_record_id > 1 else s.next_leader_epoch
    if kind == 1:
        s.next_record_id = 1
    else:
        s.next_leader_epoch = 1


def given(s, kind):
    """A parameter that becomes a constant on one way."""
    if s.next_record_id > 1:
        kind = 1
    if kind == 1:
        s.next_record_id = 1
    else:
        s.next_leader_epoch = 1


def gives(s):
    given(s, s.next_leader_epoch)


def chained(s, kind):
    """A chain, of which the first comparison is known."""
    if kind == 1 < s.next_record_id:
        s.next_record_id = 1
    else:
        s.next_leader_epoch = 1


def chains(s):
    chained(s, 1)


@pytest.mark.parametrize("function", [half_known, gives, chains])
def test_what_is_not_known_rules_no_branch_out(function):
    """A search in lanes would leave out the checks of a step: it goes by what an action may write."""
    assert footprint(function, (), PUBLISHED.state).writes == {"next_record_id", "next_leader_epoch"}
