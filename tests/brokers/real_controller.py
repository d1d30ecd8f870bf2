"""An acknowledged record is lost under Kafka's own controller, by two crashes and two late messages.

    python tests/brokers/real_controller.py 3.9.1

Three brokers of one release, AR [0, 1, 2], acks=all, min.insync.replicas=2, unclean elections off. Broker 0 is the
preferred leader and the controller. Each broker advertises a proxy, which can delay what is sent to it; nothing is
changed or made up, and nothing but two requests of followers and one of the controller is delayed.
"""

import contextlib
import json
import logging
import select
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

from highwater.traces.brokers.artifacts import jars_of
from highwater.traces.brokers.cluster import HOSTS, LOG, ZOOKEEPER, await_zookeeper
from highwater.traces.brokers.compare import log_text
from highwater.traces.brokers.disk import build_batch, read_checkpoint, read_directory
from highwater.traces.brokers.gate import Gate, close
from highwater.traces.brokers.process import Process, launcher
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.requests import FETCH, LEADER_AND_ISR, Produce, ProduceAnswer
from highwater.traces.brokers.session_password import password
from highwater.traces.brokers.wire import decode, read_frame, request_frame, response_body
from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError

TOPIC = "t"
STATE = f"/brokers/topics/{TOPIC}/partitions/0/state"
PROPERTIES = """broker.id={broker}
listeners=PLAINTEXT://127.0.0.1:{port}
advertised.listeners=PLAINTEXT://127.0.0.1:{front}
log.dirs={folder}/data
zookeeper.connect=localhost:{store}
zookeeper.session.timeout.ms=600000
zookeeper.connection.timeout.ms=60000
replica.lag.time.max.ms=600000
replica.fetch.wait.max.ms=50
unclean.leader.election.enable=false
auto.leader.rebalance.enable=false
controlled.shutdown.enable=false
auto.create.topics.enable=false
offsets.topic.replication.factor=1
log.cleaner.enable=false
num.io.threads=4
"""
SECONDS = 60


def eventually(what, found):
    """Wait for something that Kafka does; its value."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(NoNodeError):
            value = found()
            if value:
                return value
        time.sleep(0.02)
    raise AssertionError(f"not within {SECONDS} seconds: {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Brokers:
    """Three brokers behind proxies, and their ZooKeeper."""

    def __init__(self, release):
        logging.getLogger("kazoo").setLevel(logging.CRITICAL)
        self.release, self.folder = release, Path(tempfile.mkdtemp(prefix="highwater-controller-"))
        self.classes = [str(launcher(release.shims)), f"{jars_of(release)}/libs/*"]
        self.up, self.held = {}, set()
        self.ports = {broker: free_port() for broker in range(3)}
        self.fronts = {broker: Gate(lambda b=broker: ("127.0.0.1", self.ports[b]), self.holds(broker)) for broker in range(3)}
        (self.folder / "log4j.properties").write_text(LOG)
        (self.folder / "hosts").write_text(HOSTS.format(name=socket.gethostname()))
        (self.folder / "zookeeper").mkdir()
        self.store_port = free_port()
        config = self.folder / "zookeeper" / "zoo.cfg"
        config.write_text(ZOOKEEPER.format(folder=config.parent, port=self.store_port))
        self.zookeeper = self.process("zookeeper", config)
        self.zookeeper.wait_ready()
        await_zookeeper(self.store_port)
        self.store = KazooClient(f"127.0.0.1:{self.store_port}", timeout=600)
        self.store.start(timeout=60)

    def holds(self, broker):
        return lambda request: (broker, request.key, request.client) in self.held

    def process(self, kind, config):
        settings = {
            "highwater.log": str(config.parent / "server.log"),
            "log4j.configuration": f"file:{self.folder}/log4j.properties",
            "zookeeper.forceSync": "no",
        }
        if self.release.hosts_file:
            settings["jdk.net.hosts.file"] = str(self.folder / "hosts")
        return Process(kind, config, config.parent / "server.log", self.classes, settings)

    def start(self, broker):
        folder = self.folder / f"broker{broker}"
        folder.mkdir(exist_ok=True)
        config = folder / "server.properties"
        config.write_text(
            PROPERTIES.format(
                broker=broker, port=self.ports[broker], front=self.fronts[broker].port, folder=folder, store=self.store_port
            )
        )
        self.up[broker] = self.process("broker", config)
        self.up[broker].wait_ready()

    def crash(self, broker):
        """kill -9, and the session ends as after its timeout."""
        _, stat = self.store.get(f"/brokers/ids/{broker}")
        self.up.pop(broker).kill()
        session = stat.ephemeralOwner
        thief = KazooClient(f"127.0.0.1:{self.store_port}", timeout=60, client_id=(session, password(session)))
        with contextlib.suppress(KazooException):
            thief.start(timeout=10)
            thief.stop()
        thief.close()

    def json(self, path):
        return json.loads(self.store.get(path)[0])

    def state(self):
        node = self.json(STATE)
        return node["leader"], node["leader_epoch"], sorted(node["isr"])

    def leads(self, leader, isr):
        return lambda: self.state()[0] == leader and self.state()[2] == sorted(isr) and self.state()

    def pass_one(self, leader, follower):
        """One fetch of a follower, and its answer."""
        front = self.fronts[leader]
        request = front.pending(SECONDS, f"broker-{follower}-fetcher-0")
        assert request is not None, f"broker {follower} fetches from broker {leader}"
        front.let_request(request, SECONDS)
        front.let_answer(request)

    def log(self, broker):
        found = read_directory(self.folder / f"broker{broker}" / "data", TOPIC, 0)
        return log_text([(e.offset, e.batch, e.epoch) for e in found.entries], self.release.magic >= 2)

    def high_watermark(self, broker):
        self.up[broker].order("checkpoint")
        return read_checkpoint(self.folder / f"broker{broker}" / "data").get((TOPIC, 0))

    def end(self):
        for one in [*self.up.values(), self.zookeeper]:
            one.kill()
        for front in self.fronts.values():
            front.close()
        self.store.stop()
        self.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def produce(brokers, leader):
    """A producer's record with acks=all; the connection on which it waits for the acknowledgement."""
    version = brokers.release.versions[3]
    records = build_batch(1, 1, brokers.release.magic)
    topics = [{"topic": TOPIC, "partitions": [{"partition": 0, "records": records}]}]
    values = {"transactional_id": None, "acks": -1, "timeout": 600_000, "topics": topics}
    connection = socket.create_connection(("127.0.0.1", brokers.ports[leader]), 10)
    connection.sendall(request_frame(Produce, version, 1, "producer", values))
    return connection


def acknowledged(brokers, connection):
    """The error code of the answer, 0 for none; None while there is no answer."""
    if not select.select([connection], [], [], 0)[0]:
        return None
    answer = decode(ProduceAnswer, brokers.release.versions[3], response_body(Produce, 3, read_frame(connection))[1])
    return answer["topics"][0]["partitions"][0]["error"]


def reproduce(release, say=print):
    """The whole schedule; what is on the disks of brokers 1 and 2 in the end, and the answer to the producer."""
    brokers = Brokers(release)
    try:
        return schedule(brokers, say)
    finally:
        brokers.end()


def schedule(brokers, say):
    for broker in (1, 2):
        brokers.start(broker)
    brokers.store.ensure_path("/config/topics")
    settings = {"version": 1, "config": {"min.insync.replicas": "2"}}
    brokers.store.create(f"/config/topics/{TOPIC}", json.dumps(settings).encode())
    brokers.store.create(f"/brokers/topics/{TOPIC}", json.dumps({"version": 1, "partitions": {"0": [0, 1, 2]}}).encode())
    eventually("broker 1 leads", brokers.leads(1, [1, 2]))
    brokers.start(0)
    eventually("broker 0 joins the ISR", brokers.leads(1, [0, 1, 2]))
    while brokers.json("/controller")["brokerid"] != 0:
        with contextlib.suppress(NoNodeError):
            brokers.store.delete("/controller")
        eventually("there is a controller", lambda: brokers.json("/controller"))
        time.sleep(0.5)
    time.sleep(2)
    say(f"1. broker 1 leads, broker 0 is the controller: {brokers.state()}")

    brokers.held |= {(1, FETCH, "broker-0-fetcher-0"), (1, FETCH, "broker-2-fetcher-0")}
    for follower in (0, 2):
        assert brokers.fronts[1].pending(SECONDS, f"broker-{follower}-fetcher-0")
    producer = produce(brokers, 1)
    eventually("broker 1 appends x", lambda: brokers.log(1) != "nothing")
    while brokers.log(2) == "nothing":
        brokers.pass_one(1, 2)
        time.sleep(0.1)
    brokers.pass_one(1, 2)
    assert acknowledged(brokers, producer) is None and brokers.high_watermark(1) == 0
    say("2. broker 1 has x, broker 2 has fetched it and broker 1 knows; broker 0 has not: x is not committed")

    brokers.held.add((1, LEADER_AND_ISR, "0"))
    brokers.store.ensure_path("/admin")
    election = {"version": 1, "partitions": [{"topic": TOPIC, "partition": 0}]}
    brokers.store.create("/admin/preferred_replica_election", json.dumps(election).encode())
    eventually("broker 0 is elected", brokers.leads(0, [0, 1, 2]))
    assert brokers.fronts[1].pending(SECONDS, "0"), "the controller's command to broker 1 is on its way"
    eventually("broker 2 cuts x", lambda: brokers.log(2) == "nothing")
    say(f"3. broker 0 is elected: {brokers.state()}; broker 2 follows it and cuts x; the command to broker 1 is on its way")

    brokers.crash(0)
    eventually("broker 1 is elected", brokers.leads(1, [1, 2]))
    answer = eventually("x is acknowledged", lambda: acknowledged(brokers, producer) == 0 and "error 0")
    close(producer)
    say(f"4. broker 0 crashes; broker 1 is elected: {brokers.state()}")
    say(f"5. the producer is answered: {answer}; high watermark of broker 1: {brokers.high_watermark(1)};"
        f" broker 1 has {brokers.log(1)}, broker 2 has {brokers.log(2)}")  # fmt: skip
    for line in (brokers.folder / "broker1" / "server.log").read_text().splitlines():
        if "is unavailable" in line and "cannot become follower" in line:
            say(f"   broker 1 logs: {line.split('] ', 1)[1][:160]}")
            break

    brokers.crash(1)
    eventually("broker 2 is elected", brokers.leads(2, [2]))
    time.sleep(0.5)
    say(f"6. broker 1 crashes; broker 2 is elected, of the ISR: {brokers.state()}; it has {brokers.log(2)}")
    return brokers.log(1), brokers.log(2), answer


if __name__ == "__main__":
    print(reproduce(release_named(sys.argv[1])))
