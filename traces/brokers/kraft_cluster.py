"""Real brokers under KRaft whose controller is the run: processes, gates between them, the metadata log."""

import uuid
from collections.abc import Sequence
from pathlib import Path

from .gated import SETTINGS, GatedCluster
from .kraft_controller import KraftController
from .kraft_nodes import CONTROLLER, Nodes
from .process import BrokerError, Process
from .releases import Release
from .schemas import schemas_in

SECONDS = 60.0
OF_BROKER = f"{SETTINGS}broker.heartbeat.interval.ms=200\nrequest.timeout.ms=86400000\n"


class KraftCluster(GatedCluster):
    """`count` brokers of one release; `jars` is the folder that has `libs`."""

    answer_seconds = SECONDS

    def __init__(self, release: Release, jars: Path, count: int, folder: Path | None = None) -> None:
        super().__init__(release, count, folder)
        self.starting: set[int] = set()
        self.controller = KraftController(schemas_in(jars / "libs"), self.endpoint)
        self.nodes = Nodes(release, jars, self.folder, {}, dict.fromkeys(range(count), OF_BROKER))
        self.begin()

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
            self.add_gates(broker)
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

    def endpoint(self, reader: int, broker: int) -> int:
        """The port of `broker` that `reader` finds in the log: its own, or the gate to another broker."""
        return self.nodes.ports[broker] if reader == broker else self.gates[reader, broker].port

    def data(self, broker: int) -> Path:
        """A broker's log folder."""
        return self.nodes.data(broker)

    def kill(self, broker: int) -> None:
        """kill -9."""
        self.nodes.kill(broker)
        self.controller.forget_process(broker)
        self.cut_off(broker)

    def directories(self, brokers: Sequence[int]) -> list[uuid.UUID]:
        """Where each of them keeps its logs."""
        return [self.controller.directories[broker] for broker in brokers]

    def end_processes(self) -> None:
        """Brokers and the controller."""
        self.nodes.end()
        self.controller.close()
