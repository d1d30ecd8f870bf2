"""The tower of Hanoi. TLA+ Examples: tower_of_hanoi/HanoiSeq; with n discs there are 3 to the n ways for them to lie."""

from highwater.model.language import Model, Settings, State, integer, many, size
from highwater.properties.property import sometimes


class Config(Settings):
    """How many there are."""

    discs = size(7, 1, 12, "discs")


class Tower(State):
    """Where each disc lies; a smaller disc has a smaller number."""

    peg = many(integer(0, 2, "its peg"), "discs", "by disc")


def move(s, disc, to):
    """A disc on which no smaller one lies is moved to a peg without a smaller one."""
    if s.peg[disc] == to or any(peg in (s.peg[disc], to) for smaller, peg in enumerate(s.peg) if smaller < disc):
        return False
    s.peg[disc] = to
    return True


def solved(s):
    """All discs lie on the last peg."""
    return all(peg == 2 for peg in s.peg)


MODEL = Model(state=Tower, config=Config, domains={"disc": "discs", "to": 3}, actions=[move], properties=[sometimes(solved)])
