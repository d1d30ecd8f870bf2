"""A normal form that forgets what a function of a user sees allows no verdict: what was explored shows it."""

import highwater
import pytest
from highwater.model.language import Model, State, flag, integer
from highwater.model.language.errors import ModelError
from highwater.properties.property import sometimes


class Jar(State):
    """A jar."""

    lid_off = flag("its lid is off, which the normal form forgets")
    taken = integer(0, 2, "what was taken from it")


def open_jar(s):
    """Somebody takes the lid off."""
    s.lid_off = True
    return True


def take_one(s):
    """One is taken from an open jar."""
    if not s.lid_off or s.taken == 2:
        return False
    s.taken += 1
    return True


def forget_lid(s):
    """A normal form that merges states which behave differently."""
    s.lid_off = False


def is_taken(s):
    """Something is taken."""
    return s.taken > 0


def is_open(s):
    """The jar is open."""
    return s.lid_off == 1


SEARCHES = {
    "check": lambda model: highwater.check(model, threads=1),
    "walk": lambda model: highwater.walk(model, walks=1, length=20, threads=1),
    "fuzz": lambda model: highwater.fuzz(model, runs=1, rules=1),
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("actions", "claim", "name"),
    [([open_jar, take_one], is_taken, "take_one"), ([open_jar], is_open, "is_open")], ids=["a step", "a claim"],
)  # fmt: skip
def test_what_the_normal_form_forgets_and_something_sees(actions, claim, name, search):
    """These were never witnessed."""
    model = Model(state=Jar, actions=actions, properties=[sometimes(claim)], normal_form=forget_lid)
    with pytest.raises(ModelError, match=f"{name} does not do the same in a state and in its normal form: after open_jar from"):
        SEARCHES[search](model)
