"""A living broker learns that its session has expired (Z7, Z11)."""

from ..choices import CommandOrder
from ..controller.memory import resign
from ..members import contains
from ..state import Kafka
from ..vocabulary import Broker
from ..zookeeper.sessions import begin_registration, watch_controller_path
from ..zookeeper.znodes import register_broker
from .start import drop_earlier_commands


def notice_session_expiry(s: Kafka, broker: Broker) -> bool:
    """A broker learns that its session has expired, and registers itself in a new one.

    If it was the controller it resigns, because another may have been elected. What it knows of its
    partitions stays unchanged; only a command can inform it that another broker leads. It obeys none that was sent to its
    earlier registration, if these are told apart (`broker_epochs`, R6); a log it reads on (`command_order = log`, KR1). It may
    learn the new one later (`registration`, N3).

    Design: V3 D, comment A.3 (Z7, Z11).   Kafka: KafkaController.RegisterBrokerAndReelect, KafkaHealthcheck.handleNewSession.
    Modifies: zookeeper, controller, broker, command, earlier_command, decision.
    Reads: command, earlier_command (what was sent to its earlier registration); zookeeper.sessions, zookeeper.broker_ids,
        zookeeper.controller, zookeeper.controller_epoch (the store, in a new session); controller (whether this process is a
        controller: its own memory; what was sent to its earlier registration); broker (which processes have ended: what a
        controller that ends has sent to them is lost).
    """
    me = s.broker[broker]
    if not me.up:
        return False
    if contains(s.zookeeper.sessions, broker):
        return False  # nothing has expired

    resign(s, broker)
    register_broker(s, broker)
    begin_registration(s, broker)
    if s.config.broker_epochs and s.config.command_order is not CommandOrder.LOG:
        drop_earlier_commands(s, broker)  # Without it, it obeys what was sent to its earlier registration.
    watch_controller_path(s, broker)  # Without it, a broker may compete late or twice; only one creation of /controller succeeds.
    return True
