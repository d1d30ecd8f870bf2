"""A command about a topic that was deleted and created again reaches a broker late (Q14): nothing in it distinguishes the two."""

from ..choices import LeadAgain
from ..history import remember_generation
from ..members import NO_BROKER, contains, excluding
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Epoch, Partition
from .become_follower import follow, keeps_fetching
from .become_leader import serve
from .roles import accepts, waits_on_connection


def obey_earlier_command(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A broker obeys a LeaderAndIsr request that was sent before the topic was deleted, as any other (C1, R3).

    Only the leader epoch can distinguish it from a new one (C5), and leader epochs have started again. Since 2.8 the command
    names the topic's id too, and a broker that has the log of another id refuses it (`topic_ids`, KIP-516).

    Design: V3 discussion 5, C (Q14, C1, C5, N7).   Kafka: ReplicaManager.becomeLeaderOrFollower.
    Modifies: replica, produce_request[partition][broker], broker[broker], history[partition], generation[partition],
        isr_write, fetch_response, late_response, fetch_request, earlier_command[partition].
    Reads: earlier_command[partition] (which of the requests over one connection comes first); broker (which version its leader
        speaks);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (which replicas its command named).
    """
    if s.config.topic_recreations == 0:
        return False
    command = s.earlier_command[partition][epoch]
    if not contains(command.sent[controller], broker):
        return False
    if command.leader == NO_BROKER:
        return False  # Without it, the broker gives up its role.
    if not accepts(s, partition, broker, epoch, controller):
        return False
    me = s.replica[partition][broker]
    if s.config.topic_id_marks and me.exists and not me.earlier_topic:
        return False  # the log is the new topic's
    if command.leader == broker and s.config.lead_again is LeadAgain.IGNORED and me.leader == broker:
        return False  # it leads already (V3 C, 2.1)
    for before in range(s.config.epochs):
        if before < epoch and waits_on_connection(s, s.earlier_command[partition][before], before, partition, broker, controller):
            return False  # an earlier one comes first on the same connection

    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    remember_generation(s, partition, broker, 0)
    me.earlier_topic = s.config.topic_id_marks
    if command.leader == broker:
        serve(s, partition, broker, epoch, command.isr, command.zk_version)
    elif keeps_fetching(s, me, command.leader, epoch):
        me.leader_epoch = epoch
    else:
        follow(s, partition, broker, epoch, command.leader)
    if not s.config.repeated_commands:
        command.sent[controller] = excluding(command.sent[controller], broker)
    return True
