"""Words fit the variables and the facts that they are about."""

import pytest
from highwater.properties.registry import MODELS
from highwater.traces.notation import describe, differences
from highwater.traces.witness import variable_in_words


def paths(kind):
    """The paths of all variables below a record, without indices."""
    for name, field in kind.fields.items():
        while hasattr(field, "element"):
            field = field.element
        inner = getattr(field, "fields", None)
        yield from (f"{name}.{rest}" for rest in paths(field)) if inner else [name]


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_each_path_is_one_of_the_model(model):
    assert set(model.notation.words) <= set(paths(model.state))


def test_what_a_consumer_has_read_is_told_by_the_batch():
    kind, words = MODELS["kafka"].state, MODELS["kafka"].notation.words
    assert variable_in_words(kind, "consumer[0].record", 2, words) == "the consumer has read b"
    assert variable_in_words(kind, "consumer[0].refused_in", 3, words) == (
        "a leader in epoch 3 answered the consumer out of range"
    )


def test_a_request_that_a_broker_obeys_is_not_told_as_an_election_request():
    model = MODELS["designs"]
    state = model.initial_states(model.configure("v3"))[0]
    sent = state.copy()
    sent.command[0][1].sent, sent.command[0][1].leader = 1, 0
    told = [text for _, _, text in differences(model.notation, describe(model, sent), describe(model, state))]
    assert told == ["no more LeaderAndIsr"]
