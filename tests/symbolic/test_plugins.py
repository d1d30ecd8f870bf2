"""Models of a user's own: nothing is proved of them that a step violates."""

from dataclasses import replace

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.output.proof_report import lines_of, print_bounds
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.request import Request
from highwater.explorer.symbolic.bounded import check_bounded
from highwater.explorer.symbolic.frames import REFUSES_LATE
from highwater.explorer.symbolic.induction import BROKEN
from highwater.explorer.symbolic.needless import NEEDED, weigh
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.solving import PROVED
from highwater.explorer.verdict import VIOLATED
from highwater.model.language import (
    MEMBERS,
    Model,
    Revision,
    Settings,
    State,
    UsageError,
    actions,
    cells,
    derived,
    flag,
    integer,
    many,
    no_asymmetry,
    size,
)  # fmt: skip
from highwater.model.language.errors import LanguageError, ModelError
from highwater.properties.extended import extended
from highwater.properties.property import always, quantified
from highwater.properties.registry import MODELS
from rich.console import Console
from support.agreement import SymbolicStep, as_model, plain_step


class Config(Settings):
    """Two nodes."""

    nodes = size(2, 1, 4, "nodes")
    slots = size(3, 1, 4, "slots")
    members = derived(lambda c: c.nodes)


class Whole(State):
    """Everything that these models have."""

    x = integer(0, 9, "a number")
    c = flag("a flag")
    fixed = integer(0, 0, "a number with one value")
    grows = integer(0, 5, "a number whose normal form is smaller", normal_high=3)
    met = many(integer(0, 3, "how many it has met"), MEMBERS, "by node")


def meet(s, node, other):
    """Two nodes meet; each pair is named once."""
    if node <= other:
        return False
    if s.met[node] == 3 or s.met[other] == 3:
        return False
    s.met[node] += 1
    s.met[other] += 1
    return True


def flip(s):
    """The flag changes."""
    s.c = 1 - s.c
    return True


def count_in_loop(s):
    """A name keeps its value where the loop is not run."""
    i = 7
    if s.c == 1:
        for i in range(3):  # noqa: B007  # the name is read behind the loop
            pass
    s.x = i
    return True


def hold_another_value(s):
    """Within an action a variable may hold what its range does not allow."""
    s.fixed = 5
    if s.fixed == 5:
        s.x = 3
    s.fixed = 0
    return True


def grow(s):
    """A number goes beyond the end of its range."""
    if s.grows == 6:
        s.x = 3
        s.grows = 0
        return True
    s.grows += 1
    return True


def nobody_has_met(s, node):
    """Nobody has met another."""
    return s.met[node] == 0


def x_is_small(s):
    """The number is at most 2."""
    return s.x <= 2


def model_of(steps, claim):
    """(model, its property) of these actions."""
    domains = {"node": MEMBERS, "other": MEMBERS}
    model = Model(
        name="mine", title="a model", state=Whole, config=Config, actions=actions(domains, steps),
        initial_states=lambda config: [Whole(config)], revisions={"only": Revision("only", "one", {})}, domains=domains,
        capacities={"small": {MEMBERS: 4}}, asymmetry=no_asymmetry,
    )  # fmt: skip
    return model, quantified([always(claim, "only")], domains)


CASES = {
    "each pair once": ([meet], nobody_has_met),
    "a loop under a condition": ([flip, count_in_loop], x_is_small),
    "a fixed variable": ([hold_another_value], x_is_small),
    "a normal form": ([grow], x_is_small),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_step_violates_is_not_proved(case):
    model, claims = model_of(*CASES[case])
    config = model.configure("only")
    goals = prove(ProofRequest(model, "only", config, list(claims), []))
    assert BROKEN in [action.verdict for action in goals.actions]
    if case != "a normal form":  # whose range is left: searches end with that
        plain = explore_plain(model, config, claims, most_states=200)
        found = check(Request(model, "only", config, list(claims), bounds=Bounds(states=200_000)))
        assert [(finding.verdict, finding.depth) for finding in found.findings] == [(VIOLATED, plain.found[claims[0].name])]


def name_settings(s):
    """The settings have a name of their own."""
    c = s.config
    s.x = c.slots
    return True


def test_settings_with_a_name_of_their_own_are_refused():
    model, claims = model_of([name_settings], x_is_small)
    with pytest.raises(LanguageError, match=r"the prover does not know s\.config without a setting behind it in name_settings"):
        Relation(model, model.configure("only"), claims)


def bump(s):
    """Writes, and answers 1."""
    s.c = 1
    return 1


def count_where_it_was(s):
    """The place is that of before the call."""
    s.met[s.c] += bump(s)
    return True


def test_the_place_of_what_is_added_to_is_that_of_before():
    """The prover reads it as Python does; compiled code of a plugin would not, and is refused."""
    model, claims = model_of([count_where_it_was], x_is_small)
    relation = Relation(model, model.configure("only"), claims)
    (instance,) = relation.instances()
    state = model.state(model.configure("only"))
    enabled, _, after = SymbolicStep(relation, instance).at(cells(state), as_model(relation, cells(state)))
    assert (enabled, after) == plain_step(state, instance)
    with pytest.raises(UsageError, match="an index that writes to the state, or that a call may change"):
        extended(model, actions=[count_where_it_was_too])


def count_where_it_was_too(s):
    """As `count_where_it_was`."""
    s.met[s.c] += bump(s)
    return True


def test_a_property_is_not_called_like_a_lemma():
    """With `--with all` the lemma would be proved in its place."""
    claim = replace(always(x_is_small, "kip-320"), name="request_leader_in_request_isr")
    with pytest.raises(UsageError, match="has a property or lemma 'request_leader_in_request_isr' already"):
        extended(MODELS["published"], properties=[claim])


def look_up(s):
    """The guard keeps the index within its array."""
    if s.x >= s.config.members:
        return False
    if s.met[s.x] == 0:
        return False
    s.c = 1
    return True


def look_up_anywhere(s):
    """Nothing keeps the index within its array."""
    if s.met[s.x] == 0:
        return False
    s.c = 1
    return True


def count(s):
    """The number grows."""
    if s.x == 9:
        return False
    s.x += 1
    return True


def count_too_far(s):
    """The number grows beyond its range."""
    s.x += 1
    return True


def nobody_has_met_the_first(s):
    """Nobody has met the first node."""
    return s.met[0] == 0


def test_a_guard_that_keeps_an_index_within_its_array_is_needed():
    """Without it the index would be read as 0, where the claim makes the other guard refuse."""
    model, claims = model_of([count, look_up], nobody_has_met_the_first)
    relation = Relation(model, model.configure("only"), claims)
    (instance,) = [one for one in relation.instances() if one.action.name == "look_up"]
    found = weigh(relation, instance, {"claim": relation.says(claims[0], relation.before)}, 60)
    assert {guard.test: verdict for guard, verdict in found.items()} == {"s.x >= 2": NEEDED, "s.met[s.x] == 0": NEEDED}


def refuse_late(s):
    """The number changes, and only then the flag is looked at."""
    s.x = 1
    if s.c == 1:
        return False
    return True


def answer_late(s, node):
    """The same, of a node, with an answer that is computed."""
    s.met[node] = 1
    return s.c == 0


def never_but_writes(s):
    """It refuses in every state."""
    s.x = 1
    return False


def change_in_a_branch(s):
    """What is written is written where the action is enabled."""
    if s.c == 1:
        s.x = 0
        s.c = 0
        return True
    return False


def write_what_is_there(s):
    """Nothing changes where it refuses."""
    s.c = s.c * 1
    return s.x == 0


LATE, IN_TIME = (refuse_late, answer_late, never_but_writes), (change_in_a_branch, write_what_is_there)


@pytest.mark.parametrize(("step", "late"), [*((one, True) for one in LATE), *((one, False) for one in IN_TIME)])
def test_an_action_that_refuses_after_a_write_is_not_proved_to_write_nothing(capsys, step, late):
    """The proof shows a state in which the action does so, and an exploration ends there."""
    model, claims = model_of([flip, step], x_stays)
    config = model.configure("only")
    proof = prove(ProofRequest(model, "only", config, claims, []))
    said = [(place.partition(" ")[2], verdict) for place, verdict in proof.bounds.items()]
    assert said == [(REFUSES_LATE, PROVED), (REFUSES_LATE, BROKEN if late else PROVED)]
    assert (proof.verdict == BROKEN) == late == bool(proof.counterexamples)
    print_bounds(Console(width=120), proof)
    shown = capsys.readouterr().out
    assert f"refusals: {1 if late else 2} of 2 actions of plugins proved to write nothing where they refuse" in shown
    assert ("a refusal after a write to the state: is possible" in shown) == late and "out of bounds" not in shown
    for counterexample in proof.counterexamples:
        before = Relation(model, config, claims).state_of(counterexample.before)
        after = before.copy()
        assert not step(after, *counterexample.arguments) and after != before
        assert "a refusal after a write to the state is possible" in lines_of(counterexample, proof)[0]
    if late:
        with pytest.raises(ModelError, match="refuses after it has written"):
            check(Request(model, "only", config, claims))


def x_stays(s):
    """The number is in its range."""
    return s.x <= 9


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (look_up_anywhere, "index 2 in an array of 2"),
        (count_too_far, "sets x to 10"),
        (never_but_writes, "refuses after it has written"),
    ],
)
def test_a_bounded_search_ends_where_the_model_fails(step, said):
    model, claims = model_of([count, step], nobody_has_met_the_first)
    relation = Relation(model, model.configure("only"), claims)
    with pytest.raises(ModelError, match=said):
        check_bounded(relation, claims[0], 11, 60)
