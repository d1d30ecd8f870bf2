"""Real brokers under KRaft whose controller is the run: processes, gates between them, the metadata log.

It offers what `cluster.Cluster` offers where a step is the same under ZooKeeper and KRaft.
"""

import shutil
import socket
import tempfile
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .cluster import LAG_MS
from .gate import Gate, close
from .kraft_controller import KraftController
from .kraft_nodes import CONTROLLER, Nodes
from .process import BrokerError, Process
from .releases import Release
from .schemas import schemas_in
from .wire import Message, decode, read_frame, request_frame, response_body

SECONDS = 60.0
SETTINGS = f"""replica.fetch.max.bytes=1
replica.fetch.response.max.bytes=1
replica.fetch.wait.max.ms=10
replica.fetch.backoff.ms=20
replica.lag.time.max.ms={LAG_MS}
replica.socket.timeout.ms=86400000
replica.high.watermark.checkpoint.interval.ms=3600000
broker.heartbeat.interval.ms=200
request.timeout.ms=86400000
unclean.leader.election.enable=true
num.network.threads=2
num.io.threads=4
log.cleaner.enable=false
log.retention.ms=-1
"""


class KraftCluster:
    """`count` brokers of one release; `jars` is the folder that has `libs`."""

    controller_epoch = 0

    def __init__(self, release: Release, jars: Path, count: int, folder: Path | None = None) -> None:
        self.release, self.count = release, count
        self.kept = folder is not None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="highwater-kraft-"))
        self.gates: dict[tuple[int, int], Gate] = {}
        self.connections: dict[int, socket.socket] = {}
        self.correlation = 0
        self.starting: set[int] = set()
        self.controller = KraftController(schemas_in(jars / "libs"), self.endpoint)
        self.nodes = Nodes(release, jars, self.folder, {}, dict.fromkeys(range(count), SETTINGS))
        self.addresses: dict[int, tuple[str, int]] = {}
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    @property
    def brokers(self) -> dict[int, Process]:
        """The processes that run."""
        return self.nodes.up

    def start(self) -> None:
        """All brokers at once; until all are unfenced, and have received that."""
        self.nodes.add(range(self.count))
        self.nodes.fronts[CONTROLLER] = self.controller.port
        for broker in range(self.count):
            self.addresses[broker] = ("127.0.0.1", self.nodes.ports[broker])
            for leader in range(self.count):
                if leader != broker:
                    self.gates[broker, leader] = Gate(self.address_of(leader))
        self.starting |= set(range(self.count))
        for broker in range(self.count):
            self.nodes.start(broker, "registering")
        for broker in range(self.count):
            self.nodes.up[broker].wait_ready()
        self.await_brokers(range(self.count))

    def launch(self, broker: int) -> None:
        """Start a broker's process; it takes orders while it registers, and before it is unfenced."""
        self.starting.add(broker)
        self.nodes.start(broker, "registering")
        self.nodes.up[broker].wait_ready()

    def await_brokers(self, brokers: Sequence[int]) -> None:
        """Until these serve and are unfenced."""
        if not self.controller.await_unfenced(brokers, SECONDS):
            raise BrokerError(f"of brokers {list(brokers)} only {sorted(self.controller.unfenced)} are unfenced")
        for broker in brokers:
            self.await_started(broker)

    def await_started(self, broker: int) -> None:
        """Until a broker serves clients: it does so once it is unfenced."""
        self.nodes.up[broker].order("started")
        self.starting.discard(broker)

    def address_of(self, broker: int) -> Callable[[], tuple[str, int] | None]:
        """Where a broker is now; None while it is down."""
        return lambda: self.addresses[broker] if broker in self.nodes.up else None

    def endpoint(self, reader: int, broker: int) -> int:
        """The port of `broker` that `reader` finds in the log: its own, or the gate to another broker."""
        return self.nodes.ports[broker] if reader == broker else self.gates[reader, broker].port

    def gates_of(self, follower: int) -> Sequence[Gate]:
        """All ways from a follower to leaders."""
        return [gate for (broker, _), gate in self.gates.items() if broker == follower]

    def data(self, broker: int) -> Path:
        """A broker's log folder."""
        return self.nodes.data(broker)

    def kill(self, broker: int) -> None:
        """kill -9, as `cluster.Cluster.kill`."""
        self.nodes.kill(broker)
        self.controller.forget_process(broker)
        close(self.connections.pop(broker, None))
        for (follower, leader), gate in self.gates.items():
            if broker in (follower, leader):
                gate.drop(answers=broker == follower)

    def send(self, broker: int, message: Message, answer: Message, version: int, values: dict[str, Any]) -> dict[str, Any]:
        """A client's request."""
        self.correlation += 1
        with socket.create_connection(self.addresses[broker], 10) as connection:
            connection.settimeout(SECONDS)
            connection.sendall(request_frame(message, version, self.correlation, "highwater", values))
            payload = read_frame(connection)
        if payload is None:
            raise BrokerError(f"broker {broker} closes the connection instead of answering")
        return decode(answer, version, response_body(message, version, payload)[1])

    def directories(self, brokers: Sequence[int]) -> list[uuid.UUID]:
        """Where each of them keeps its logs."""
        return [self.controller.directories[broker] for broker in brokers]

    def stop(self) -> None:
        """End everything; the folder goes too, unless the caller gave it."""
        self.nodes.end()
        self.controller.close()
        for gate in self.gates.values():
            gate.close()
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)
