"""Responses to the controller's commands, and the bug that leaves one without a response (V3 messages, last comment)."""

from ..choices import Elections, LeadAgain
from ..fetching import leads
from ..members import contains, excluding
from ..state import Kafka
from ..vocabulary import NO_EPOCH, Broker, ControllerEpoch, Epoch, Partition
from .roles import obeys


def answer_command(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A new leader's response reaches the controller that elected it: the election has succeeded.

    The step is the effect of the response, whenever it arrives; a lost response is one that never arrives. A response
    with an error is like none: the controller continues to wait. An answer promises nothing, because the leader may
    fail right after it; a missing answer is what matters.

    Design: V3 LeaderAndISRResponse, last comment (M1, L1).   Kafka: KafkaApis.handleLeaderAndIsrRequest.
    Modifies: controller[controller].
    Reads: controller[controller].awaited (the request, which the response is for); command[partition],
        earlier_command[partition] (which of the requests over one connection comes first).
    """
    if s.config.elections is not Elections.ANSWERED:
        return False
    if s.controller[controller].awaited[partition] != epoch:
        return False
    if not has_an_answer(s, partition, broker, epoch, controller):
        return False

    s.controller[controller].awaited[partition] = NO_EPOCH
    return True


def has_an_answer(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """The elected broker leads in this epoch; or it led before, has the request, and need not obey (V3 C, 2.1, R3)."""
    if not leads(s, partition, broker):
        return False
    if s.replica[partition][broker].leader_epoch == epoch:
        return True
    command = s.command[partition][epoch]
    has_request = contains(command.sent[controller], broker) and command.leader == broker
    return s.config.lead_again is LeadAgain.IGNORED and has_request and obeys(s, partition, broker, epoch, controller)


def ignore_command(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A running broker in session ignores a request because of a bug: the third reason for a missing response.

    The other two, a stopped broker and a long garbage collection, end the session, and a new election follows.

    Design: V3 last comment (L1, M1).   Kafka: none; a bug.
    Modifies: command[partition][epoch], spent.
    Reads: command[partition], earlier_command[partition] (which of the requests over one connection comes first).
    """
    if s.spent.ignored_commands >= s.config.ignored_commands:
        return False  # switched off, or budget
    command = s.command[partition][epoch]
    if not contains(command.sent[controller], broker):
        return False  # Without it, a command that was not sent is lost.
    if not obeys(s, partition, broker, epoch, controller):
        return False  # Without it, the budget is spent on a request that is refused anyway.

    s.spent.ignored_commands += 1  # Without it, the number of faults is not bounded.
    command.sent[controller] = excluding(command.sent[controller], broker)
    return True
