"""The jugs of Die Hard 3."""

from highwater.model.language import Model, State, integer
from highwater.properties.property import always


class Jugs(State):
    """A jug of three gallons, and one of five."""

    small = integer(0, 3, "gallons in the small jug")
    big = integer(0, 5, "gallons in the big jug")


def fill_small(s):
    """The small jug is filled."""
    if s.small == 3:
        return False
    s.small = 3
    return True


def fill_big(s):
    """The big jug is filled."""
    if s.big == 5:
        return False
    s.big = 5
    return True


def empty_small(s):
    """The small jug is emptied."""
    if s.small == 0:
        return False
    s.small = 0
    return True


def empty_big(s):
    """The big jug is emptied."""
    if s.big == 0:
        return False
    s.big = 0
    return True


def small_to_big(s):
    """The small jug is poured into the big one."""
    poured = min(s.small, 5 - s.big)
    if poured == 0:
        return False
    s.small -= poured
    s.big += poured
    return True


def big_to_small(s):
    """The big jug is poured into the small one."""
    poured = min(s.big, 3 - s.small)
    if poured == 0:
        return False
    s.big -= poured
    s.small += poured
    return True


def not_four_gallons(s):
    """The big jug never has four gallons."""
    return s.big != 4


MODEL = Model(
    state=Jugs,
    actions=[fill_small, fill_big, empty_small, empty_big, small_to_big, big_to_small],
    properties=[always(not_four_gallons)],
)
