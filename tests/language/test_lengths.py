"""Arrays and parameters whose length is a number, not a setting."""

import highwater
from highwater.explorer.library import of_a_user
from highwater.model.language import Model, State, flag, integer, many
from highwater.properties.property import always
from support.exploring import reachable


class Lamps(State):
    """Lamps with switches."""

    lamp = many(flag("it is on"), 3, "lamps")
    pressed = many(many(integer(0, 1, "how often"), 2), 3, "by lamp and switch")


def press(s, lamp, switch):
    """A switch is pressed once.

    Design: none.   Kafka: none.
    Modifies: lamp[lamp], pressed[lamp][switch].
    """
    if s.pressed[lamp][switch] == 1:
        return False

    s.lamp[lamp] = 1 - s.lamp[lamp]
    s.pressed[lamp][switch] += 1
    return True


def is_on_when_odd(s, lamp):
    """A lamp is on when one of its switches was pressed."""
    return s.lamp[lamp] == sum(s.pressed[lamp][switch] for switch in range(2)) % 2


MODEL = Model(state=Lamps, domains={"lamp": 3, "switch": 2}, actions=[press], properties=[always(is_on_when_odd)])


def test_every_engine_knows_how_many_there_are():
    whole = of_a_user(MODEL)
    assert len([*reachable(whole, whole.configure("only"))]) == 64
    assert highwater.check(MODEL, threads=1).states == 64
    assert highwater.prove(MODEL, properties=["is_on_when_odd"], all_instances=True, threads=1)
