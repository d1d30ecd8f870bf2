"""A toy with a catalogue of repairs whose minimal sets are known: a room with doors, and what lies in it is stolen.

The safe is kept by the best door, or by the good door and the alarm; a dog keeps it too, but not where there is an alarm, which
drives it away: so more repairs are not always better. Nobody reads `paint`, and `windows` makes the state larger.
"""

from highwater.model.language import (
    MEMBERS,
    Model,
    Repair,
    Revision,
    Settings,
    State,
    choice,
    derived,
    integer,
    many,
    switch,
)  # fmt: skip
from highwater.properties.property import always, step


class RoomConfig(Settings):
    """What was done for the room."""

    door = choice(["none", "good", "best"], "the door")
    alarm = switch("there is an alarm")
    dog = switch("there is a dog")
    windows = switch("there are windows, through which one can look")
    paint = switch("the room is painted")
    members = derived(lambda c: 1 + c.windows)


class Room(State):
    """What a thief has done."""

    thief = integer(0, 3, "outside, at the door, in the room, gone with what was in the safe")
    seen = many(integer(0, 1, "somebody looked"), MEMBERS, "by place")


def approach(s):
    """A thief comes."""
    if s.thief != 0:
        return False

    s.thief = 1
    return True


def look(s, place):
    """Somebody looks at the room from a place."""
    if s.seen[place]:
        return False

    s.seen[place] = 1
    return True


def enter(s):
    """The thief enters, unless the dog is there, which the alarm drives away."""
    if s.thief != 1:
        return False
    if s.config.dog and not s.config.alarm:
        return False

    s.thief = 2
    return True


def steal(s):
    """The thief opens the safe, if doors and alarm give the time for it."""
    if s.thief != 2:
        return False
    if s.config.door == 2 or (s.config.door == 1 and s.config.alarm):
        return False

    s.thief = 3
    return True


def nothing_is_stolen(s):
    """What is in the safe stays there."""
    return s.thief != 3


def alarm_is_heard(s):
    """Where there is an alarm, nothing is stolen."""
    return s.thief != 3


def nobody_enters(s, t):
    """No step leads into the room."""
    return not (s.thief == 1 and t.thief == 2)


def nobody_comes(s):
    """No repair helps against this."""
    return s.thief != 1


def within(s):
    """It holds whatever is done."""
    return s.thief <= 3


def unseen(s):
    """Nobody looks twice: with windows there is another place to look from."""
    return s.seen[0] == 0 or s.seen[s.config.members - 1] == 0 or s.config.windows == 0


def repair(name, setting, value):
    """A repair of the toy."""
    return Repair(name, setting, value, "a toy", "X1", "none", "1.0", "nowhere")


ROOM = Model(
    state=Room,
    config=RoomConfig,
    actions=[approach, look, enter, steal],
    capacities={"small": {MEMBERS: 2}},
    domains={"place": MEMBERS},
    revisions={
        "open": Revision("open", "nothing was done", {}),
        "all": Revision("all", "everything was", {"door": "best", "alarm": 1, "dog": 1, "windows": 1, "paint": 1}),
    },
    repairs=(
        repair("good-door", "door", "good"),
        repair("alarm", "alarm", 1),
        repair("best-door", "door", "best"),
        repair("dog", "dog", 1),
        repair("windows", "windows", 1),
        repair("paint", "paint", 1),
    ),
)
ROOM_PROPERTIES = (
    always(nothing_is_stolen, "all"),
    step(nobody_enters, "all"),
    always(nobody_comes, None),
    always(within, "open"),
    always(unseen, None),
    always(alarm_is_heard, None, needs="alarm = 1"),
)

MINIMAL = {
    "nothing_is_stolen": [["dog"], ["alarm", "good-door"], ["best-door"]],
    "nobody_enters": [["dog"]],
    "nobody_comes": [],
    "within": [[]],
    "unseen": [[]],
    "alarm_is_heard": [["alarm", "good-door"]],
}
"""The smallest sets, by hand."""
