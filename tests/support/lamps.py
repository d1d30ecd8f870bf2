"""A small model with choices: lamps that go from dark to dim to bright, and break when somebody strikes the bright ones."""

from highwater.model.language import (
    MEMBERS,
    Choice,
    Model,
    Record,
    Revision,
    Settings,
    State,
    choice,
    derived,
    many,
    no_asymmetry,
    one,
    one_of,
    size,
)  # fmt: skip
from highwater.properties.property import always, quantified, sometimes


class Wiring(Choice):
    """How the lamps are wired."""

    APART = "each has a switch"
    ALL_AT_ONCE = "one switch is for all"
    OLD_ONE = "as apart, but nothing breaks", "1950s"


class Light(Choice):
    """What a lamp does."""

    DARK = "it is off"
    DIM = "it is on a little"
    BRIGHT = "it is on"
    BROKEN = "it is broken"


class House(Settings):
    """How many lamps there are."""

    lamps = size(2, 1, 4, "lamps")
    wiring = choice(Wiring)
    members = derived(lambda c: c.lamps)
    breakable = derived(lambda c: 2 if c.wiring is Wiring.OLD_ONE else 3)


class Lamp(Record):
    """One lamp."""

    light = one_of(Light, "what it does", "breakable")


class Lamps(State):
    """All of them."""

    lamp = many(Lamp, MEMBERS, "the lamps")
    before = many(one_of(Light, "what it did before"), MEMBERS)
    last = one(Lamp, "as the lamp was that was turned up last")


def turn_up(s, lamp):
    """A lamp, or with one switch every lamp, gives more light."""
    me = s.lamp[lamp]
    if me.light is Light.BROKEN or me.light is Light.BRIGHT:
        return False

    s.last.light = me.light
    for other in range(s.config.lamps):
        if other == lamp or s.config.wiring is Wiring.ALL_AT_ONCE:
            s.before[other] = s.lamp[other].light
            s.lamp[other].light = 1 if s.lamp[other].light is Light.DARK else Light.BRIGHT
    return True


def strike(s, lamp):
    """Somebody strikes a bright lamp."""
    if s.config.wiring is Wiring.OLD_ONE:
        return False
    if s.lamp[lamp].light is not Light.BRIGHT:
        return False

    s.before[lamp] = s.lamp[lamp].light
    s.lamp[lamp].light = Light.BROKEN
    return True


def nothing_breaks(s, lamp):
    """No lamp is broken."""
    return s.lamp[lamp].light is not Light.BROKEN


def it_was_darker(s, lamp):
    """A lamp gives more light than before, unless it is broken."""
    me = s.lamp[lamp].light
    return me is Light.DARK or me is Light.BROKEN or s.before[lamp] < me


def all_are_bright(s):
    """Every lamp is bright."""
    return all(s.lamp[lamp].light is Light.BRIGHT for lamp in range(s.config.lamps))


LAMPS = Model(
    state=Lamps,
    config=House,
    actions=[turn_up, strike],
    capacities={"small": {MEMBERS: 4}},
    revisions={
        "apart": Revision("apart", "each has a switch", {}),
        "old": Revision("old", "nothing breaks", {"wiring": "1950s"}),
        "together": Revision("together", "one switch", {"wiring": "all-at-once"}),
    },
    asymmetry=no_asymmetry,
)
CLAIMS = [always(nothing_breaks, "old"), always(it_was_darker, "apart"), sometimes(all_are_bright, "apart")]
LAMP_PROPERTIES = list(quantified(CLAIMS, LAMPS.domains))
