"""Sets of brokers as bit masks, and the broker that does not exist.

`NO_BROKER` indexes nothing and is in no set, so a guard that forgets it fails loudly in plain Python.
"""

from .language import State
from .language.kinds import NO_MEMBER
from .vocabulary import Broker

NO_BROKER = NO_MEMBER


def contains(members: int, broker: Broker) -> bool:
    """Whether `broker` is in the set; `NO_BROKER` is in none."""
    return (members >> broker) & 1 == 1


def including(members: int, broker: Broker) -> int:
    """The set with `broker`."""
    return members | (1 << broker)


def excluding(members: int, broker: Broker) -> int:
    """The set without `broker`."""
    return members & ~(1 << broker)


def only(broker: Broker) -> int:
    """The set of this one broker."""
    return 1 << broker


def everyone(count: int) -> int:
    """The set of the brokers 0 .. count - 1."""
    return (1 << count) - 1


def subset(some: int, members: int) -> bool:
    """Whether every broker of `some` is in `members`."""
    return some & ~members == 0


def how_many(s: State, members: int) -> int:
    """How many brokers are in the set."""
    count = 0
    for broker in range(s.config.members):
        count += (members >> broker) & 1
    return count


for _function in (including, excluding, only, everyone):
    vars(_function).update(of_sets=True)  # they shift by a member, or by none (`lane_values`)
