"""Who reads whose variables: what an action takes from another actor stands in its docstring, with the reason.

Computed from the syntax tree, whatever the configuration rules out, and compared with `Reads:`. An actor's own are the
variables under its own number, and a message that it sends or receives. What the store does of itself when it is
asked (whether the session lives, whose watch fires) is not the asking actor's reading; ghosts only properties read.
"""

import inspect
import itertools
import random
import re
from collections import Counter
from types import FunctionType

import pytest
from highwater.explorer.compiling.touched import Touched
from highwater.model import history
from highwater.model.language.kinds import fill, walk
from highwater.model.language.machine_code.layout import Layout
from highwater.model.language.reading.footprint import footprint, guard_reads
from highwater.model.language.reading.program import program
from highwater.model.language.reading.specialise import specialise
from highwater.model.published.kip_320_first_try import follower_fetch
from highwater.model.zookeeper import watches
from highwater.properties.registry import KAFKA, MODELS, PUBLISHED
from support.kafka import PROPERTIES, reachable, steps_of, tiny
from support.toys import COUNTERS

ACTORS = ("controller", "broker", "leader", "follower")
MESSAGES = ("command", "earlier_command", "fetch_request", "fetch_response", "late_response")
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


IMAGE = "metadata[*].change[*].min_isr"
"""A broker's own image of the configuration: the entry of the log at which it is (`known_min_isr`)."""


def of_others(action, reads):
    """The variables that are not the acting broker's or controller's own: paths."""
    actor = next((name for name in action.parameters if name in ACTORS), None)
    for path in sorted(reads):
        indices = re.findall(r"\[(.*?)\]", path)
        is_own = f"[{actor}]" in path or path.startswith(IMAGE)
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
    """And what happened is written down for the properties alone: no step depends on it."""
    everything = footprint(version, action.parameters, KAFKA.state, HANDLERS).reads
    assert not [path for path in everything if path.startswith(("history", "generation"))]
    reads, roots = list(of_others(action, everything)), listed(version)
    for path in reads:
        assert any(covers(root, path) for root, _ in roots), f"{version.__name__} reads {path}, and does not say why"
    for root, reason in roots:
        assert any(covers(root, path) for path in reads), f"{version.__name__} does not read {root}"
        assert len(reason) > 8


def versions_of_all():
    """Every function that an action of some model can be, once."""
    found = {version: (model, action) for model in MODELS.values() for action in model.actions for version in action.versions}
    for version, (model, action) in found.items():
        yield pytest.param(model, action, version, id=f"{model.name}-{action.name}-{version.__name__}")


@pytest.mark.parametrize(("model", "action", "version"), list(versions_of_all()))
def test_what_an_action_writes_is_what_its_docstring_says(model, action, version):
    """No more and no less, whatever the configuration (that no run writes more is tested step by step elsewhere)."""
    writes = sorted(footprint(version, action.parameters, model.state).writes)
    text = inspect.cleandoc(version.__doc__).partition("Modifies:")[2].partition("Reads:")[0]
    roots = [root.strip() for root in " ".join(text.split()).rstrip(".").split(",")]
    for path in writes:
        assert any(covers(root, path) for root in roots), f"{version.__name__} writes {path}, and does not say so"
    for root in roots:
        assert any(covers(root, path) for path in writes), f"{version.__name__} never writes {root}"


def test_a_footprint_follows_references_calls_and_both_branches():
    """By hand: the published model's fetch, and a toy."""
    found = footprint(follower_fetch, ("follower", "leader"), PUBLISHED.state)
    read = {"follower": ("leader", "leo", "log[*].epoch"), "leader": ("leader", "leo", "hw", "log[*].epoch", "log[*].id")}
    assert found.reads == {f"replica[{who}].{what}" for who, several in read.items() for what in several}
    assert found.writes == {f"replica[follower].{what}" for what in ("leo", "hw", "log[*].epoch", "log[*].id")}
    count = COUNTERS.actions[0]
    found = footprint(count.function, count.parameters, COUNTERS.state)
    assert found.reads == found.writes == {"count[counter]"}


SIZES = {"session_expiries": 1, "crashes": 1}
STEPS = [claim for claim in PROPERTIES.values() if claim.over_steps and claim.applies(tiny(**SIZES))]


def steps_with_noise():
    """Steps of a small cluster, and variables of both states to change in each, with the new values."""
    dice = random.Random(5)
    config = tiny(**SIZES)
    for state, _ in dice.sample(list(reachable(config, True, 12).values()), 60):
        for _, _, successor in itertools.islice(KAFKA.enabled(state, steps_of(config)), 4):
            chosen = dice.sample(list(walk(type(state), state)), 30)
            yield state, successor, [(path, dice.randint(*kind.span(config))) for path, kind, _ in chosen]


def with_change(state, path, value):
    """The state with another value of one variable."""
    found = [value if at == path else old for at, _, old in walk(type(state), state)]
    return fill(state.copy(), found)


def test_a_property_of_steps_and_a_part_of_the_normal_form_depend_on_the_cells_that_have_their_bits_alone():
    """A property says the same of a later state that differs elsewhere, for each value of the parameter that it has bits for; a
    part of the normal form leaves a state in normal form as it is if that was changed elsewhere."""
    config = tiny(**SIZES)
    whole = specialise(program([*(claim.function for claim in STEPS), KAFKA.normal_form]), config, KAFKA.state)
    touched = Touched(KAFKA, whole, config, Layout(KAFKA, "exact", config))
    asked = {claim: touched.property_of_steps(claim) for claim in STEPS}
    parts = touched.normal_form(whole.name_of(KAFKA.normal_form), of_plugin=False)
    assert len(parts) > 1 and any(len(bits.bits) > 1 for bits in asked.values())
    bound = [(claim, binding) for claim in STEPS for binding in claim.bindings(config)]
    run: dict = {}
    exec(whole.text(), run)
    compared = Counter()
    for state, successor, changes in steps_with_noise():
        for path, value in changes:
            bits, after, changed = (
                touched.bits_of[touched.cells[path]],
                *(with_change(s, path, value) for s in (successor, state)),
            )
            for claim, binding in bound:
                place = binding[claim.parameters.index(asked[claim].parameter)] if asked[claim].parameter else 0
                if not asked[claim].bits[place] & bits:
                    assert claim.function(state, after, *binding) == claim.function(state, successor, *binding), (
                        claim.name,
                        path,
                    )
                    compared[claim.name] += 1
            for bit, (name, numbers) in parts:
                if not bit & bits:
                    again = changed.copy()
                    run[name](again, *map(int, numbers))
                    assert again == changed, (path, name)
                    compared[bit] += 1
    assert len(compared) == len(STEPS) + len(parts) and min(compared.values()) > 1000


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


def guarded(s, r, other):
    me = s.replica[r]
    if me.leader != other:
        return False
    known = me.leader_epoch
    if s.quorum.leader_epoch > known or me.leader == 0:
        return False
    if s.next_record_id > 1:
        me.hw = s.next_record_id
    if s.next_leader_epoch > 1:
        return False
    return True


def test_what_guards_read_ends_before_the_first_effect():
    found = guard_reads(program([guarded]), "guarded", ["r", "other"], PUBLISHED.state)
    assert found == [set(), {"replica[r].leader"}, {"replica[r].leader_epoch"}, {"quorum.leader_epoch"}]
