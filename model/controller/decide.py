"""From reading leaderAndISR to publishing a decision (V3 A.3).

In the fine variant reading, deciding with the conditional write, and sending are steps of their own, and
anything may come between. In the coarse variant they are one step. The decision is computed where it is
written: the write succeeds only if the version is still the one that was read, and then so is the content.
"""

from ..config import FINE, KAFKA_SWITCH, OLDER_SWITCH
from ..members import contains, subset
from ..vocabulary import MOVING, SWITCHED
from ..zookeeper.watches import has_session
from ..zookeeper.znodes import holders, write_leader_and_isr
from .memory import is_working


def read_partition(s, controller, partition):
    """The controller reads leaderAndISR, to decide on what it has read.

    Design: V3 A.3.1 (A1, A5).   Kafka: ZookeeperLeaderSelector, ReplicationUtils.getLeaderIsrAndEpoch.
    Modifies: controller[controller].
    """
    if s.config.controller_steps != FINE:
        return False  # Without it, a controller reads more: deciding has its own guards.
    if not is_working(s, controller):
        return False  # Without it, a controller reads more: deciding has its own guards.
    if not has_session(s, s.controller[controller].host):
        return False  # Without it, a controller reads more: deciding has its own guards.
    if not needs_decision(s, controller, partition):
        return False  # Without it, a controller reads more: deciding has its own guards.
    me = s.controller[controller]
    if me.has_read[partition] and me.read_version[partition] == s.zookeeper.leader_and_isr[partition].version:
        return False  # Without it, the same version is read again.

    me.has_read[partition] = 1
    me.read_version[partition] = s.zookeeper.leader_and_isr[partition].version
    return True


def needs_decision(s, controller, partition):
    """The partition is one that this controller has reason to look at."""
    if s.zookeeper.leader_and_isr[partition].version == 0:
        return s.controller[controller].known[partition] == 1  # Without it, a controller reads more: deciding has its own guards.
    if has_caught_up(s, controller, partition):
        return True
    if s.config.scheduled_elections and s.spent.preferred_elections < s.config.preferred_elections:
        if s.zookeeper.leader_and_isr[partition].leader != s.zookeeper.preferred[partition]:
            return True
    if s.zookeeper.preferred_election[partition] == 1:
        return True
    return is_affected(s, controller, partition)  # Without it, a controller reads more: deciding has its own guards.


def is_affected(s, controller, partition):
    """As far as the controller knows, the leader is not live, or a member of the ISR is not (A.2)."""
    node = s.zookeeper.leader_and_isr[partition]
    live = s.controller[controller].live
    return not contains(live, node.leader) or node.isr & ~live != 0


def has_caught_up(s, controller, partition):
    """A reassignment is in progress, and the new replicas are in the ISR; V3 waits for the old ones too (F 3.2)."""
    if s.config.reassignments == 0:
        return False
    if s.config.reassignment == OLDER_SWITCH:
        return False  # the older text reads for itself
    if s.controller[controller].moving[partition] != MOVING:
        return False  # Without it, a controller reads more: deciding has its own guards.
    return new_replicas_in_isr(s, partition)  # Without it, a controller reads more: deciding has its own guards.


def new_replicas_in_isr(s, partition):
    """F 3.2: ISR == AR + RAR. Kafka asks for RAR alone: a dead replica may be what one moves away from."""
    isr = s.zookeeper.leader_and_isr[partition].isr
    if s.zookeeper.reassigned[partition] == 0:
        return False  # done by another, or the topic is gone. Without it, a controller reads; RAR is empty, so nobody is elected.
    if s.config.reassignment == KAFKA_SWITCH:
        return subset(s.zookeeper.reassigned[partition], isr)
    return isr == holders(s, partition)


def can_decide(s, controller, partition):
    """The controller may write leaderAndISR now: working, in session, not replaced, and the write's condition holds.

    When the version has changed since the read, the write fails and the controller reads again (A5).
    """
    me = s.controller[controller]
    if not is_working(s, controller):
        return False
    if not has_session(s, me.host):
        return False
    if s.config.controller_epoch and s.zookeeper.leader_and_isr[partition].controller_epoch > controller:
        return False  # it reads that a later controller has decided, and gives up (D4)
    if is_fenced(s, controller):
        return False
    if s.config.controller_steps != FINE:
        return True
    if not me.has_read[partition]:
        return False  # Without it, a node that is not there need not be read before it is created.
    return me.read_version[partition] == s.zookeeper.leader_and_isr[partition].version


def is_fenced(s, controller):
    """Its writes carry a check of /controller_epoch in one multi, and fail: another controller was elected (Z9)."""
    if not s.config.fenced_controllers:
        return False  # Without it, writes are always fenced, as if the setting were on.
    return s.zookeeper.controller_epoch > controller


def publish(s, controller, partition, leader, isr):
    """Write the decision, and send it to the live replicas (A.3.3, A.4), during a reassignment also to the new ones (F3)."""
    me = s.controller[controller]
    write_decision(s, controller, partition, leader, isr)
    dispatch(s, controller, partition, concerned(s, controller, partition) & me.live)


def concerned(s, controller, partition):
    """To whom a decision is sent: AR, and during a reassignment RAR too, until the others have been told to stop (A.4, F3)."""
    if s.config.reassignments > 0:
        if is_switched(s, controller, partition):
            return s.zookeeper.reassigned[partition]
    return holders(s, partition)


def is_switched(s, controller, partition):
    """The controller has switched the ISR, and has yet to write the assignment."""
    if s.controller[controller].moving[partition] == SWITCHED:
        return 1
    return 0


def write_decision(s, controller, partition, leader, isr):
    """Write the decision with the next epoch; what was read before is of no more use (A.3.3)."""
    me = s.controller[controller]
    node = s.zookeeper.leader_and_isr[partition]
    write_leader_and_isr(s, partition, leader, node.leader_epoch + 1, isr)
    node.controller_epoch = controller
    me.has_read[partition] = 0
    me.read_version[partition] = 0


def dispatch(s, controller, partition, brokers):
    """Send what leaderAndISR says to `brokers`; in the fine variant, note that it is to be sent (A6).

    The command of an epoch is made from the store each time. That changes nothing for whom it can still
    reach: as long as the elected leader has not obeyed, nobody but a controller can write the node, and
    afterwards only followers wait for the command, which take no more than leader and epoch from it.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if brokers != 0:
        command = s.command[partition][node.leader_epoch]
        command.leader = node.leader
        command.isr = node.isr
        command.zk_version = node.version
        if s.config.reassignments > 0 and s.config.reassignment == KAFKA_SWITCH:
            command.moved = max(command.moved, is_switched(s, controller, partition))
        if s.config.controller_steps == FINE:
            command.unsent[controller] = command.unsent[controller] | brokers
        else:
            command.sent[controller] = command.sent[controller] | brokers
            follow_stops(s, controller, partition, brokers)


def follow_stops(s, controller, partition, brokers):
    """A command is sent to `brokers`: a StopReplica sent to them before has arrived by now, or is lost (C6)."""
    if s.config.ordered_stops:
        me = s.controller[controller]
        me.stopping[partition] = me.stopping[partition] & ~brokers


def has_epoch_left(s, partition):
    """The bound of the exploration allows another decision."""
    return s.zookeeper.leader_and_isr[partition].leader_epoch < s.config.max_epoch
