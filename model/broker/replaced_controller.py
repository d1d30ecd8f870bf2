"""A controller that was replaced, and does not know it, hears a leader that has obeyed its successor (KAFKA-14154, N12).

A broker sends its requests over the connection to the controller that it used last, until that says that it is none. In every
release the leader asks again: up to 3.2 the write of such a controller fails in the store, which is no answer about the
partition; since 3.3 a request from ahead is answered with NOT_CONTROLLER. Between them, in development, it was refused.
"""

from ..controller.memory import bounced_brokers
from ..members import contains
from ..release_choices import ReplacedController
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition, Writing


def refuse_from_behind(s: Kafka, partition: Partition, leader: Broker, controller: ControllerEpoch) -> bool:
    """A controller that was replaced finds another leader epoch in the request than in its memory, and refuses it for good.

    It takes a later epoch for an earlier one. The leader takes the refusal for the controller's last word: what it asked for
    stays pending until its next command.

    Design: none; a bug (N12, R5).   Kafka: KafkaController.processAlterPartition (25ee7f147c8, in no release; KAFKA-14154).
    Modifies: isr_write[partition][leader].
    Reads: controller (its own memory); zookeeper.leader_and_isr[partition] (whether it was replaced before the leader's epoch was
        decided: what it remembers is then older).
    """
    if s.config.replaced_controller is not ReplacedController.REFUSES:
        return False
    write = s.isr_write[partition][leader]
    if write.phase is not Writing.REQUESTED:
        return False
    if s.config.earlier_requests and write.earlier:
        return False
    if not s.controller[controller].active or s.controller[controller].recovering:
        return False
    if not contains(s.controller[controller].live & ~bounced_brokers(s, controller), leader):
        return False  # Without it, it refuses who is not live for it, too.
    node = s.zookeeper.leader_and_isr[partition]
    if node.controller_epoch <= controller or node.leader_epoch != s.replica[partition][leader].leader_epoch:
        return False

    write.phase = Writing.REFUSED
    return True
