"""A KRaft controller that a run drives: it keeps the metadata log, and each broker receives as much of it as the run allows.

Brokers need five requests of it: ApiVersions, Fetch of the metadata log, BrokerRegistration, BrokerHeartbeat and
AlterPartition. The last waits for the run where that answers it (`isr_topic`); else it is refused (NOT_CONTROLLER), so
that the leader asks again. What several records change between two fetches of a broker reaches it as one batch of changes,
as from Kafka's own controller.
"""

import contextlib
import socket
import struct
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .gate import clients_of, close, listening
from .isr_requests import NOT_CONTROLLER, UNKNOWN_TOPIC_ID, IsrRequest, requests_in
from .kraft_nodes import CONTROLLER
from .metadata_log import Record, batch_of
from .schemas import Schemas
from .wire import ENDLESS, decode, encode, framed, read_frame, request_body

FETCH, API_VERSIONS, ALTER_PARTITION, REGISTRATION, HEARTBEAT = 1, 18, 56, 62, 63
SERVED = (FETCH, API_VERSIONS, ALTER_PARTITION, 58, 59, REGISTRATION, HEARTBEAT, 67, 73)
"""What ApiVersions tells; brokers look for the others here (envelopes, log directories), but send none of them in a run."""

METADATA_TOPIC = uuid.UUID(int=1)
METADATA_VERSION = 21
"""3.9's: every release from 3.9 on takes it."""
EPOCH = 1
FENCED_LEADER_EPOCH = 74
NOTHING = -1
"""How much of the log a process has received that has yet to register: not even where it ends."""

Endpoint = Callable[[int, int], int]
"""Where a reader finds a broker: a port."""


class KraftController:
    """The log and who has received how much of it. `endpoint`: the port that each reader is given for each broker."""

    def __init__(self, schemas: Schemas, endpoint: Endpoint) -> None:
        self.schemas, self.endpoint = schemas, endpoint
        self.changed = threading.Condition()
        self.batches: list[tuple[int, int, Sequence[Record]]] = []
        self.end = 0
        self.received: dict[int, int] = {}
        self.epochs: dict[int, int] = {}
        self.directories: dict[int, uuid.UUID] = {}
        self.unfenced: set[int] = set()
        self.welcome: set[int] = set()
        self.ready: set[int] = set()
        self.previous: dict[int, int] = {}
        self.with_registration: dict[int, Sequence[Record]] = {}
        self.isr_topic: uuid.UUID | None = None
        self.isr_requests: dict[int, IsrRequest] = {}
        self.deleted: set[uuid.UUID] = set()
        self.server = listening()
        self.port = int(self.server.getsockname()[1])
        self.append(("FeatureLevelRecord", 0, {"Name": "metadata.version", "FeatureLevel": METADATA_VERSION}))
        threading.Thread(target=self._accept, daemon=True).start()

    # What the run does.

    def append(self, *records: Record) -> int:
        """One batch; the offset behind it. No broker receives it before the run says so."""
        with self.changed:
            self.batches.append((self.end, int(time.time() * 1000), records))
            self.end += len(records)
            return self.end

    def let(self, broker: int, end: int | None = None) -> None:
        """The broker may receive the log up to this offset, or all of it."""
        with self.changed:
            self.received[broker] = max(self.received.get(broker, 0), self.end if end is None else end)
            self.changed.notify_all()

    def fence(self, broker: int, fenced: bool, *changes: Record) -> int:
        """A record that fences a broker, or unfences it, and what changes with it."""
        with self.changed:
            (self.unfenced.discard if fenced else self.unfenced.add)(broker)
            change = {"BrokerId": broker, "BrokerEpoch": self.epochs[broker], "Fenced": 1 if fenced else -1}
            return self.append(("BrokerRegistrationChangeRecord", 0, change), *changes)

    def forget_process(self, broker: int) -> None:
        """The process has ended: its requests are gone, and the next one begins with its registration."""
        with self.changed:
            self.ready.discard(broker)
            self.received[broker] = NOTHING
            self.lose_isr_request(broker)

    def await_ready(self, broker: int, seconds: float) -> bool:
        """Until a broker has applied its registration, and says with a heartbeat that it can be unfenced."""
        with self.changed:
            return self.changed.wait_for(lambda: broker in self.ready, seconds)

    def await_isr_request(self, leader: int, seconds: float) -> IsrRequest | None:
        """The request for another ISR that waits here; None when there is none in time."""
        with self.changed:
            self.changed.wait_for(lambda: leader in self.isr_requests, seconds)
            return self.isr_requests.get(leader)

    def release_isr_answer(self, leader: int) -> None:
        """The answer to the leader's request, which is decided, is on its way."""
        with self.changed:
            del self.isr_requests[leader]
            self.changed.notify_all()

    def lose_isr_request(self, leader: int) -> None:
        """The connection over which the leader has asked is closed; one that lives asks again."""
        with self.changed:
            if leader in self.isr_requests:
                self.isr_requests.pop(leader).lost = True
                self.changed.notify_all()

    def delete_topic(self, topic: uuid.UUID) -> int:
        """A record; who asks for another ISR of the topic gives up."""
        with self.changed:
            self.deleted.add(topic)
            for leader in list(self.isr_requests):
                self.lose_isr_request(leader)
            return self.append(("RemoveTopicRecord", 0, {"TopicId": topic}))

    def await_unfenced(self, brokers: Sequence[int], seconds: float) -> bool:
        """Brokers that are welcome are unfenced as soon as they have received their registration; until all of them are."""
        with self.changed:
            self.welcome |= set(brokers)
            return self.changed.wait_for(lambda: set(brokers) <= self.unfenced, seconds)

    def close(self) -> None:
        """No broker is served any more."""
        close(self.server)

    # What brokers ask.

    def _accept(self) -> None:
        for client in clients_of(self.server):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while (payload := read_frame(client)) is not None:
                client.sendall(framed(self.answer(payload)))
        close(client)

    def answer(self, payload: bytes) -> bytes:
        """The answer to a request, behind its correlation id."""
        key, version, correlation = struct.unpack_from(">hhi", payload)
        schema = self.schemas.requests[key]
        if key == API_VERSIONS and version > schema.last:
            version = 0
            body = encode(self.schemas.responses[key].message, 0, {**self.api_versions(), "ErrorCode": 35})
            return struct.pack(">i", correlation) + body
        request = decode(schema.message, version, request_body(schema.message, version, payload))
        found = {
            API_VERSIONS: lambda _: self.api_versions(), FETCH: self.fetch, REGISTRATION: self.register,
            HEARTBEAT: self.heartbeat, ALTER_PARTITION: self.alter_partition,
        }[key](request)  # fmt: skip
        tags = b"\x00" if version >= schema.message.flexible and key != API_VERSIONS else b""
        return struct.pack(">i", correlation) + tags + encode(self.schemas.responses[key].message, version, found)

    def api_versions(self) -> dict[str, Any]:
        """The versions that the release itself speaks."""
        known = [(key, self.schemas.requests[key]) for key in SERVED if key in self.schemas.requests]
        return {"ApiKeys": [{"ApiKey": k, "MinVersion": s.first, "MaxVersion": min(s.last, ENDLESS)} for k, s in known]}

    def register(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """A process registers: its broker epoch is the offset of the record. It is fenced until it has received that."""
        broker = request["BrokerId"]
        with self.changed:
            values = {
                "BrokerId": broker, "IncarnationId": request["IncarnationId"], "BrokerEpoch": self.end, "Fenced": True,
                "EndPoints": request["Listeners"], "Features": request["Features"], "Rack": None,
                "LogDirs": request["LogDirs"],
            }  # fmt: skip
            self.previous[broker] = request.get("PreviousBrokerEpoch", NOTHING)
            self.epochs[broker], self.directories[broker] = self.end, request["LogDirs"][0]
            self.unfenced.discard(broker)
            self.append(*self.with_registration.pop(broker, ()), ("RegisterBrokerRecord", 3, values))
            self.let(broker)
            return {"BrokerEpoch": self.epochs[broker]}

    def heartbeat(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """A broker that is welcome and has received its registration is unfenced."""
        broker = request["BrokerId"]
        with self.changed:
            caught_up = request["CurrentMetadataOffset"] >= self.epochs.get(broker, self.end)
            if caught_up and not request["WantFence"]:
                self.ready.add(broker)
                self.changed.notify_all()
            if caught_up and broker in self.welcome and not request["WantFence"]:
                self.welcome.discard(broker)
                end = self.fence(broker, False)
                for reader in self.epochs:
                    if self.received.get(reader, 0) >= end - 1:
                        self.let(reader, end)
                self.changed.notify_all()
            return {"IsCaughtUp": caught_up, "IsFenced": broker not in self.unfenced, "ShouldShutDown": request["WantShutDown"]}

    def alter_partition(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """A leader wants another ISR: the run decides about its own topic. A leader has one request on its way."""
        asked = requests_in(request)
        with self.changed:
            for entry in asked:
                if entry.topic in self.deleted:
                    entry.answer = UNKNOWN_TOPIC_ID
                    return entry.response()
            if len(asked) != 1 or asked[0].topic != self.isr_topic:
                return {"ErrorCode": NOT_CONTROLLER, "Topics": []}
            (entry,) = asked
            self.isr_requests[entry.leader] = entry
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.isr_requests.get(entry.leader) is not entry)
        if entry.lost:
            raise OSError("the connection over which it came is closed")
        return entry.response()

    def fetch(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The part of the log that this broker may receive; its end is the high watermark that the broker is given."""
        state = request.get("ReplicaState") or {}
        broker = state.get("ReplicaId", request.get("ReplicaId", -1))
        part = request["Topics"][0]["Partitions"][0]
        leader = {"LeaderId": CONTROLLER, "LeaderEpoch": EPOCH}
        result = {"PartitionIndex": 0, "LogStartOffset": 0, "CurrentLeader": leader, "Records": b"", "HighWatermark": -1}
        answer: dict[str, Any] = {"Responses": [{"TopicId": METADATA_TOPIC, "Partitions": [result]}]}
        if part["CurrentLeaderEpoch"] != EPOCH:
            result["ErrorCode"] = FENCED_LEADER_EPOCH
            answer["NodeEndpoints"] = [{"NodeId": CONTROLLER, "Host": "127.0.0.1", "Port": self.port, "Rack": None}]
            return answer
        with self.changed:
            self.received.setdefault(broker, self.end)
            self.changed.wait_for(lambda: self.received[broker] > part["FetchOffset"], request["MaxWaitMs"] / 1000)
            until = self.received[broker]
            sent = [batch for batch in self.batches if part["FetchOffset"] <= batch[0] < until]
        result["HighWatermark"] = until if until > 0 else NOTHING
        result["Records"] = b"".join(
            batch_of(self.schemas, [self.as_seen(broker, record) for record in records], base, EPOCH, now)
            for base, now, records in sent
        )
        return answer

    def as_seen(self, reader: int, record: Record) -> Record:
        """A registration with the addresses that this reader is given."""
        name, version, values = record
        if name != "RegisterBrokerRecord":
            return record
        port = self.endpoint(reader, values["BrokerId"])
        return name, version, {**values, "EndPoints": [{**place, "Port": port} for place in values["EndPoints"]]}
