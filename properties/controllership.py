"""Who is the controller."""

from ..model.members import NO_BROKER, contains
from ..model.vocabulary import TOGETHER


def single_controller(s, controller):
    """A broker that wrongly acts as the controller has lost its session, or an event tells it so.

    /controller names at most one broker. Another that takes itself for the controller either has no
    session any more, so that the store refuses its writes, or an event about /controller that it has
    yet to see. Nobody stays wrong for ever.
    """
    me = s.controller[controller]
    if not me.active or me.host == NO_BROKER or is_present_controller(s, controller, me.host):
        return True
    return not contains(s.zookeeper.sessions, me.host) or s.broker[me.host].controller_watch != 0


def multi_is_all_or_nothing(s, t, controller):
    """Of the decisions that a controller asked for in one multi the store carries out all, or none (Z9).

    Where some are carried out and some refused, a failover is half done, and the controller thinks that it is done.
    Expected in all revisions.
    """
    asked = 0
    done = 0
    for partition in range(s.config.asking_partitions):
        before = s.decision[partition][controller]
        if before.asked and before.purpose == TOGETHER and not t.decision[partition][controller].asked:
            asked += 1
            if t.zookeeper.leader_and_isr[partition].leader_epoch != s.zookeeper.leader_and_isr[partition].leader_epoch:
                done += 1
    return done == 0 or done == asked


def single_controller_strict(s, controller, other_controller):
    """No two brokers take themselves for the controller at one time.

    False whenever controllers change: the old one learns late. Commands and writes of both are told
    apart by epochs and versions (D4).
    """
    if controller == other_controller:
        return True
    return not s.controller[controller].active or not s.controller[other_controller].active


def one_creation_wins(s, t):
    """/controller passes from one broker to another only by being deleted in between (D1, Z1).

    An ephemeral node that somebody could overwrite elects nobody.
    """
    before = s.zookeeper.controller
    after = t.zookeeper.controller
    if before == NO_BROKER or after == NO_BROKER:
        return True
    return before == after


def deciding_controllers_increase(s, t, partition):
    """What a later controller has decided, no earlier one changes (D4, V3 comment A.2).

    Brokers would drop the earlier one's commands, and the partition would be led by nobody.
    """
    after = t.zookeeper.leader_and_isr[partition]
    if after.version <= 0:
        return True
    return after.controller_epoch >= s.zookeeper.leader_and_isr[partition].controller_epoch


def is_present_controller(s, controller, broker):
    """/controller names the broker, by the election of this controller epoch."""
    return s.zookeeper.controller == broker and s.zookeeper.controller_epoch == controller
