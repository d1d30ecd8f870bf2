"""Mistakes in how a model is put together are said in a sentence when it is registered, not by the engine that meets them."""

from dataclasses import replace

import pytest
from highwater.explorer.request import Request, validate_applicable
from highwater.model.language import Model, Record, Revision, Settings, State, UsageError, actions, integer, many, size
from highwater.model.language.wellformed import initial_states, validate_model
from highwater.properties.extended import extended
from highwater.properties.plugins import begin
from highwater.properties.registry import MODELS


class Config(Settings):
    times = size(3, 1, 9, "times")


class Own(State):
    number = many(integer(0, 3, "a number"), "times", "by time")


def tick(s, time):
    """Time passes."""
    s.number[time] = 1
    return True


def tock(s, t):
    """Time passes."""
    s.number[t] = 1
    return True


DOMAINS = {"time": "times"}
OWN = Model(
    name="own",
    title="own",
    state=Own,
    config=Config,
    actions=actions(DOMAINS, [tick]),
    initial_states=lambda config: [Own(config)],
    revisions={"only": Revision("only", "there is one", {})},
    capacities={"small": {"times": 9}},
    domains=DOMAINS,
)


def test_what_need_not_be_said_is_filled_in():
    """`docs/gallery.md`: a state and functions are a model."""
    own = Model(state=Own, config=Config, actions=[tick], domains=DOMAINS)
    assert (own.name, own.title, list(own.revisions), own.capacities) == ("own", "own", ["only"], {"small": {"times": 8}})
    assert [action.name for action in own.actions] == ["tick"] and own.actions[0].dimensions == ("times",)
    assert [type(state) for state in own.initial_states(own.configure("only"))] == [Own] and Config().members == 1
    validate_model(own)
    assert Model(state=state_with("node", many(integer(0, 3, ""), "times")), config=Config).domains["node"] == "times"
    assert replace(own, title="other").actions is own.actions


def state_with(name, kind):
    return type("Other", (State,), {name: kind})


@pytest.mark.parametrize("model", [OWN, *MODELS.values()], ids=lambda model: model.name)
def test_a_model_that_fits_together_is_taken(model):
    validate_model(model)
    begin(model)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"capacities": {"large": {"times": 9}}}, "has no layout 'small' among its capacities; give it one"),
        ({"capacities": {"small": {}}}, "the layout 'small' of the model own does not say how long number may be"),
        ({"capacities": {"small": {"times": 9}, "large": {}}}, "the layout 'large' of the model own does not"),
        ({"capacities": {"small": {"times": 9, "tims": 9}}}, "the capacities of the model own name 'tims', .* mean times"),
        ({"state": state_with("x", integer(0, "tims", ""))}, "range of x of the model own names 'tims', which is not a setting"),
        ({"state": state_with("x", integer(0, 9, "", 0, "tims"))}, "the range of x of the model own names 'tims'"),
        ({"state": state_with("x", many(integer(0, 9, ""), "tims"))}, "the length of x of the model own names 'tims'"),
        ({"own_budgets": ("tims",)}, "own_budgets of the model own name 'tims', no budget of faults"),
        ({"finest": {"tims": "later"}}, "finest of the model own names 'tims', which is not a setting; did you mean times"),
        ({"domains": {"time": "tims"}}, "the domain of the parameter time of the model own names 'tims'"),
        ({"state": state_with("x", integer(5, 3, ""))}, "the range of x of the model own ends at 3, below 5, its start"),
        ({"actions": (*OWN.actions, *OWN.actions)}, "the model own has two actions 'tick', which a trace cannot tell apart"),
        ({"state": Record}, "must have a class of State as its state"),
        ({"state": State}, "must have a class of State as its state"),
        (
            {"state": state_with("x", many(integer(0, 9, ""), "tims")), "capacities": {}},
            "the length of x of the model own names 'tims'",
        ),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(parts, said):
    with pytest.raises(UsageError, match=said):
        validate_model(replace(OWN, **parts))


@pytest.mark.parametrize("name", ["config", "copy", "fields", "copiers", "collectors", "spare", "tail"])
def test_names_of_fields_that_mean_something_else_are_refused(name):
    with pytest.raises(UsageError, match=f"Other cannot have a field '{name}', which means something else"):
        state_with(name, integer(0, 3, ""))


def test_a_record_within_a_state_has_no_parts_of_a_row():
    assert type("Inner", (Record,), {"tail": integer(0, 3, "the end of a log")}).fields


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (lambda config: Own(config), "must return a list of states, Own, not a value of type Own"),
        (lambda config: None, "must return a list of states, Own, not None"),
        (lambda config: [None], "must return a list of states, Own, not one with None"),
        (lambda config: [Own(config), config], "must return a list of states, Own, not one with a value of type Config"),
    ],
)
def test_initial_states_are_a_list_of_states(returned, said):
    model = replace(OWN, initial_states=returned)
    config = model.configure("only")
    request = Request(model, "only", config, [])
    for refuse in (lambda: begin(model), lambda: initial_states(model, config), lambda: validate_applicable(request)):
        with pytest.raises(UsageError, match=said):
            refuse()


def test_parameters_of_actions_range_over_something():
    with pytest.raises(UsageError, match="the action tick has a parameter 'time', and the model ranges over nothing"):
        actions({}, [tick])
    with pytest.raises(UsageError, match="the action tick has a parameter 'time', and the model ranges over when"):
        actions({"when": "times"}, [tick])
    for make in (lambda: actions({"t": "times"}, [tock]), lambda: extended(OWN, actions=[tock])):
        with pytest.raises(UsageError, match="the action tock has a parameter 't', the name of a state"):
            make()


def Tick(s, time):
    """Time passes."""
    return tick(s, time)


def tick_at(s, time1):
    """Time passes."""
    return tick(s, time1)


@pytest.mark.parametrize(
    ("action", "parameter", "said"),
    [(Tick, "time", "an action is called 'Tick'"), (tick_at, "time1", "the action tick_at has a parameter 'time1'")],
)
def test_names_that_no_trace_could_hold_are_refused(action, parameter, said):
    domains = {parameter: "times"}
    with pytest.raises(UsageError, match=f"{said}: .*small letters"):
        validate_model(replace(OWN, domains=domains, actions=actions(domains, [action])))
