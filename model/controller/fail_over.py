"""V3 D, on_controller_failover."""

from ..choices import Init
from ..members import NO_BROKER, contains, everyone
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition
from ..zookeeper.sessions import awaits_registration, may_be_elected, may_create_controller_path
from ..zookeeper.watches import has_session, see_event
from ..zookeeper.znodes import create_controller_path, delete_controller_path, holders
from .decide import dispatch
from .memory import resign
from .partition_change import note_changes
from .reassignment import note_reassignments
from .topic_deletion import note_deletions
from .who_lives import say_who_lives, send_early


def see_controller_change(s: Kafka, broker: Broker) -> bool:
    """A broker sees that /controller changed. It competes if there is no controller; otherwise it does nothing.

    Creating the ephemeral node is the election: one creation succeeds. A broker that is no longer the
    controller resigns.

    Design: V3 D.1-2 (D1, Z1, Z8).   Kafka: ZookeeperLeaderElector.LeaderChangeListener, elect.
    Modifies: zookeeper, controller, broker, command, earlier_command, decision.
    Reads: zookeeper.sessions, zookeeper.controller, zookeeper.controller_epoch (the store: it tries to create the node);
        controller (whether this process is a controller: its own memory); broker, command, earlier_command (what a controller
        that ends has sent to processes that have ended: it is lost).
    """
    me = s.broker[broker]
    if not me.up:
        return False
    if me.controller_watch != 1:
        return False
    if awaits_registration(s, broker):
        return False  # to register and to compete are one event
    if not contains(s.zookeeper.sessions, broker):
        return False  # the operation answers that the session has expired

    see_event(s, broker)  # Without it, the event stays, and the broker sees none of the later ones (availability).
    if may_create_controller_path(s):
        resign(s, broker)
        create_controller_path(s, broker)
        me.controller_watch = 0  # its own creation is no news
        controller = s.controller[s.zookeeper.controller_epoch]
        controller.active = 1
        controller.host = broker
        controller.recovering = 1
    elif s.zookeeper.controller != broker:
        resign(s, broker)
    return True


def recover_controller(s: Kafka, controller: ControllerEpoch) -> bool:
    """A new controller reads the store and sends what is published to every live broker, with the flag INIT (R11).

    Its predecessor may have written decisions that it never sent. Then it reads the live brokers
    (on_broker_change follows, and partitions without a leader get one) and continues the reassignments. In Kafka it says who
    lives, too: up to 0.10.1 after the roles (N9).

    Design: V3 D.3-9 (D2, D3, A6, F1, H1, H2).   Kafka: KafkaController.onControllerFailover.
    Modifies: controller[controller], command.
    Reads: zookeeper.leader_and_isr, zookeeper.assigned, zookeeper.reassigned, zookeeper.broker_ids, zookeeper.deleting,
        zookeeper.adding, zookeeper.adding_preferred, zookeeper.removing (the store: D.3 reads everything); command (what an
        epoch's command said of the replicas stays).
    """
    me = s.controller[controller]
    if not me.active:
        return False
    if not me.recovering:
        return False
    if not has_session(s, me.host):
        return False

    me.recovering = 0
    me.live = s.zookeeper.broker_ids
    for place in range(s.config.earlier_deaths):
        me.dead_before[place] = everyone(s.config.members) & ~me.live
    if s.config.init is not Init.NONE:
        me.init_sent = me.live
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        me.known[partition] = s.zookeeper.assigned[partition] != 0
        me.init_names[partition] = named_in_init(s, partition)
        if s.config.vanishing_partitions > 0:
            me.fresh[partition] = node.version == 0 and me.known[partition]
        if s.config.lapsed_partitions > 0:
            me.lapsed[partition] = node.leader != NO_BROKER and not contains(me.live, node.leader)
        if s.config.unled_partitions > 0:
            me.unled[partition] = node.version > 0 and node.leader == NO_BROKER
        if node.version > 0:
            live = holders(s, partition) & me.live
            dispatch(s, controller, partition, live)
            send_early(s, controller, partition, live)  # Without it, the roles come after UpdateMetadata: who_lives = said-first.
    say_who_lives(s, controller, me.live)
    note_deletions(s, controller)
    note_changes(s, controller)
    note_reassignments(s, controller)  # Without it, moves that the last controller began are not continued (availability).
    return True


def named_in_init(s: Kafka, partition: Partition) -> int:
    """The brokers for which the request with the flag INIT names the partition: in V3 "relevant" ones, AR (D.4, R11)."""
    if s.config.init is Init.PER_BROKER or s.zookeeper.assigned[partition] == 0:
        return s.zookeeper.assigned[partition]
    return everyone(s.config.members)


def remove_controller(s: Kafka) -> bool:
    """An operator deletes /controller, to force an election. The old controller lives and will see it.

    Design: V3 D (D1, D4, Q19).   Kafka: the tools' way to move the controller.
    Modifies: zookeeper, broker.
    Reads: zookeeper.controller, zookeeper.controller_epoch (the store, which the operator's tool reads).
    """
    if s.zookeeper.controller == NO_BROKER:
        return False  # Without it, a missing node is deleted.
    if not may_be_elected(s):
        return False  # budget. Without it, nobody can be elected afterwards (availability).

    delete_controller_path(s)
    return True
