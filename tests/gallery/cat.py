"""A cat moves from box to box at night; in the morning we look into one. TLA+ Examples: Moving_Cat_Puzzle/CatEvenBoxes."""

from highwater.model.language import Model, Settings, State, flag, integer, size
from highwater.properties.property import eventually


class Config(Settings):
    """How many there are."""

    boxes = size(6, 3, 12, "boxes in a row")


class Boxes(State):
    """Where the cat is, and where we look."""

    cat = integer(0, "boxes", "the box of the cat")
    looked = integer(0, "boxes", "the box into which we look, never the first or the last")
    leftwards = flag("we go to the left")


def first_states(config):
    """The cat is anywhere, and so are we."""
    states = []
    for cat in range(config.boxes):
        for looked in range(1, config.boxes - 1):
            for leftwards in (0, 1):
                state = Boxes(config)
                state.cat, state.looked, state.leftwards = cat, looked, leftwards
                states.append(state)
    return states


def next_day(s, left):
    """The cat moves to the next box; we look into the next one too, or turn round at the end."""
    to, look = s.cat - 1 if left else s.cat + 1, s.looked - 1 if s.leftwards else s.looked + 1
    if to not in range(s.config.boxes):
        return False
    s.cat = to
    if look in range(1, s.config.boxes - 1):
        s.looked = look
    else:
        s.leftwards = 1 - s.leftwards
    return True


def found(s):
    """We look into the box of the cat."""
    return s.cat == s.looked


MODEL = Model(
    state=Boxes,
    config=Config,
    initial_states=first_states,
    domains={"left": 2},
    actions=[next_day],
    weak=[next_day],
    properties=[eventually(found)],
)
