"""A cluster of real brokers whose controller is the run: ZooKeeper, broker processes, gates between them.

`/controller` and `/controller_epoch` are there before the first broker starts, so that none of them becomes
controller. Every broker reaches ZooKeeper over a `Line`, and each follower each leader over a `Gate`: a broker is told
the others' addresses in UpdateMetadata, to each its own.
"""

import contextlib
import json
import logging
import socket
from pathlib import Path
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError, SessionExpiredError
from kazoo.handlers.threading import KazooTimeoutError

from .gate import Line
from .gated import SETTINGS, GatedCluster
from .process import LOG4J, BrokerError, Process, comes_true, free_port, launcher
from .releases import Release
from .session_password import password

CONTROLLER_ID = 1000
SETTLE_SECONDS = 20.0
ZOOKEEPER = """dataDir={folder}/data
clientPort={port}
clientPortAddress=127.0.0.1
tickTime=500
minSessionTimeout=1000
maxSessionTimeout=7200000
admin.enableServer=false
maxClientCnxns=0
"""
HOSTS = "127.0.0.1 localhost localhost/<unresolved> {name}\n"
"""ZooKeeper 3.4.13 takes a host's name from a text that Java writes as localhost/<unresolved> since version 14."""

BROKER = """broker.id={broker}
listeners=PLAINTEXT://127.0.0.1:0
advertised.listeners=PLAINTEXT://127.0.0.1:0
log.dirs={folder}/data
zookeeper.connect=localhost:{port}
zookeeper.session.timeout.ms=3600000
zookeeper.connection.timeout.ms=60000
auto.create.topics.enable=false
controlled.shutdown.enable=false
background.threads=2
log.segment.bytes=1048576
log.index.size.max.bytes=65536
offsets.topic.replication.factor=1
{same}"""


def await_zookeeper(port: int) -> None:
    """Until it answers. One that starts can accept a connection and never read it; a short session gives that up soon."""
    probe = KazooClient(f"127.0.0.1:{port}", timeout=2)
    try:
        probe.start(timeout=30)
    finally:
        probe.stop()
        probe.close()


class Cluster(GatedCluster):
    """ZooKeeper and `count` brokers of one release; `jars` is the folder that has `libs`."""

    def __init__(self, release: Release, jars: Path, count: int, folder: Path | None = None) -> None:
        super().__init__(release, count, folder)
        logging.getLogger("kazoo").setLevel(logging.CRITICAL)
        self.classes = [str(launcher(release.shims)), f"{jars}/libs/*"]
        self.running: dict[int, Process] = {}
        self.sessions: dict[int, int] = {}
        self.broker_epochs: dict[int, int] = {}
        self.zookeeper: Process | None = None
        self.store: Any = None
        self.lines: dict[int, Line] = {}
        self.begin()

    # Life.

    @property
    def brokers(self) -> dict[int, Process]:
        """Their processes."""
        return self.running

    def start(self) -> None:
        """The store, the controller's nodes, then all brokers at once."""
        (self.folder / "log4j.properties").write_text(LOG4J)
        (self.folder / "hosts").write_text(HOSTS.format(name=socket.gethostname()))
        self.start_zookeeper()
        self.take_office()
        for broker in range(self.count):
            (self.folder / f"broker{broker}").mkdir(exist_ok=True)
            self.lines[broker] = Line(lambda: ("127.0.0.1", self.store_port))
            self.add_gates(broker)
        for broker in range(self.count):
            self.launch(broker)
        for broker in range(self.count):
            self.await_broker(broker)

    def start_zookeeper(self) -> None:
        """On a port that is free now; another run may take it first, so it is tried again."""
        folder = self.folder / "zookeeper"
        folder.mkdir(exist_ok=True)
        for _ in range(5):
            self.store_port = free_port()
            config = folder / "zoo.cfg"
            config.write_text(ZOOKEEPER.format(folder=folder, port=self.store_port))
            self.zookeeper = self.process("zookeeper", config, {"zookeeper.forceSync": "no"})
            self.store = KazooClient(f"127.0.0.1:{self.store_port}", timeout=3600)
            with contextlib.suppress(BrokerError, KazooTimeoutError):
                self.zookeeper.wait_ready()
                await_zookeeper(self.store_port)
                self.store.start(timeout=30)
                return
            self.store.close()
            self.zookeeper.kill()
        raise BrokerError(f"ZooKeeper does not start; its log is in {folder}")

    def process(self, kind: str, config: Path, settings: dict[str, str]) -> Process:
        """A Java process with its log beside its configuration."""
        log = config.parent / "server.log"
        settings = {"highwater.log": str(log), "log4j.configuration": f"file:{self.folder}/log4j.properties", **settings}
        if self.release.hosts_file:
            settings["jdk.net.hosts.file"] = str(self.folder / "hosts")
        return Process(kind, config, log, self.classes, settings)

    def launch(self, broker: int) -> None:
        """Start a broker's process."""
        folder = self.folder / f"broker{broker}"
        text = BROKER.format(broker=broker, folder=folder, port=self.lines[broker].port, same=SETTINGS)
        if self.release.inter_broker:
            text += f"inter.broker.protocol.version={self.release.inter_broker}\n"
        (folder / "server.properties").write_text(text)
        self.brokers[broker] = self.process("broker", folder / "server.properties", {})

    def await_broker(self, broker: int) -> None:
        """Until it serves, and its node is in ZooKeeper."""
        self.brokers[broker].wait_ready()
        self.note_registration(broker)

    def note_registration(self, broker: int) -> None:
        """Read a broker's node: its address, its session, its broker epoch."""
        node = f"/brokers/ids/{broker}"
        if not comes_true(lambda: self.store.exists(node) is not None, SETTLE_SECONDS):
            raise BrokerError(f"broker {broker} does not register in ZooKeeper")
        data, stat = self.store.get(node)
        _, _, place = json.loads(data)["endpoints"][0].partition("://")
        host, _, port = place.rpartition(":")
        self.addresses[broker] = (host, int(port))
        self.sessions[broker] = stat.ephemeralOwner
        self.broker_epochs[broker] = stat.czxid

    def kill(self, broker: int) -> None:
        """kill -9."""
        self.brokers.pop(broker).kill()
        self.cut_off(broker)

    def dump(self) -> None:
        """Write what ZooKeeper holds of topics and brokers beside the brokers' folders, for who looks later."""
        nodes: dict[str, Any] = {"/brokers/ids": {"children": [int(b) for b in self.store.get_children("/brokers/ids")]}}
        waiting = ["/brokers/topics"]
        while waiting:
            path = waiting.pop()
            data, stat = self.store.get(path)
            if data:
                nodes[path] = {"data": json.loads(data), "version": stat.version}
            waiting += [f"{path}/{child}" for child in self.store.get_children(path)]
        (self.folder / "znodes.json").write_text(json.dumps(nodes, indent=1) + "\n")

    def end_processes(self) -> None:
        """Brokers, ZooKeeper, and the ways to it."""
        if self.kept and self.store is not None:
            with contextlib.suppress(KazooException, KazooTimeoutError):
                self.dump()
        for process in [*self.brokers.values(), *filter(None, [self.zookeeper])]:
            process.kill()
        for line in self.lines.values():
            line.close()
        if self.store is not None:
            with contextlib.suppress(KazooException):
                self.store.stop()
            self.store.close()

    def data(self, broker: int) -> Path:
        """A broker's log folder."""
        return self.folder / f"broker{broker}" / "data"

    # ZooKeeper.

    def take_office(self) -> None:
        """A new controller: the next controller epoch, and its name in `/controller`."""
        self.controller_epoch += 1
        node = {"version": 1, "brokerid": CONTROLLER_ID + self.controller_epoch, "timestamp": "1"}
        self.write("/controller_epoch", str(self.controller_epoch).encode())
        self.write("/controller", json.dumps(node).encode(), ephemeral=True)

    def write(self, path: str, data: bytes, version: int = -1, ephemeral: bool = False) -> None:
        """Create a node, or set it on condition of its version."""
        try:
            self.store.set(path, data, version=version)
        except NoNodeError:
            self.store.create(path, data, ephemeral=ephemeral, makepath=True)

    def read(self, path: str) -> tuple[Any, int] | None:
        """A node's JSON and version; None when it is not there."""
        try:
            data, stat = self.store.get(path)
        except NoNodeError:
            return None
        return (json.loads(data) if data else None), stat.version

    def expire(self, broker: int) -> None:
        """End a broker's session: someone connects with its id and password, and closes it.

        A broker that lives is cut off from ZooKeeper first, so that it does not hear of it until `reconnect`.
        """
        session = self.sessions[broker]
        if broker in self.brokers:
            self.lines[broker].hold()
        thief = KazooClient(f"127.0.0.1:{self.store_port}", timeout=60, client_id=(session, password(session)))
        with contextlib.suppress(SessionExpiredError, KazooTimeoutError):
            thief.start(timeout=10)
            thief.stop()
        thief.close()
        if not comes_true(lambda: self.store.exists(f"/brokers/ids/{broker}") is None, SETTLE_SECONDS):
            raise BrokerError(f"the session of broker {broker} does not expire")

    def reconnect(self, broker: int) -> None:
        """A broker reaches ZooKeeper again, hears that its session has expired, and registers anew."""
        self.lines[broker].release()
        self.note_registration(broker)

    # Requests to brokers.

    def controller_fields(self, broker: int, epoch: int, with_broker_epoch: bool) -> dict[str, Any]:
        """What every request of a controller begins with."""
        known = self.broker_epochs[broker] if with_broker_epoch else -1
        return {"controller_id": CONTROLLER_ID + epoch, "controller_epoch": epoch, "broker_epoch": known}

    def endpoint(self, reader: int, broker: int) -> tuple[str, int]:
        """The address of `broker` that `reader` gets: its own port, or the gate to another broker."""
        return self.addresses[broker] if reader == broker else ("127.0.0.1", self.gates[reader, broker].port)

    def live_brokers(self, reader: int) -> list[dict[str, Any]]:
        """The brokers of UpdateMetadata: all, so that a follower may be told to follow one that is down."""
        out = []
        for broker in range(self.count):
            host, port = self.endpoint(reader, broker)
            endpoint = {"port": port, "host": host, "listener": "PLAINTEXT", "security_protocol": 0}
            out.append({"id": broker, "endpoints": [endpoint], "rack": None})
        return out
