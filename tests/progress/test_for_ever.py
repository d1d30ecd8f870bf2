"""Goals that are true again and again, or for ever from some time on: known answers, and lassos that show it."""

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import Model, State, flag, integer
from highwater.properties.property import always_eventually, eventually, eventually_always
from highwater.traces.lasso import doubt
from highwater.traces.replay import replay


class Wheel(State):
    """A wheel that turns, and a door that can be shut at one of its places."""

    at = integer(0, 2, "where the wheel is")
    shut = flag("the door")


def turn(s):
    """The wheel turns."""
    s.at = (s.at + 1) % 3
    return True


def shut(s):
    """The door is shut."""
    if s.at != 0 or s.shut:
        return False
    s.shut = 1
    return True


def at_one(s):
    """It passes here."""
    return s.at == 1


def is_shut(s):
    """The door is shut."""
    return s.shut == 1


def is_open(s):
    """The door is open."""
    return s.shut == 0


CLAIMS = [
    always_eventually(at_one, name="again_at_one"), eventually_always(at_one, name="stays_at_one"),
    always_eventually(is_open, name="again_open"), eventually_always(is_shut, name="stays_shut"),
    eventually_always(is_open, name="stays_open"), eventually(is_open, name="open_once"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fair", "violated"),
    [
        ({"weak": [turn], "strong": [shut]}, {"stays_at_one", "again_open", "stays_open"}),
        ({"weak": [turn, shut]}, {"stays_at_one", "again_open", "stays_open", "stays_shut"}),
        ({"weak": [shut]}, {"again_at_one", "stays_at_one", "again_open", "stays_open", "stays_shut"}),
    ],
)
def test_known_answers_and_their_lassos(fair, violated):
    model = Model(state=Wheel, actions=[turn, shut], properties=CLAIMS, **fair)
    found = highwater.check(model, properties=[one.name for one in CLAIMS], threads=1, keep_going=True)
    assert {name for name, verdict in found.verdicts.items() if verdict == "violated"} == violated
    whole = of_a_user(model)
    for claim in CLAIMS:
        if claim.name in violated:
            trace = found.trace(claim.name)
            states = replay(trace, whole, []).states
            assert doubt(trace, whole, states, claim) == "", str(trace)
