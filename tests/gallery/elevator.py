"""Elevators, and people who call them. TLA+ Examples: MultiCarElevator. What is ENABLED there is a function here."""

from highwater.model.language import Choice, Model, Record, Settings, State, every, flag, integer, many, one_of, size
from highwater.properties.property import always, leads_to


class Way(Choice):
    """Where an elevator goes."""

    NOWHERE = "it stands"
    UP = "up"
    DOWN = "down"


class Config(Settings):
    """How many there are."""

    people = size(2, 1, 3, "people")
    elevators = size(2, 1, 3, "elevators")
    floors = size(2, 2, 5, "floors")


class Person(Record):
    """One person."""

    floor = integer(0, 4, "the floor; 0 while inside an elevator")
    inside = integer(-1, 2, "the elevator; -1: none", initial=-1)
    goal = integer(0, 4, "the floor where to")
    waits = flag("an elevator was called")


class Elevator(Record):
    """One elevator."""

    floor = integer(0, 4, "the floor")
    way = one_of(Way, "where it goes")
    opened = flag("its doors are open")
    pressed = many(flag("somebody inside wants to go there"), "floors")


class Building(State):
    """The whole state."""

    person = many(Person, "people")
    elevator = many(Elevator, "elevators")
    calls_up = many(flag("somebody wants to go up from here"), "floors")
    calls_down = many(flag("somebody wants to go down from here"), "floors")


def first_states(config):
    """People and elevators are anywhere."""
    anywhere = every(Building(config), "person[].floor", "person[].goal", "elevator[].floor")
    return [s for s in anywhere if is_somewhere(s)]


def is_somewhere(s):
    """Everybody is on a floor and wants to go to one, and so are the elevators."""
    last = s.config.floors - 1
    return all(p.floor <= last and p.goal <= last for p in s.person) and all(e.floor <= last for e in s.elevator)


def way_to(here, there):
    """From a floor to another."""
    return Way.UP if there > here else Way.DOWN


def is_called(s, floor, way):
    """Whether there is a call of this floor for this way."""
    return s.calls_up[floor] if way == Way.UP else way == Way.DOWN and s.calls_down[floor]


def choose(s, person, floor):
    """Somebody wants to go elsewhere."""
    me = s.person[person]
    if me.waits or me.inside >= 0 or floor == me.floor:
        return False
    me.goal = floor
    return True


def call(s, person):
    """Somebody calls an elevator, unless one stands open for this way."""
    me = s.person[person]
    if me.waits or me.inside >= 0 or me.floor == me.goal:
        return False
    way = way_to(me.floor, me.goal)
    me.waits = True
    if any(one.floor == me.floor and one.way == way and one.opened for one in s.elevator):
        return True
    if way == Way.UP:
        s.calls_up[me.floor] = True
    else:
        s.calls_down[me.floor] = True
    return True


def can_open(s, elevator):
    """Its doors are to be opened."""
    me = s.elevator[elevator]
    return not me.opened and (is_called(s, me.floor, me.way) or me.pressed[me.floor])


def open_doors(s, elevator):
    """The doors open, and the call is answered."""
    me = s.elevator[elevator]
    if not can_open(s, elevator):
        return False
    me.opened = True
    me.pressed[me.floor] = False
    if me.way is Way.UP:
        s.calls_up[me.floor] = False
    if me.way is Way.DOWN:
        s.calls_down[me.floor] = False
    return True


def gets_on(s, elevator, person):
    """Somebody can get on."""
    me, one = s.elevator[elevator], s.person[person]
    return me.opened and one.waits and one.inside < 0 and one.floor == me.floor and way_to(one.floor, one.goal) == me.way


def gets_off(s, elevator, person):
    """Somebody has arrived."""
    me, one = s.elevator[elevator], s.person[person]
    return me.opened and one.inside == elevator and one.goal == me.floor


def enter(s, elevator):
    """All who can get on do."""
    if not any(gets_on(s, elevator, person) for person in range(s.config.people)):
        return False
    for person in range(s.config.people):
        if gets_on(s, elevator, person):
            s.elevator[elevator].pressed[s.person[person].goal] = True
            s.person[person].inside = elevator
            s.person[person].floor = 0
    return True


def leave(s, elevator):
    """All who have arrived get off."""
    if not any(gets_off(s, elevator, person) for person in range(s.config.people)):
        return False
    for person in range(s.config.people):
        if gets_off(s, elevator, person):
            s.person[person].inside = -1
            s.person[person].floor = s.elevator[elevator].floor
            s.person[person].waits = False
    return True


def close_doors(s, elevator):
    """The doors close, when nobody gets on or off."""
    if not s.elevator[elevator].opened:
        return False
    if any(gets_on(s, elevator, person) or gets_off(s, elevator, person) for person in range(s.config.people)):
        return False
    s.elevator[elevator].opened = False
    return True


def following_floor(s, elevator):
    """Where it comes next."""
    me = s.elevator[elevator]
    return me.floor + 1 if me.way is Way.UP else me.floor - 1


def move(s, elevator):
    """It goes on by a floor, if it need not stop; a call can be left to another that is here."""
    me = s.elevator[elevator]
    if me.way is Way.NOWHERE or me.opened or me.pressed[me.floor]:
        return False
    others = any(
        other != elevator and s.elevator[other].floor == me.floor and s.elevator[other].way == me.way
        for other in range(s.config.elevators)
    )
    if is_called(s, me.floor, me.way) and not others:
        return False
    if following_floor(s, elevator) not in range(s.config.floors):
        return False
    me.floor = following_floor(s, elevator)
    return True


def stop(s, elevator):
    """It stands at the end of its way."""
    me = s.elevator[elevator]
    if me.opened or can_open(s, elevator) or following_floor(s, elevator) in range(s.config.floors):
        return False
    me.way = Way.NOWHERE
    return True


def can_serve(s, elevator, floor, way):
    """It stands, or is on its way there."""
    me = s.elevator[elevator]
    return me.way is Way.NOWHERE or (me.way == way and (me.floor == floor or way_to(me.floor, floor) == way))


def dispatch(s, floor, up):
    """A call goes to the nearest elevator, the first of several; one that stands is there at once."""
    way = Way.UP if up else Way.DOWN
    if not is_called(s, floor, way):
        return False
    best = -1
    for elevator in range(s.config.elevators):
        if can_serve(s, elevator, floor, way):
            if best < 0 or abs(s.elevator[elevator].floor - floor) < abs(s.elevator[best].floor - floor):
                best = elevator
    if best < 0:
        return False
    if s.elevator[best].way is Way.NOWHERE:
        s.elevator[best].floor = floor
        s.elevator[best].way = way
    return True


def pressed_by_somebody(s, elevator, floor):
    """A button is pressed for somebody inside."""
    goes = any(one.inside == elevator and one.goal == floor for one in s.person)
    return goes or not s.elevator[elevator].pressed[floor]


def called_by_somebody(s, floor):
    """Somebody waits where there is a call."""
    up = any(one.waits and one.inside < 0 and one.floor == floor and one.goal > floor for one in s.person)
    down = any(one.waits and one.inside < 0 and one.floor == floor and one.goal < floor for one in s.person)
    return (up or not s.calls_up[floor]) and (down or not s.calls_down[floor])


def waits(s, person):
    """It waits, or is on its way."""
    return s.person[person].waits


def arrives(s, person):
    """It is where it wants to be."""
    return s.person[person].inside < 0 and s.person[person].floor == s.person[person].goal


MODEL = Model(
    state=Building, config=Config, initial_states=first_states, domains={"floor": "floors", "up": 2},
    actions=[choose, call, open_doors, enter, leave, close_doors, move, stop, dispatch],
    weak=[call, open_doors, enter, leave, stop], strong=[close_doors, move, dispatch],
    properties=[always(pressed_by_somebody), always(called_by_somebody), leads_to(waits, arrives)],
)  # fmt: skip
