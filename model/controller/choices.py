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


class MoveDecisions(Choice):
    """How many decisions a controller of a release makes for a move (V3 F; N6)."""

    ONE = "the switch, which makes RAR the ISR; the new replicas are told what is published"
    EACH = "the new replicas are told with the next epoch, the switch keeps the ISR, and each old replica leaves by another"
