"""V3 C, becomeFollower."""

from ..choices import CommandOrder, EarlierAnswer, FollowAgain
from ..history import remember_generation
from ..members import NO_BROKER, contains, excluding
from ..state import Kafka, Replica
from ..truncation.rules import begin_truncation
from ..vocabulary import Broker, ControllerEpoch, Epoch, Partition, Phase
from .fetcher import end_before_cut, end_fetcher, has_ended
from .high_watermark import checkpoint_at_leader_change
from .produce_request import refuse_produce
from .roles import obeys, stop_fetching, stop_serving
from .who_lives import hear_before, names_unknown_leader


def become_follower(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A broker obeys the LeaderAndIsr request of `epoch` that names another leader.

    With a command that names none it does nothing: V3 C.2 does not mention it, and Kafka's broker keeps its role. Under KRaft
    (`command_order = log`) it stops serving and fetching.
    It stops serving and fetching; then the log is cut, by the revision's rule, before the first fetch:
    a follower that fetches first keeps records that its leader never had.

    Design: V3 C, becomeFollower (C1, C4, C5).   Kafka: Partition.makeFollower.
    Modifies: replica, produce_request[partition][broker], broker[broker], generation[partition], isr_write, fetch_response,
        late_response, fetch_request[partition], command[partition], controller[controller].
    Reads: command[partition], earlier_command[partition] (which of the requests over one connection comes first); broker (which
        version its leader speaks); controller[controller].naming, controller[controller].named_live (what it has sent before over
        the same connection).
    """
    command = s.command[partition][epoch]
    if not contains(command.sent[controller], broker):
        return False
    if command.leader == broker:
        return False
    if command.leader == NO_BROKER and s.config.command_order is not CommandOrder.LOG:
        return False  # Without it, a broker stops serving where V3 and Kafka let it continue.
    if names_unknown_leader(s, partition, broker, epoch, controller):
        return False  # Without it, the leader is followed that a broker does not know as live.
    if not obeys(s, partition, broker, epoch, controller):
        return False

    hear_before(s, partition, broker, epoch, controller)
    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    remember_generation(s, partition, broker, 1)  # Without it, properties do not check the replica; nothing else reads it.
    me = s.replica[partition][broker]
    if command.leader == NO_BROKER:
        stand_by(s, partition, broker, epoch)  # Without it, it follows nobody and truncates.
    elif keeps_fetching(s, me, command.leader, epoch):
        me.leader_epoch = epoch
    else:
        follow(s, partition, broker, epoch, command.leader)
    if not s.config.repeated_commands:
        command.sent[controller] = excluding(command.sent[controller], broker)
    return True


def keeps_fetching(s: Kafka, me: Replica, leader: Broker, epoch: Epoch) -> bool:
    """The replica follows this leader and its fetcher continues: V3 always, Kafka 2.0 unless it missed an epoch (R9).

    Kafka: Partition.makeFollower.
    """
    if me.leader != leader or s.config.follow_again is FollowAgain.AGAIN:
        return False
    return s.config.follow_again is FollowAgain.NOTHING or epoch <= me.leader_epoch + 1


def follow(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, leader: Broker) -> None:
    """Follow `leader` in `epoch`, beginning with truncation.

    Kafka: Partition.makeFollower.
    """
    me = s.replica[partition][broker]
    takes_answer = awaits_answer_from(s, me, leader)
    stop_serving(s, partition, broker)
    if s.config.produce_partitions > 0:
        refuse_produce(s, partition, broker)
    end_before_cut(s, partition, broker)
    if not takes_answer:
        stop_fetching(s, partition, broker)
    checkpoint_at_leader_change(s, me)
    me.exists = 1
    me.leader = leader
    me.leader_epoch = epoch
    if not takes_answer:
        begin_truncation(s, partition, broker)
    if me.failed:
        end_fetcher(s, partition, broker)
    if has_ended(s, partition, broker, leader):
        me.failed = 1


def stand_by(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> None:
    """Neither lead nor follow, until the next epoch: the partition has no leader.

    Kafka: ReplicaManager.applyLocalFollowersDelta, Partition.makeFollower (KRaft).
    """
    if s.config.produce_partitions > 0:
        refuse_produce(s, partition, broker)  # Without it, produce requests wait on, and nobody can cut their records yet.
    stop_serving(s, partition, broker)  # Without it, it counts on its followers' ends when it leads again.
    stop_fetching(s, partition, broker)  # Without it, it waits for an answer of nobody.
    me = s.replica[partition][broker]
    checkpoint_at_leader_change(s, me)
    me.exists = 1
    me.leader = NO_BROKER
    me.leader_epoch = epoch


def awaits_answer_from(s: Kafka, me: Replica, leader: Broker) -> bool:
    """An answer of this leader is on its way, and the fetcher will take it for that of the new epoch (KAFKA-7786).

    Up to 2.1.0 a fetcher compares only whether it still has the partition when an answer arrives. One that was answered by this
    leader before it followed another in between is not modelled.
    """
    return s.config.earlier_answer is EarlierAnswer.TAKEN and me.leader == leader and me.phase is Phase.ANSWERED
