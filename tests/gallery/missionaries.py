"""Three missionaries and three cannibals cross a river in a boat for two; nowhere may cannibals outnumber missionaries."""

from highwater.model.language import Model, State, flag, many
from highwater.properties.property import always


class River(State):
    """Who is on the other bank; the first three are missionaries."""

    over = many(flag("has crossed"), 6)
    boat = flag("the boat has crossed")


def row(s, one, other):
    """One crosses, or two."""
    if one > other or s.over[one] != s.boat or s.over[other] != s.boat:
        return False
    for bank in range(2):
        missionaries, cannibals = 0, 0
        for who in range(6):
            side = 1 - s.over[who] if who in (one, other) else s.over[who]
            missionaries += 1 if side == bank and who < 3 else 0
            cannibals += 1 if side == bank and who >= 3 else 0
        if missionaries > 0 and cannibals > missionaries:
            return False
    s.boat = 1 - s.boat
    s.over[one] = s.boat
    s.over[other] = s.boat
    return True


def some_are_left(s):
    """Not all have crossed."""
    return any(side == 0 for side in s.over)


MODEL = Model(state=River, domains={"one": 6, "other": 6}, actions=[row], properties=[always(some_are_left)])
