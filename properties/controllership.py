"""Who is the controller."""

from typing import Any

from ..model.members import NO_BROKER, contains


def single_controller(s: Any) -> bool:
    """A broker that wrongly believes to be the controller has lost its session or has the news before it.

    /controller names at most one broker. Another that believes to be the controller either has no
    session any more, so that the store refuses its writes, or an event about /controller that it has
    yet to see. Nobody stays wrong for ever.

    Expected since: high-watermark.
    """
    for epoch in range(s.config.controllers):
        controller = s.controller[epoch]
        host = controller.host
        for broker in range(s.config.members):
            if controller.active and host == broker and not is_present_controller(s, epoch, broker):
                if contains(s.zookeeper.sessions, broker) and s.broker[broker].controller_watch == 0:
                    return False
    return True


def single_controller_strict(s: Any) -> bool:
    """No two brokers believe to be the controller at one time.

    False whenever controllers change: the old one learns late. Commands and writes of both are told
    apart by epochs and versions (D4).

    Expected since: never.
    """
    for one in range(s.config.controllers):
        for other in range(s.config.controllers):
            if one < other and s.controller[one].active and s.controller[other].active:
                return False
    return True


def one_creation_wins(s: Any, t: Any) -> bool:
    """/controller passes from one broker to another only by being deleted in between (D1, Z1).

    An ephemeral node that somebody could overwrite elects nobody.

    Expected since: high-watermark.
    """
    before = s.zookeeper.controller
    after = t.zookeeper.controller
    if before == NO_BROKER or after == NO_BROKER:
        return True
    return before == after


def deciding_controllers_increase(s: Any, t: Any) -> bool:
    """What a later controller has decided, no earlier one changes (D4, V3 comment A.2).

    Brokers would drop the earlier one's commands, and the partition would be led by nobody.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        after = t.zookeeper.leader_and_isr[partition]
        if after.version > 0 and after.controller_epoch < s.zookeeper.leader_and_isr[partition].controller_epoch:
            return False
    return True


def is_present_controller(s: Any, epoch: Any, broker: Any) -> bool:
    """/controller names the broker, by the election of this controller epoch."""
    return s.zookeeper.controller == broker and s.zookeeper.controller_epoch == epoch
