"""The controller: who acts as it, and what its decisions are worth."""

from ..model.members import NO_BROKER, contains
from ..model.state import Kafka
from ..model.vocabulary import Broker, ControllerEpoch, Partition, Purpose


def single_controller(s: Kafka, controller: ControllerEpoch) -> bool:
    """A broker that wrongly acts as the controller has lost its session, or an event will inform it.

    /controller names at most one broker. Another broker that acts as the controller either has no
    session, so that the store refuses its writes, or has yet to see an event about /controller. No broker
    is wrong for ever.
    """
    me = s.controller[controller]
    if not me.active or me.host == NO_BROKER or is_present_controller(s, controller, me.host):
        return True
    return not contains(s.zookeeper.sessions, me.host) or s.broker[me.host].controller_watch != 0


def multi_is_all_or_nothing(s: Kafka, t: Kafka, controller: ControllerEpoch) -> bool:
    """The store carries out all decisions that a controller put into one multi, or none (Z9).

    If some were carried out and others refused, a failover would be half done while the controller believes that it is
    complete.
    """
    asked = 0
    done = 0
    for partition in range(s.config.asking_partitions):
        before = s.decision[partition][controller]
        if before.asked and before.purpose is Purpose.TOGETHER and not t.decision[partition][controller].asked:
            asked += 1
            if t.zookeeper.leader_and_isr[partition].leader_epoch != s.zookeeper.leader_and_isr[partition].leader_epoch:
                done += 1
    return done == 0 or done == asked


def single_controller_strict(s: Kafka, controller: ControllerEpoch, other_controller: ControllerEpoch) -> bool:
    """No two brokers act as the controller at one time.

    This is violated whenever controllers change, because the old one learns of it late. Epochs and versions distinguish
    the commands and writes of the two (D4).
    """
    if controller == other_controller:
        return True
    return not s.controller[controller].active or not s.controller[other_controller].active


def one_creation_wins(s: Kafka, t: Kafka) -> bool:
    """/controller passes from one broker to another only if it is deleted in between (D1, Z1).

    An ephemeral node that another broker could overwrite would elect no one.
    """
    before = s.zookeeper.controller
    after = t.zookeeper.controller
    if before == NO_BROKER or after == NO_BROKER:
        return True
    return before == after


def deciding_controllers_increase(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """An earlier controller never changes what a later one has decided (D4, V3 comment A.2).

    Brokers would drop the earlier controller's commands, and the partition would have no leader.
    """
    after = t.zookeeper.leader_and_isr[partition]
    if after.version <= 0:
        return True
    return after.controller_epoch >= s.zookeeper.leader_and_isr[partition].controller_epoch


def is_present_controller(s: Kafka, controller: ControllerEpoch, broker: Broker) -> bool:
    """/controller names the broker, by the election of this controller epoch."""
    return s.zookeeper.controller == broker and s.zookeeper.controller_epoch == controller
