"""Beans are taken out of a can in pairs. TLA+ Examples: CoffeeCan."""

from highwater.model.language import Model, Settings, State, integer, size
from highwater.properties.property import step


class Config(Settings):
    """How many beans there are at most."""

    beans = size(100, 1, 200, "beans in the can at first, at most")


class Can(State):
    """What is in the can."""

    black = integer(0, "beans", "black beans")
    white = integer(0, "beans", "white beans")


def first_states(config):
    """Any can that is not empty."""
    states = []
    for total in range(1, config.beans + 1):
        for black in range(total + 1):
            state = Can(config)
            state.black, state.white = black, total - black
            states.append(state)
    return states


def take_two_black(s):
    """Two black beans are thrown away, and a black one is put in."""
    if s.black < 2:
        return False
    s.black -= 1
    return True


def take_two_white(s):
    """Two white beans are thrown away, and a black one is put in."""
    if s.white < 2:
        return False
    s.black += 1
    s.white -= 2
    return True


def take_one_of_each(s):
    """The black bean is thrown away, and the white one is put back."""
    if s.black < 1 or s.white < 1:
        return False
    s.black -= 1
    return True


def white_stays_even_or_odd(s, t):
    """No step changes whether the number of white beans is even."""
    return s.white % 2 == t.white % 2


MODEL = Model(
    state=Can,
    config=Config,
    initial_states=first_states,
    actions=[take_two_black, take_two_white, take_one_of_each],
    properties=[step(white_stays_even_or_odd)],
)
