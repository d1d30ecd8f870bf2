"""The controller's part of a run: what it writes to ZooKeeper and which requests it sends to brokers.

The model decides; this only carries out. Versions of znodes count from 1 in the model, from 0 in ZooKeeper.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kazoo.exceptions import BadVersionError, NoNodeError

from ...model.members import NO_BROKER
from .cluster import Cluster
from .process import BrokerError
from .requests import LeaderAndIsr, LeaderAndIsrAnswer, StopReplica, StopReplicaAnswer, UpdateMetadata, UpdateMetadataAnswer

NO_LEADER = -1


def broker_id(leader: int) -> int:
    """A leader of the model by Kafka's number: `NO_LEADER` for none."""
    return NO_LEADER if leader == NO_BROKER else leader


@dataclass(frozen=True)
class Published:
    """What a LeaderAndIsr request says of one partition; `version` as ZooKeeper counts."""

    controller_epoch: int
    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    version: int
    replicas: tuple[int, ...]


@dataclass(frozen=True)
class Topic:
    """The topic of a run, and its controller: `base` is the controller epoch that the model counts as 0."""

    cluster: Cluster
    name: str
    base: int

    def state_path(self, partition: int) -> str:
        """The znode of leader and ISR."""
        return f"/brokers/topics/{self.name}/partitions/{partition}/state"

    def write_assignment(self, replicas: Mapping[int, Sequence[int]], min_isr: int, unclean: bool = True) -> None:
        """The topic's znodes: its settings, and who holds each partition; `unclean`: such elections are enabled."""
        settings = {"min.insync.replicas": str(min_isr), "unclean.leader.election.enable": str(unclean).lower()}
        config = json.dumps({"version": 1, "config": settings})
        self.cluster.write(f"/config/topics/{self.name}", config.encode())
        node = {"version": 1, "partitions": {str(p): list(brokers) for p, brokers in replicas.items()}}
        self.cluster.write(f"/brokers/topics/{self.name}", json.dumps(node).encode())

    def write_state(self, partition: int, decision: Published) -> None:
        """Publish a decision, on condition of the version before its own; BrokerError when someone else wrote."""
        node = {
            "controller_epoch": decision.controller_epoch,
            "leader": decision.leader,
            "version": 1,
            "leader_epoch": decision.leader_epoch,
            "isr": list(decision.isr),
        }
        path, data = self.state_path(partition), json.dumps(node).encode()
        try:
            if decision.version == 0:
                self.cluster.store.create(path, data, makepath=True)
            else:
                self.cluster.store.set(path, data, version=decision.version - 1)
        except (BadVersionError, NoNodeError):
            now = self.cluster.read(path)
            raise BrokerError(
                f"the model's controller writes version {decision.version + 1} of the partition's state, and ZooKeeper has"
                f" {now[1] + 1 if now else 'no'}: a leader has written it where the model's has not, or the other way round"
            ) from None

    def delete_state(self, partition: int) -> None:
        """A deleted partition has no state."""
        self.cluster.store.delete(self.state_path(partition))

    def tell(self, broker: int, partition: int, decision: Published, is_new: bool, with_broker_epoch: bool) -> int:
        """UpdateMetadata, so that the broker knows everyone's address, then LeaderAndIsr; its error code."""
        error = self.say_who_lives(broker, partition, decision, with_broker_epoch)
        return error or self.command(broker, partition, decision, is_new, with_broker_epoch)

    def say_who_lives(self, broker: int, partition: int, decision: Published, with_broker_epoch: bool) -> int:
        """UpdateMetadata; its error code."""
        version = self.cluster.release.versions[1]
        body = self._body(broker, partition, decision, False, with_broker_epoch)
        live = {"live_brokers": self.cluster.live_brokers(broker)}
        return int(self.cluster.send(broker, UpdateMetadata, UpdateMetadataAnswer, version, {**body, **live})["error"])

    def command(self, broker: int, partition: int, decision: Published, is_new: bool, with_broker_epoch: bool) -> int:
        """LeaderAndIsr alone; its error code."""
        version = self.cluster.release.versions[0]
        body = self._body(broker, partition, decision, is_new, with_broker_epoch)
        leaders = []
        if decision.leader != NO_LEADER:
            host, port = self.cluster.endpoint(broker, decision.leader)
            leaders = [{"id": decision.leader, "host": host, "port": port}]
        answer = self.cluster.send(broker, LeaderAndIsr, LeaderAndIsrAnswer, version, {**body, "live_leaders": leaders})
        return int(answer["error"]) or next((int(p["error"]) for p in answer["partitions"]), 0)

    def _body(self, broker: int, partition: int, decision: Published, is_new: bool, with_broker_epoch: bool) -> dict[str, Any]:
        state = self._state(partition, decision, is_new)
        head = self.cluster.controller_fields(broker, decision.controller_epoch, with_broker_epoch)
        return {**head, "partitions": [state], "topics": [{"topic": self.name, "partitions": [state]}]}

    def _state(self, partition: int, decision: Published, is_new: bool) -> dict[str, Any]:
        return {
            "topic": self.name,
            "partition": partition,
            "controller_epoch": decision.controller_epoch,
            "leader": decision.leader,
            "leader_epoch": decision.leader_epoch,
            "isr": decision.isr,
            "zk_version": decision.version,
            "replicas": decision.replicas,
            "adding_replicas": [],
            "removing_replicas": [],
            "offline_replicas": [],
            "is_new": is_new,
        }

    def stop(self, broker: int, partition: int, controller_epoch: int, with_broker_epoch: bool) -> int:
        """StopReplica with deletion; its error code. The epoch -2 says that the topic is deleted (KIP-570)."""
        version = self.cluster.release.versions[2]
        request = {"topic": self.name, "partition": partition, "leader_epoch": -2, "delete_partition": True}
        topic = {"topic": self.name, "partition_numbers": [partition], "partitions": [request]}
        values = {
            **self.cluster.controller_fields(broker, controller_epoch, with_broker_epoch),
            "delete_partitions": True,
            "partitions": [request],
            "topics": [topic],
        }
        answer = self.cluster.send(broker, StopReplica, StopReplicaAnswer, version, values)
        return int(answer["error"]) or next((int(p["error"]) for p in answer["partitions"]), 0)
