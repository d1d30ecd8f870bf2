"""The processes of a cluster under KRaft: configuration, identity and log of each node.

The controller may be Kafka's own (node 100) or a program; brokers only know an address.
"""

import base64
import uuid
from collections.abc import Iterable
from pathlib import Path

from .process import LOG4J, Process, free_port, launcher
from .releases import Release

CONTROLLER = 100
"""The node id of the controller."""

COMMON = """process.roles={role}
node.id={node}
controller.quorum.voters=100@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={folder}/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
"""
OF_CONTROLLER = """listeners=CONTROLLER://127.0.0.1:{port}
advertised.listeners=CONTROLLER://127.0.0.1:{front}
"""
OF_BROKER = """listeners=PLAINTEXT://127.0.0.1:{port}
advertised.listeners=PLAINTEXT://127.0.0.1:{front}
inter.broker.listener.name=PLAINTEXT
"""
META = "version=1\ncluster.id={cluster}\nnode.id={node}\ndirectory.id={directory}\n"

TRACED = ("kafka.cluster.Partition", "kafka.cluster.Replica", "org.apache.kafka.server.replica.Replica")
"""Whose lines show how a leader begins its term: what it keeps of its followers, how its high watermark rises."""
DEBUGGED = ("org.apache.kafka.image.loader",)

LOG4J2 = """appender.file.type=File
appender.file.name=file
appender.file.fileName=${sys:highwater.log}
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=INFO
rootLogger.appenderRef.file.ref=file
"""


def kafka_uuid() -> str:
    """A random UUID as Kafka writes it; one that begins with a dash would be taken for an option."""
    text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    return kafka_uuid() if text.startswith("-") else text


class Nodes:
    """The nodes of one cluster. `ports` is where each listens, `fronts` where the others look for it, `more` its settings."""

    def __init__(self, release: Release, jars: Path, folder: Path, fronts: dict[int, int], more: dict[int, str]) -> None:
        self.release, self.folder, self.fronts, self.more = release, folder, fronts, more
        self.classes = [str(launcher(False)), f"{jars}/libs/*"]
        self.cluster = kafka_uuid()
        self.ports: dict[int, int] = {}
        self.add(fronts)
        self.up: dict[int, Process] = {}
        levels = {**dict.fromkeys(TRACED, "TRACE"), **dict.fromkeys(DEBUGGED, "DEBUG")}
        if release.zookeeper:
            self.logging = "log4j.configuration", "file:"
            text = LOG4J + "".join(f"log4j.logger.{name}={level}\n" for name, level in levels.items())
        else:
            self.logging = "log4j2.configurationFile", ""
            text = LOG4J2 + "".join(
                f"logger.a{i}.name={name}\nlogger.a{i}.level={level}\n" for i, (name, level) in enumerate(levels.items())
            )
        (folder / "log4j.properties").write_text(text)

    def add(self, nodes: Iterable[int]) -> None:
        """Choose a port for each; it is also what others look for, unless they are given a front."""
        for node in nodes:
            self.ports[node] = free_port()
            self.fronts.setdefault(node, self.ports[node])

    def data(self, node: int) -> Path:
        """A node's log folder."""
        return self.folder / f"node{node}" / "data"

    def log(self, node: int) -> Path:
        """What a node has logged."""
        return self.folder / f"node{node}" / "server.log"

    def write(self, node: int) -> Path:
        """A node's configuration; its identity too, when it is a broker's. Kafka's own tool makes that of a controller."""
        folder = self.folder / f"node{node}"
        folder.mkdir(exist_ok=True)
        controller = node == CONTROLLER
        text = (COMMON + (OF_CONTROLLER if controller else OF_BROKER)).format(
            role="controller" if controller else "broker", node=node, folder=folder, port=self.ports[node],
            front=self.fronts[node], controller=self.fronts[CONTROLLER],
        )  # fmt: skip
        (folder / "server.properties").write_text(text + self.more.get(node, ""))
        if not controller and not self.data(node).exists():
            self.data(node).mkdir()
            meta = META.format(cluster=self.cluster, node=node, directory=kafka_uuid())
            (self.data(node) / "meta.properties").write_text(meta)
        return folder / "server.properties"

    def start(self, node: int, kind: str = "broker") -> None:
        """Start a node's process; `up[node].wait_ready()` waits until it serves, or, if it is `registering`, takes orders."""
        config = self.write(node)
        name, scheme = self.logging
        settings = {"highwater.log": str(self.log(node)), name: f"{scheme}{self.folder}/log4j.properties"}
        self.up[node] = Process(kind, config, self.log(node), self.classes, settings)

    def kill(self, node: int) -> None:
        """kill -9."""
        self.up.pop(node).kill()

    def end(self) -> None:
        """End every process."""
        for node in list(self.up):
            self.kill(node)
