"""Sets of brokers as bit masks, and the broker that does not exist.

`NO_BROKER` indexes nothing and is in no set, so a guard that forgets it fails loudly in plain Python.
"""

from .language.kinds import NO_MEMBER

NO_BROKER = NO_MEMBER


def contains(members, broker):
    """Whether `broker` is in the set; `NO_BROKER` is in none."""
    return (members >> broker) & 1 == 1


def including(members, broker):
    """The set with `broker`."""
    return members | (1 << broker)


def excluding(members, broker):
    """The set without `broker`."""
    return members & ~(1 << broker)


def only(broker):
    """The set of this one broker."""
    return 1 << broker


def everyone(count):
    """The set of the brokers 0 .. count - 1."""
    return (1 << count) - 1


def subset(some, members):
    """Whether every broker of `some` is in `members`."""
    return some & ~members == 0


def how_many(s, members):
    """How many brokers are in the set."""
    count = 0
    for broker in range(s.config.members):
        count += (members >> broker) & 1
    return count
