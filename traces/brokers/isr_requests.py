"""A leader's request for another ISR (AlterPartition): what it asks, and what Kafka's controller answers.

The run decides when a request is answered, and when the answer is on its way; the rules decide what the answer is.
"""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

NONE, NOT_CONTROLLER, INVALID_REQUEST, FENCED_LEADER_EPOCH = 0, 41, 42, 74
INVALID_UPDATE_VERSION, UNKNOWN_TOPIC_ID, INELIGIBLE_REPLICA, NEW_LEADER_ELECTED = 95, 100, 107, 108
ANY_REGISTRATION = -1
NO_CHANGE = -2
"""A change of a partition that leaves the leader as it is."""


@dataclass(frozen=True)
class PartitionState:
    """What the metadata log says of a partition after some change; `adding` and `removing`: while it moves."""

    leader: int
    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    elr: tuple[int, ...] = ()
    replicas: tuple[int, ...] = ()
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    def after(self, values: Mapping[str, Any]) -> "PartitionState":
        """The partition after a PartitionChangeRecord, without the progress of a move."""
        isr = self.isr if values["Isr"] is None else tuple(values["Isr"])
        elr = self.elr if values.get("EligibleLeaderReplicas") is None else tuple(sorted(values["EligibleLeaderReplicas"]))
        replicas = self.replicas if values["Replicas"] is None else tuple(values["Replicas"])
        leader, epoch = self.leader, self.leader_epoch
        if values["Leader"] != NO_CHANGE:
            leader, epoch = values["Leader"], epoch + 1
        return PartitionState(leader, epoch, self.partition_epoch + 1, isr, elr, replicas)

    def __str__(self) -> str:
        sets = {"elr": self.elr, "replicas": self.replicas, "adding": self.adding, "removing": self.removing}
        more = "".join(f" {name} {list(held)}" for name, held in sets.items() if held)
        return f"leader {self.leader} epoch {self.leader_epoch} isr {list(self.isr)}{more} v{self.partition_epoch + 1}"


@dataclass(eq=False)
class IsrRequest:
    """One request about one partition; `members` with the broker epoch of each. `answer`: an error, or the new state."""

    leader: int
    topic: uuid.UUID
    number: int
    leader_epoch: int
    partition_epoch: int
    members: Mapping[int, int]
    answer: PartitionState | int | None = None
    lost: bool = False

    def __str__(self) -> str:
        return f"isr {sorted(self.members)}, if v{self.partition_epoch + 1}"

    def response(self) -> dict[str, Any]:
        """The answer as the leader reads it."""
        part: dict[str, Any] = {"PartitionIndex": self.number}
        if isinstance(self.answer, PartitionState):
            state = self.answer
            part |= {
                "ErrorCode": NONE, "LeaderId": state.leader, "LeaderEpoch": state.leader_epoch, "Isr": list(state.isr),
                "PartitionEpoch": state.partition_epoch, "LeaderRecoveryState": 0,
            }  # fmt: skip
        else:
            part["ErrorCode"] = self.answer
        return {"Topics": [{"TopicId": self.topic, "TopicName": "", "Partitions": [part]}]}


def requests_in(request: Mapping[str, Any]) -> list[IsrRequest]:
    """What an AlterPartition request asks, partition by partition."""
    found = []
    for topic in request["Topics"]:
        for part in topic["Partitions"]:
            members = {row["BrokerId"]: row["BrokerEpoch"] for row in part.get("NewIsrWithEpochs") or ()}
            members |= dict.fromkeys(part.get("NewIsr") or (), ANY_REGISTRATION)
            found.append(
                IsrRequest(
                    request["BrokerId"], topic["TopicId"], part["PartitionIndex"], part["LeaderEpoch"],
                    part["PartitionEpoch"], members,
                )
            )  # fmt: skip
    return found


def verdict(asked: IsrRequest, state: PartitionState, epochs: Mapping[int, int], active: Collection[int]) -> int:
    """The controller's error for a request; `epochs`: of each broker's registration, `active`: neither fenced nor stopping.

    Kafka: ReplicationControlManager.validateAlterPartitionData, ineligibleReplicasForIsr.
    """
    if asked.leader_epoch > state.leader_epoch or asked.partition_epoch > state.partition_epoch:
        return NOT_CONTROLLER
    if asked.leader_epoch < state.leader_epoch:
        return FENCED_LEADER_EPOCH
    if asked.leader != state.leader:
        return INVALID_REQUEST
    if asked.partition_epoch < state.partition_epoch:
        return INVALID_UPDATE_VERSION
    if asked.leader not in asked.members or not set(asked.members) <= set(state.replicas):
        return INVALID_REQUEST
    for member, epoch in asked.members.items():
        if member not in active or epoch not in (ANY_REGISTRATION, epochs[member]):
            return INELIGIBLE_REPLICA
    return NONE
