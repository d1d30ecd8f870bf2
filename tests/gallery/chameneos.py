"""Creatures meet in pairs and change their colours, until they fade. TLA+ Examples: Chameneos/Chameneos."""

from itertools import product

from highwater.model.language import (
    MEMBERS,
    NO_MEMBER,
    Choice,
    Model,
    Record,
    Settings,
    State,
    derived,
    integer,
    many,
    member,
    one_of,
    size,
)
from highwater.properties.property import always


class Colour(Choice):
    """The colour of a creature."""

    BLUE = "it is blue"
    RED = "it is red"
    YELLOW = "it is yellow"
    FADED = "it has faded"


class Config(Settings):
    """The sizes."""

    creatures = size(4, 1, 6, "creatures")
    meetings = size(4, 1, 8, "meetings after which they fade")
    members = derived(lambda c: c.creatures)


class Creature(Record):
    """One of them."""

    colour = one_of(Colour, "its colour")
    met = integer(0, "meetings", "how often it has met another")


class Mall(State):
    """The creatures, and the place where they meet."""

    creature = many(Creature, MEMBERS, "the creatures")
    waiting = member("who waits in the meeting place")
    meetings = integer(0, "meetings", "meetings so far")


def first_states(config):
    """Any colours."""
    states = []
    for colours in product((Colour.BLUE, Colour.RED, Colour.YELLOW), repeat=config.creatures):
        state = Mall(config)
        for creature, colour in zip(state.creature, colours, strict=True):
            creature.colour = colour
        states.append(state)
    return states


def enter(s, creature):
    """A creature enters the empty meeting place."""
    if s.creature[creature].colour is Colour.FADED or s.waiting != NO_MEMBER or s.meetings == s.config.meetings:
        return False
    s.waiting = creature
    return True


def fade(s, creature):
    """It fades when there have been enough meetings."""
    if s.creature[creature].colour is Colour.FADED or s.waiting != NO_MEMBER or s.meetings < s.config.meetings:
        return False
    s.creature[creature].colour = Colour.FADED
    return True


def meet(s, creature):
    """It meets the one that waits: both keep their colour if it is the same, or take the third one."""
    if s.creature[creature].colour is Colour.FADED or s.waiting in (NO_MEMBER, creature):
        return False
    me, other = s.creature[creature], s.creature[s.waiting]
    if me.colour != other.colour:
        me.colour = other.colour = 3 - me.colour - other.colour
    me.met += 1
    other.met += 1
    s.waiting = NO_MEMBER
    s.meetings += 1
    return True


def every_meeting_is_of_two(s):
    """In the end the creatures have met twice as often as there were meetings."""
    return s.meetings < s.config.meetings or sum(s.creature[c].met for c in range(s.config.creatures)) == 2 * s.config.meetings


MODEL = Model(
    state=Mall,
    config=Config,
    initial_states=first_states,
    actions=[enter, fade, meet],
    properties=[always(every_meeting_is_of_two)],
)
