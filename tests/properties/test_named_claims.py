"""A function may be that of several claims, each with a name; what is no claim, and no action, is refused in a sentence."""

import pytest
from highwater.explorer.library import check
from highwater.model.language import Model, State, UsageError, integer, many
from highwater.properties.property import always, eventually, recoverable, sometimes, step


class Two(State):
    """Two numbers."""

    x = many(integer(0, 2, "a number"), 2, "the numbers")


def inc(s, place):
    """One goes on."""
    if s.x[place] == 2:
        return False
    s.x[place] += 1
    return True


def small(s, place):
    """It is small."""
    return s.x[place] < 2


def large(s, place):
    """It is large."""
    return s.x[place] == 2


def model_with(*properties):
    return Model(state=Two, actions=[inc], weak=[inc], domains={"place": 2}, properties=properties)


def test_two_claims_have_one_function():
    model = model_with(always(small), sometimes(small, name="once_small"), always(small, name="still_small"))
    found = check(model, keep_going=True)
    assert found.verdicts == {"small": "violated", "once_small": "witnessed", "still_small": "violated"}
    assert found.trace("still_small").property == "still_small" and found.steps("small") == 2 and found.steps("once_small") == 0


def test_claims_of_progress_too():
    both = [recoverable(small, name="can"), eventually(small, name="will"), recoverable(large), eventually(large, name="must")]
    found = check(model_with(*both), progress=True)
    assert found.verdicts == {"can": "violated", "will": "holds", "large": "holds", "must": "holds"}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: check(model_with(small)), r"the properties of two take claims, such as always\(small\), not small itself"),
        (lambda: always("small"), "a property is a function of a state, not 'small'"),
        (lambda: always(small, name="two words"), "a property is called 'two words': a name has up to 60 letters"),
        (lambda: Model(state=Two, actions=["inc"]), "the actions of the model two take functions .*, not 'inc'"),
        (lambda: Model(state=Two, actions=[inc]), "a parameter 'place', and the model ranges over x, .*; domains={..., 'place'"),
        (lambda: check(model_with(always(small), step(lambda s, t: True, name="small"))), "a property or lemma 'small' already"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_sentence(make, said):
    with pytest.raises(UsageError, match=said):
        make()
