"""What can be seen of brokers under KRaft beside a state of the family `kraft`: the metadata that each has applied, too."""

import re
from typing import Any

from ...model.vocabulary import Writing
from ..words import in_set
from .isr_requests import PartitionState
from .kraft_steps import KraftComparison


def image_of(text: str) -> PartitionState | None:
    """Read the launcher's answer to `image`; None when the metadata have no such partition."""
    if text.startswith("none"):
        return None
    numbers = {name: int(value) for name, value in re.findall(r"\b(leader|leaderEpoch|partitionEpoch)=(-?\d+)", text)}
    named = re.findall(r"\b(isr|elr|replicas|addingReplicas|removingReplicas)=\[([^]]*)\]", text)
    sets = {name: tuple(int(b) for b in held.split(",") if b.strip()) for name, held in named}
    return PartitionState(
        numbers["leader"], numbers["leaderEpoch"], numbers["partitionEpoch"], tuple(sorted(sets["isr"])),
        tuple(sorted(sets.get("elr", ()))), sets["replicas"], sets["addingReplicas"], sets["removingReplicas"],
    )  # fmt: skip


class MetadataComparison(KraftComparison):
    """One look. `topic.images` has what each change of the log says."""

    def zookeeper(self) -> None:
        """Who is unfenced; of each broker, how far it has applied the log, what that says, and which ISR it asks for."""
        log, topic = self.s.metadata[0], self.topic
        self.differ("metadata log", "live brokers", in_set(self.s.zookeeper.broker_ids), sorted(self.cluster.controller.unfenced))
        for broker, process in self.cluster.brokers.items():
            if (0, broker) not in self.told:
                continue
            part = f"broker {broker}"
            change = len(topic.ends) - 1 - (log.length - log.applied[broker])
            self.differ(part, "metadata applied", topic.ends[change] - 1, int(process.order("applied")))
            for number, image in enumerate(topic.images[change]):
                held = image_of(process.order(f"image {topic.name} {number}"))
                self.differ(part, f"metadata of partition {number}", image, held)
            self.asks(part, broker)

    def asks(self, part: str, broker: int) -> None:
        """The request for another ISR that waits at the controller."""
        waiting = self.cluster.controller.isr_requests.get(broker)
        writes = [self.s.isr_write[number][broker] for number in range(self.s.config.partitions)]
        model = next((write for write in writes if write.phase in (Writing.REQUESTED, Writing.WRITTEN)), None)
        told = None if model is None else in_set(model.isr)
        self.differ(part, "isr it asks for", told, None if waiting is None else sorted(waiting.members))
        if model is not None and waiting is not None and model.phase is Writing.REQUESTED:
            real = self.known_version(waiting.number, model.version, waiting.partition_epoch)
            self.differ(part, "version that it names", real, waiting.partition_epoch)

    def consumer(self, part: str, partition: int, broker: int, me: Any) -> None:
        """A broker that has yet to be unfenced once serves no clients."""
        if broker not in self.cluster.starting:
            super().consumer(part, partition, broker, me)

    def known_version(self, partition: int, version: int, held: int) -> int:
        """A partition epoch of the model, which counts from the first change of its window: 0 is any that is older."""
        if version == 0:
            return held
        newest = self.topic.images[-1][partition].partition_epoch
        return int(newest - (self.s.zookeeper.leader_and_isr[partition].version - version))
