"""Choices about what a controller of a release knows and says; the design does not speak of them."""

from ..language import Choice


class WhoLives(Choice):
    """When a new controller says to the brokers who lives: they follow no leader that they do not know as live (N9)."""

    SAID_FIRST = "before its first roles"
    SAID_LATER = "after its first roles, whose leaders a broker may not know"


class EarlierFailures(Choice):
    """What a new controller makes of brokers that died before it was elected (V3 D.5; N9)."""

    DECIDED = "it decides on them as on those that die later"
    LEFT = "it leaves followers to their leader, and a partition that nobody can lead as it is"
