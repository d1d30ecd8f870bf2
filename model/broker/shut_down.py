"""Controlled shutdown, the broker's part (V3 discussion 1; ZH: M3)."""

from ..controller.decide import staying_members
from ..controller.memory import is_working
from ..members import contains
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch
from ..zookeeper.watches import has_session
from ..zookeeper.znodes import end_session
from .crash import stop_process


def begin_shutdown(s: Kafka, broker: Broker) -> bool:
    """An operator stops a broker: it asks the controller to move its leaderships away, and serves until it gets the answer.

    Design: V3 discussion 1 (M3).   Kafka: KafkaServer.controlledShutdown.
    Modifies: broker[broker], spent.
    """
    if s.spent.controlled_shutdowns >= s.config.controlled_shutdowns:
        return False  # switched off, or budget
    if not s.broker[broker].up:
        return False
    if s.broker[broker].leaving:
        return False  # Without it, the budget is spent on a request that was made already.

    s.spent.controlled_shutdowns += 1
    s.broker[broker].leaving = 1
    return True


def stop_broker(s: Kafka, broker: Broker, controller: ControllerEpoch) -> bool:
    """The controller answers that no leadership is left on the broker that another could take over; the broker stops.

    It writes its high watermarks and flushes its logs, and closes its session, so the others learn it at once. Connections to
    it are closed, and what was in flight over them may be lost.

    Design: V3 discussion 1, "close request handler, close log"; ZH, channels to brokers (M3).   Kafka: KafkaServer.shutdown.
    Modifies: zookeeper, produce_request, broker, replica, controller, command, earlier_command, decision, isr_write,
        fetch_request, fetch_response, late_response, fetch_refusal, start.
    Reads: controller (the answer: the controller's request and response are one step; whether the process was a controller: its
        own memory); broker (who else has asked to be shut down: the controller's requests); zookeeper.leader_and_isr,
        zookeeper.sessions, zookeeper.controller, zookeeper.controller_epoch, zookeeper.broker_ids (the store, as the controller
        reads it, and the closing of the session); command, earlier_command (what was sent to it over connections that close).
    """
    if s.config.controlled_shutdowns == 0:
        return False
    if not s.broker[broker].up:
        return False
    if not s.broker[broker].leaving:
        return False
    if not is_working(s, controller):
        return False
    if not has_session(s, s.controller[controller].host):
        return False
    if s.zookeeper.controller_epoch != controller:
        return False  # one that was replaced does not know what its successor has decided
    for partition in range(s.config.partitions):
        if s.zookeeper.leader_and_isr[partition].leader == broker and staying_members(s, controller, partition) != 0:
            return False  # another is to be elected first

    stop_in_order(s, broker)
    if contains(s.zookeeper.sessions, broker):
        end_session(s, broker)
    return True


def stop_in_order(s: Kafka, broker: Broker) -> None:
    """The process writes its high watermarks, flushes its logs, and ends."""
    for partition in range(s.config.partitions):
        me = s.replica[partition][broker]
        if s.config.crashes > 0:
            me.checkpoint = me.hw
        me.hw = min(me.hw, me.leo)  # Without it, a broker begins with a high watermark beyond its log: it follows first.
        if s.config.power_losses > 0:
            me.flushed = me.leo
    stop_process(s, broker)
