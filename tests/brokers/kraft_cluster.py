"""Three brokers and a controller of Kafka's own, under KRaft; what the controller decided is read from its metadata log."""

import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from highwater.traces.brokers.artifacts import jars_of
from highwater.traces.brokers.compare import memory_of
from highwater.traces.brokers.kraft_nodes import CONTROLLER, Nodes
from highwater.traces.brokers.metadata_log import LogFile, partition_in
from highwater.traces.brokers.process import MEMORY, java
from highwater.traces.brokers.requests import FETCH
from highwater.traces.brokers.schemas import schemas_in
from highwater.traces.brokers.wire import decode, read_frame, request_frame, response_body
from real import SECONDS, BehindProxies, NotSeen, eventually

METADATA, CREATE_TOPICS, DELETE_TOPICS, ELECT_LEADERS, REASSIGN = 3, 19, 20, 43, 45
BROKERS = (0, 1, 2)
CONSUMER = -1
ELR = "eligible.leader.replicas.version"

QUIET = "log.cleaner.enable=false\nauto.leader.rebalance.enable=false\n"
FOREVER = "log.retention.ms=-1\n"
SOON = "broker.heartbeat.interval.ms=500\nbroker.session.timeout.ms=6000\n"
"""A broker that was killed or is paused is noticed sooner than by default."""
PATIENT = f"{SOON}replica.lag.time.max.ms=600000\nreplica.fetch.wait.max.ms=50\n"
"""Nor is a follower late because the machine is busy."""
HIDDEN = ("PartitionId", "TopicId", "Directories")
"""Fields of records that say nothing here."""


class KraftCluster(BehindProxies):
    """The cluster. `proxies`: each node advertises one; else nodes reach each other directly, at Kafka's default timeouts."""

    def __init__(self, release, proxies=True, elr=None, more=""):
        self.folder = Path(tempfile.mkdtemp(prefix="highwater-kraft-"))
        libs = jars_of(release) / "libs"
        nodes = (*BROKERS, CONTROLLER)
        self.schemas = schemas_in(libs)
        settings = more or (QUIET + (PATIENT if proxies else ""))
        self.nodes = Nodes(release, libs.parent, self.folder, dict.fromkeys(nodes, 0), dict.fromkeys(nodes, settings))
        super().__init__(release, self.nodes.ports)
        self.nodes.fronts = {node: front.port if proxies else self.ports[node] for node, front in self.fronts.items()}
        self.controller_log = LogFile(self.schemas, self.data(CONTROLLER))
        self.tools = [java(), *MEMORY, "-cp", f"{libs}/*"]
        self.format({} if elr is None else {ELR: int(elr)})

    @classmethod
    def started(cls, release, **how):
        """A new cluster whose nodes all serve."""
        cluster = cls(release, **how)
        try:
            cluster.start(CONTROLLER, *BROKERS)
        except BaseException:
            cluster.end()
            raise
        return cluster

    def format(self, features):
        """Kafka's own tool gives the controller's folder an identity; brokers get the same by hand."""
        config = self.nodes.write(CONTROLLER)
        words = [word for name, level in features.items() for word in ("--feature", f"{name}={level}")]
        tool = ["kafka.tools.StorageTool", "format", "-t", self.nodes.cluster, "-c", str(config), *words]
        done = subprocess.run([*self.tools, *tool], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self, *nodes):
        """Start nodes, and wait until the controller has unfenced the brokers among them, and every broker knows."""
        for node in nodes:
            self.nodes.start(node)
        for node in nodes:
            self.nodes.up[node].wait_ready()
        live = sorted(node for node in self.nodes.up if node != CONTROLLER)
        eventually(f"all of {live} know all of {live}", lambda: all(self.live(b) == live for b in live), ignored=OSError)

    def signal(self, broker, number):
        self.nodes.up[broker].child.send_signal(number)

    def pause(self, *brokers):
        for broker in brokers:
            self.signal(broker, signal.SIGSTOP)

    def resume(self, *brokers):
        for broker in brokers:
            self.signal(broker, signal.SIGCONT)

    def data(self, node):
        return self.nodes.data(node)

    def end(self):
        self.nodes.end()
        self.close()

    # Requests.

    def ask(self, broker, key, values, version=None):
        """A client's request; brokers forward to the controller what is its business."""
        request, answer = self.schemas.requests[key], self.schemas.responses[key].message
        version = request.last if version is None else version
        with socket.create_connection(("127.0.0.1", self.ports[broker]), 10) as connection:
            connection.settimeout(SECONDS)
            connection.sendall(request_frame(request.message, version, 1, "harness", values))
            payload = read_frame(connection)
        if payload is None:
            raise OSError(f"broker {broker} closes the connection")
        return decode(answer, version, response_body(request.message, version, payload)[1])

    def live(self, broker):
        """The brokers that a broker knows as live."""
        return sorted(b["NodeId"] for b in self.ask(broker, METADATA, {"Topics": []}, 12)["Brokers"])

    def create(self, topic, replicas, settings, partitions=1):
        """Create a topic whose partitions all have these replicas; the first is the leader."""
        assigned = [{"PartitionIndex": p, "BrokerIds": replicas} for p in range(partitions)]
        configs = [{"Name": name, "Value": value} for name, value in settings.items()]
        one = {"Name": topic, "NumPartitions": -1, "ReplicationFactor": -1, "Assignments": assigned, "Configs": configs}
        got = self.ask(2, CREATE_TOPICS, {"Topics": [one], "timeoutMs": 60_000}, 5)["Topics"][0]
        assert got["ErrorCode"] == 0, got

    def delete(self, topic):
        self.ask(2, DELETE_TOPICS, {"TopicNames": [topic], "TimeoutMs": 60_000}, 5)

    def reassign(self, topic, replicas, via=2):
        """Other replicas, or None: cancel a move; another order of the same is another preferred leader, and no leader epoch."""
        one = {"Name": topic, "Partitions": [{"PartitionIndex": 0, "Replicas": replicas}]}
        got = self.ask(via, REASSIGN, {"TimeoutMs": 60_000, "Topics": [one]}, 0)
        assert got["ErrorCode"] == 0 and got["Responses"][0]["Partitions"][0]["ErrorCode"] == 0, got

    def elect_preferred(self, topic):
        one = {"Topic": topic, "Partitions": [0]}
        got = self.ask(2, ELECT_LEADERS, {"ElectionType": 0, "TopicPartitions": [one], "TimeoutMs": 60_000}, 2)
        assert got["ReplicaElectionResults"][0]["PartitionResult"][0]["ErrorCode"] == 0, got

    def consume(self, broker, topic):
        """What a consumer gets at a broker: (error, high watermark)."""
        part = {"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1 << 20}
        values = {"ReplicaId": CONSUMER, "MaxWaitMs": 0, "MinBytes": 0, "Topics": [{"Topic": topic, "Partitions": [part]}]}
        got = self.ask(broker, FETCH, values, 11)["Responses"][0]["Partitions"][0]
        return got["ErrorCode"], got["HighWatermark"]

    # What the controller has decided, and what a leader knows.

    def metadata(self):
        return self.controller_log.read()

    def states(self, topic):
        """Every state of the partition, as the metadata log has it."""
        return partition_in(self.metadata(), topic)

    def state(self, topic):
        return self.states(topic)[-1]

    def isr(self, topic):
        return sorted(self.state(topic).isr)

    def written(self, since, *more):
        """The records about partitions and registrations, and of `more` kinds, from a place of the metadata log on, as lines."""
        for one in self.metadata()[since:]:
            if one.name.startswith(("Partition", "BrokerRegistrationChange", *more)):
                told = {k: v for k, v in one.values.items() if k not in HIDDEN and v not in (None, [], -1)}
                yield f"{one.offset} {one.name} {told}"

    def elected(self, topic, leader, epoch, isr):
        """Wait until the controller has decided so; NotSeen when it decides something else."""

        def found():
            states = self.states(topic)
            if not states or states[-1].leader_epoch < epoch:
                return False
            last = states[-1]
            if last.leader_epoch > epoch or last.leader != leader:
                raise NotSeen(f"the controller elects {last.leader} in epoch {last.leader_epoch}, not {leader} in epoch {epoch}")
            return sorted(last.isr) == isr

        return eventually(f"leader {leader}, epoch {epoch}, ISR {isr} in the metadata log", found)

    def leads(self, broker, topic, epoch):
        """The broker has obeyed the decision of this epoch, by which it leads."""
        memory = memory_of(self.nodes.up[broker].order(f"inspect {topic} 0"))
        return memory is not None and (memory.leader, memory.epoch) == (broker, epoch)

    def known_end(self, leader, follower, topic):
        """The follower's log end offset as the leader knows it; -1 before its first fetch."""
        memory = memory_of(self.nodes.up[leader].order(f"inspect {topic} 0"))
        return memory.ends.get(follower, -1) if memory else -1

    def lines(self, broker, *words, before=""):
        """The lines of a broker's log that have all these words, up to the last line that has the words `before`."""
        text = self.nodes.log(broker).read_text(errors="replace").splitlines()
        if before:
            text = text[: max((n for n, line in enumerate(text) if before in line), default=0)]
        return [line for line in text if all(word in line for word in words)]
