"""The network between brokers: the set of fetch requests and responses, kept in an order, so that a set has one encoding.

A message that was received stays in the set (`gone`), as in the originals, where states differ by what was received. A message
that is sent again waits again.

A message is written in the last place, which is free between steps, and then goes where it belongs. If the place before is taken,
nothing more is sent: a bound of the exploration, which the property `messages_have_room` watches.
"""

from ..members import NO_BROKER
from ..vocabulary import Broker
from .state import Fetch, FetchError, PublishedKraft, Sent


def is_used(message: Sent) -> bool:
    """Whether a place in a set of messages holds one."""
    return message.waits + message.gone > 0


def receive(message: Sent) -> None:
    """The message is taken from the network."""
    message.waits = 0
    message.gone = 1


def fetches_have_room(s: PublishedKraft) -> bool:
    """One more message can be sent."""
    return not is_used(s.fetch[s.config.fetches - 2])


def waiting_fetch(s: PublishedKraft, response: int, follower: Broker, leader: Broker) -> int:
    """The place of the request, or response, that waits between these two, of which there is one at most; -1: none."""
    for at in range(s.config.fetches):
        it = s.fetch[at]
        if it.waits and it.response == response and it.follower == follower and it.leader == leader:
            return at
    return -1


def drop_fetches_of(s: PublishedKraft, broker: Broker) -> None:
    """What waits from or to `broker` is lost. Fetch sessions, which are left out, would refuse it later."""
    for at in range(s.config.fetches):
        it = s.fetch[at]
        if it.waits and (it.follower == broker or it.leader == broker):
            receive(it)


def send_fetch(s: PublishedKraft) -> None:
    """The message in the last place goes where it belongs, and waits."""
    last = s.config.fetches - 1
    new = s.fetch[last]
    place = last - 1
    for step in range(s.config.fetches - 1):
        at = s.config.fetches - 2 - step
        if not is_used(s.fetch[at]) or compare_fetch(s, s.fetch[at], new) >= 0:
            place = at
    if not is_used(s.fetch[place]) or compare_fetch(s, s.fetch[place], new) != 0:
        for step in range(s.config.fetches - 2):
            at = s.config.fetches - 2 - step
            if at > place:
                copy_fetch(s, s.fetch[at], s.fetch[at - 1])
        copy_fetch(s, s.fetch[place], new)
    s.fetch[place].waits = 1
    clear_fetch(s, new)


def compare_fetch(s: PublishedKraft, first: Fetch, second: Fetch) -> int:
    """Below zero if `first` goes before `second`, above if it goes after, 0 if they are the same message."""
    if first.response != second.response:
        return first.response - second.response
    if first.follower != second.follower:
        return first.follower - second.follower
    if first.leader != second.leader:
        return first.leader - second.leader
    if first.leader_epoch != second.leader_epoch:
        return first.leader_epoch - second.leader_epoch
    if first.offset != second.offset:
        return first.offset - second.offset
    if first.broker_epoch != second.broker_epoch:
        return first.broker_epoch - second.broker_epoch
    if first.last_epoch != second.last_epoch:
        return first.last_epoch - second.last_epoch
    if first.error != second.error:
        return first.error - second.error
    if first.diverging != second.diverging:
        return first.diverging - second.diverging
    if first.end_epoch != second.end_epoch:
        return first.end_epoch - second.end_epoch
    if first.end != second.end:
        return first.end - second.end
    if first.hw != second.hw:
        return first.hw - second.hw
    for at in range(s.config.records_per_fetch):
        if first.records[at].record != second.records[at].record:
            return first.records[at].record - second.records[at].record
        if first.records[at].epoch != second.records[at].epoch:
            return first.records[at].epoch - second.records[at].epoch
    return 0


def copy_fetch(s: PublishedKraft, it: Fetch, other: Fetch) -> None:
    """`it` becomes what `other` is."""
    it.response = other.response
    it.follower = other.follower
    it.leader = other.leader
    it.leader_epoch = other.leader_epoch
    it.offset = other.offset
    it.broker_epoch = other.broker_epoch
    it.last_epoch = other.last_epoch
    it.error = other.error
    it.diverging = other.diverging
    it.end_epoch = other.end_epoch
    it.end = other.end
    it.hw = other.hw
    for at in range(s.config.records_per_fetch):
        it.records[at].record = other.records[at].record
        it.records[at].epoch = other.records[at].epoch
    it.waits = other.waits
    it.gone = other.gone


def clear_fetch(s: PublishedKraft, it: Fetch) -> None:
    """The last place, in which no message ever waits, is free again."""
    it.response = 0
    it.follower = NO_BROKER
    it.leader = NO_BROKER
    it.leader_epoch = 0
    it.offset = 0
    it.broker_epoch = 0
    it.last_epoch = 0
    it.error = FetchError.NONE
    it.diverging = 0
    it.end_epoch = 0
    it.end = 0
    it.hw = 0
    for at in range(s.config.records_per_fetch):
        it.records[at].record = 0
        it.records[at].epoch = 0
