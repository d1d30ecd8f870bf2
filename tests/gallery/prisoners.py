"""Prisoners, of whom one counts, and a room with two switches. TLA+ Examples: Prisoners."""

from highwater.model.language import Model, Settings, State, every, flag, integer, many, size
from highwater.properties.property import always, eventually


class Config(Settings):
    """How many there are."""

    others = size(3, 1, 8, "prisoners who do not count")


class Room(State):
    """The room with the switches, and what the prisoners remember."""

    a = flag("switch A is up")
    b = flag("switch B is up")
    switched = many(integer(0, 2, "how often the prisoner has turned A up"), "others")
    count = integer(0, 17, "how often the counter has turned A down")


def visit(s, switched):
    """A prisoner who does not count is let in: A goes up, twice at most, or else B is turned."""
    if not s.a and s.switched[switched] < 2:
        s.a = True
        s.switched[switched] += 1
    else:
        s.b = not s.b
    return True


def count(s):
    """The counter is let in: A goes down and is counted, or else B is turned."""
    if s.a:
        s.a = False
        s.count += 1
    else:
        s.b = not s.b
    return True


def is_done(s):
    """The counter has counted two for each of the others."""
    return s.count == 2 * s.config.others


def all_were_there(s):
    """When the counter is done, everybody has been in the room."""
    return not is_done(s) or all(times > 0 for times in s.switched)


def is_counted(s):
    """The count is how often A went up, but for the last time, and one more if A was up at first."""
    total = sum(s.switched) - s.a
    return s.count in (total, total + 1)


def first_states(config):
    """The switches may be up or down."""
    return every(Room(config), "a", "b")


MODEL = Model(
    state=Room, config=Config, actions=[visit, count], initial_states=first_states, weak=[visit, count],
    properties=[always(all_were_there), always(is_counted), eventually(is_done)],
)  # fmt: skip
