"""What a cluster of real brokers is under ZooKeeper and KRaft alike: processes, and a gate from each follower to each leader."""

import shutil
import socket
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .gate import Gate, close
from .process import BrokerError, Process
from .releases import Release
from .wire import Message, decode, read_frame, request_frame, response_body

LAG_MS = 600_000
SETTINGS = f"""replica.fetch.max.bytes=1
replica.fetch.response.max.bytes=1
replica.fetch.wait.max.ms=10
replica.fetch.backoff.ms=20
replica.lag.time.max.ms={LAG_MS}
replica.socket.timeout.ms=86400000
replica.high.watermark.checkpoint.interval.ms=3600000
unclean.leader.election.enable=true
num.network.threads=2
num.io.threads=4
log.cleaner.enable=false
log.retention.ms=-1
"""
"""A broker's, so that it fetches one batch at a time and does nothing because time has passed."""


class GatedCluster(ABC):
    """`count` brokers of one release, which are started at once; the caller's `folder` outlives them."""

    answer_seconds = 20.0
    controller_epoch = 0

    def __init__(self, release: Release, count: int, folder: Path | None) -> None:
        self.release, self.count = release, count
        self.kept = folder is not None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="highwater-brokers-"))
        self.addresses: dict[int, tuple[str, int]] = {}
        self.connections: dict[int, socket.socket] = {}
        self.gates: dict[tuple[int, int], Gate] = {}
        self.correlation = 0

    @property
    @abstractmethod
    def brokers(self) -> Mapping[int, Process]:
        """The processes that run."""

    def begin(self) -> None:
        """Start; what did start is ended when something does not."""
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    @abstractmethod
    def start(self) -> None:
        """Until all brokers serve."""

    @abstractmethod
    def end_processes(self) -> None:
        """End everything but the gates."""

    def stop(self) -> None:
        """End everything; the folder goes too, unless the caller gave it."""
        self.end_processes()
        for connection in self.connections.values():
            close(connection)
        for gate in self.gates.values():
            gate.close()
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def add_gates(self, follower: int) -> None:
        """Its ways to all others."""
        for leader in range(self.count):
            if leader != follower:
                self.gates[follower, leader] = Gate(self.address_of(leader))

    def address_of(self, broker: int) -> Callable[[], tuple[str, int] | None]:
        """Where a broker is now, for those who ask later; None while it is down."""
        return lambda: self.addresses[broker] if broker in self.brokers else None

    def gates_of(self, follower: int) -> Sequence[Gate]:
        """All ways from a follower to leaders."""
        return [gate for (broker, _), gate in self.gates.items() if broker == follower]

    def cut_off(self, broker: int) -> None:
        """It is dead. Whoever fetches from it loses the connection; what it has answered already is on its way."""
        close(self.connections.pop(broker, None))
        for (follower, leader), gate in self.gates.items():
            if broker in (follower, leader):
                gate.drop(answers=broker == follower)

    def send(self, broker: int, message: Message, answer: Message, version: int, values: dict[str, Any]) -> dict[str, Any]:
        """Send a request to a broker, as its controller or a client does, over one connection, and read the answer."""
        self.correlation += 1
        frame = request_frame(message, version, self.correlation, "highwater", values)
        connection = self.connections.get(broker)
        try:
            if connection is None:
                connection = socket.create_connection(self.addresses[broker], 10)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.settimeout(self.answer_seconds)
                self.connections[broker] = connection
            connection.sendall(frame)
            payload = read_frame(connection)
        except OSError as error:
            close(self.connections.pop(broker, None))
            raise BrokerError(f"broker {broker} does not answer: {error}") from None
        if payload is None:
            close(self.connections.pop(broker, None))
            raise BrokerError(f"broker {broker} closes the connection instead of answering")
        return decode(answer, version, response_body(message, version, payload)[1])
