"""The controller raises an alert when an administrator's request, or an election, takes too long (M10).

V3 lets requests name a time limit (discussion 2: "The admin RPC could specify a timeout"). In discussion 6 the controller "will
get a timeout and can trigger an alert"; comment C.1 has it "log an error and potentially trigger an alert". Time is not
modelled: an alert may come at any moment while the controller knows of an unfinished request, and comes if that never ends.
What no controller remembers raises no alert.
"""

from ..state import Kafka
from ..vocabulary import NO_EPOCH, Changing, ControllerEpoch, Moving, Partition
from .memory import is_working


def raise_alert(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller's time limit for the partition has passed: it alerts an operator.

    Design: V3 discussions 2 and 6, comment C.1 (M10, M1).   Kafka: none; it logs errors.
    Modifies: alert[partition].
    Reads: alert[partition].raised (that it was raised: the operators' list of alerts, which outlives a controller).
    """
    if s.config.alerts == 0:
        return False  # switched off
    if not is_working(s, controller):
        return False
    if s.alert[partition].raised:
        return False  # Without it, the same message is sent again.
    if not is_waiting(s, controller, partition):
        return False

    s.alert[partition].raised = 1
    return True


def is_waiting(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller remembers something unfinished: an election, a reassignment, an addition, a removal."""
    me = s.controller[controller]
    if s.config.awaiting_partitions > 0:
        if me.awaited[partition] != NO_EPOCH:
            return True
    if s.config.changing_partitions > 0:
        if me.changing[partition] is not Changing.NOT_CHANGING:
            return True
    return s.config.moving_partitions > 0 and me.moving[partition] is not Moving.NOT_MOVING
