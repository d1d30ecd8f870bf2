"""An acknowledged record is lost under Kafka's own controller, by two crashes and two late messages.

    python tests/brokers/real_controller.py 3.9.1

Three brokers of one release, AR [0, 1, 2], acks=all, min.insync.replicas=2, unclean elections off. Broker 0 is the
preferred leader and the controller. Each broker advertises a proxy, which can delay what is sent to it; nothing is
changed or made up, and nothing but two requests of followers and one of the controller is delayed.
"""

import contextlib
import json
import logging
import shutil
import socket
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from highwater.traces.brokers.artifacts import jars_of
from highwater.traces.brokers.cluster import HOSTS, ZOOKEEPER, await_zookeeper
from highwater.traces.brokers.disk import read_checkpoint
from highwater.traces.brokers.gate import close
from highwater.traces.brokers.process import LOG4J, Process, free_port, launcher
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.requests import FETCH, LEADER_AND_ISR
from highwater.traces.brokers.session_password import password
from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError
from real import BehindProxies, say
from real import eventually as in_time

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
eventually = partial(in_time, ignored=NoNodeError)


class Brokers(BehindProxies):
    """Three brokers behind proxies, and their ZooKeeper."""

    def __init__(self, release):
        logging.getLogger("kazoo").setLevel(logging.CRITICAL)
        super().__init__(release, {broker: free_port() for broker in range(3)})
        self.folder = Path(tempfile.mkdtemp(prefix="highwater-controller-"))
        self.classes = [str(launcher(release.shims)), f"{jars_of(release)}/libs/*"]
        self.up = {}
        (self.folder / "log4j.properties").write_text(LOG4J)
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

    def data(self, node):
        return self.folder / f"broker{node}" / "data"

    def high_watermark(self, broker):
        self.up[broker].order("checkpoint")
        return read_checkpoint(self.data(broker)).get((TOPIC, 0))

    def end(self):
        for one in [*self.up.values(), self.zookeeper]:
            one.kill()
        self.close()
        self.store.stop()
        self.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def schedule(brokers):
    """The whole schedule; what is on the disks of brokers 1 and 2 in the end, and the answer to the producer."""
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
        brokers.await_held(1, f"broker-{follower}-fetcher-0")
    producer = brokers.produce(1, TOPIC)
    eventually("broker 1 appends x", lambda: brokers.log(1, TOPIC) != "nothing")
    while brokers.log(2, TOPIC) == "nothing":
        brokers.pass_one(1, "broker-2-fetcher-0")
        time.sleep(0.1)
    brokers.pass_one(1, "broker-2-fetcher-0")
    assert brokers.answer(producer) is None and brokers.high_watermark(1) == 0
    say("2. broker 1 has x, broker 2 has fetched it and broker 1 knows; broker 0 has not: x is not committed")

    brokers.held.add((1, LEADER_AND_ISR, "0"))
    brokers.store.ensure_path("/admin")
    election = {"version": 1, "partitions": [{"topic": TOPIC, "partition": 0}]}
    brokers.store.create("/admin/preferred_replica_election", json.dumps(election).encode())
    eventually("broker 0 is elected", brokers.leads(0, [0, 1, 2]))
    brokers.await_held(1, "0")  # the controller's command to broker 1 is on its way
    eventually("broker 2 cuts x", lambda: brokers.log(2, TOPIC) == "nothing")
    say(f"3. broker 0 is elected: {brokers.state()}; broker 2 follows it and cuts x; the command to broker 1 is on its way")

    brokers.crash(0)
    eventually("broker 1 is elected", brokers.leads(1, [1, 2]))
    answer = eventually("x is acknowledged", lambda: (brokers.answer(producer) or (1,))[0] == 0 and "error 0")
    close(producer)
    say(f"4. broker 0 crashes; broker 1 is elected: {brokers.state()}")
    say(f"5. the producer is answered: {answer}; high watermark of broker 1: {brokers.high_watermark(1)};"
        f" broker 1 has {brokers.log(1, TOPIC)}, broker 2 has {brokers.log(2, TOPIC)}")  # fmt: skip
    for line in (brokers.folder / "broker1" / "server.log").read_text().splitlines():
        if "is unavailable" in line and "cannot become follower" in line:
            say(f"   broker 1 logs: {line.split('] ', 1)[1][:160]}")
            break

    brokers.crash(1)
    eventually("broker 2 is elected", brokers.leads(2, [2]))
    time.sleep(0.5)
    say(f"6. broker 1 crashes; broker 2 is elected, of the ISR: {brokers.state()}; it has {brokers.log(2, TOPIC)}")
    return brokers.log(1, TOPIC), brokers.log(2, TOPIC), answer


if __name__ == "__main__":
    with contextlib.ExitStack() as stack:
        cluster = Brokers(release_named(sys.argv[1]))
        stack.callback(cluster.end)
        print(schedule(cluster))
