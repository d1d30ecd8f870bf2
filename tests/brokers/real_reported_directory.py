"""apache/kafka#20716: a report of a replica's directory makes nobody eligible, and a log that lost its records leads.

    python tests/brokers/real_reported_directory.py 4.2.1
    python tests/brokers/real_reported_directory.py 4.2.1 --control

Kafka's own controller and brokers; broker 0 has two log directories. min.insync.replicas=2, unclean elections off, eligible
leader replicas on. A record is acknowledged with acks=all, and brokers 0 and 1 have it. Broker 1 shuts down and is eligible. An
operator moves broker 0's replica to its other directory (kafka-reassign-partitions sends the same request), which broker 0
reports to the controller. Then it is killed (kill -9), and its segment is emptied: what was not flushed is gone. It comes back
first, then broker 1, whose disk has the record. Is it on any disk in the end?
--control: the replica is not moved.

Exits with 0 when every run ended as expected: 4.0 to 4.2 lose the record; 4.3 and later, and the control, do not.
"""

import signal
from functools import partial

from highwater.traces.brokers.compare import log_text
from highwater.traces.brokers.disk import read_directory
from highwater.traces.brokers.kraft_nodes import META, kafka_uuid
from highwater.traces.brokers.releases import release_named
from kraft_cluster import QUIET, SOON, KraftCluster
from real import LOST, SAFE, SECONDS, end_with, eventually, parser_of, say, take_runs

ALTER_REPLICA_LOG_DIRS = 34


class TwoDirectories(KraftCluster):
    """The cluster, in which broker 0 has a second log directory, `other`."""

    def __init__(self, release):
        super().__init__(release, proxies=False, elr=True if release.elr else None, more=QUIET + SOON)
        self.other = self.data(0).parent / "other"
        self.other.mkdir(parents=True)
        (self.other / "meta.properties").write_text(META.format(cluster=self.nodes.cluster, node=0, directory=kafka_uuid()))
        self.nodes.more[0] += f"log.dirs={self.data(0)},{self.other}\n"

    def place(self, topic):
        """The directory of broker 0 in which the replica lies."""
        [found] = [d for d in (self.data(0), self.other) if (d / f"{topic}-0").exists()]
        return found

    def text_in(self, directory, topic):
        """A replica's log as a directory has it."""
        entries = read_directory(directory, topic, 0).entries
        return log_text([(e.offset, e.batch, e.epoch) for e in entries], self.release.magic >= 2)

    def begin_move(self, topic):
        """Ask broker 0 to move its replica; from where, and where to."""
        source = self.place(topic)
        target = self.data(0) if source == self.other else self.other
        one = {"Path": str(target), "Topics": [{"Name": topic, "Partitions": [0]}]}
        got = self.ask(0, ALTER_REPLICA_LOG_DIRS, {"Dirs": [one]})
        assert got["Results"][0]["Partitions"][0]["ErrorCode"] == 0, got
        return source, target

    def move(self, topic):
        """Move broker 0's replica to its other directory; where it lies once it has moved."""
        source, target = self.begin_move(topic)
        eventually("the replica has moved", lambda: (target / f"{topic}-0").exists() and not (source / f"{topic}-0").exists())
        return target

    def reported(self, topic):
        """The directories of the replicas, by each record of the controller that names them, oldest first."""
        log = self.metadata()
        ids = {w.values["TopicId"] for w in log if w.name == "TopicRecord" and w.values["Name"] == topic}
        changes = [w.values for w in log if w.name == "PartitionChangeRecord" and w.values["TopicId"] in ids]
        return [values["Directories"] for values in changes if values["Directories"]]

    def led(self, topic):
        """Who leads, by the metadata log."""
        state = self.state(topic)
        return f"leader {state.leader}, epoch {state.leader_epoch}, ISR {list(state.isr)}, eligible {list(state.elr)}"

    def created(self, topic, replicas, min_isr):
        """Create the topic, and wait until broker 0 leads and has reported where its replica lies."""
        self.create(topic, replicas, {"min.insync.replicas": str(min_isr)})
        self.elected(topic, 0, 0, replicas)
        eventually("broker 0 leads", lambda: self.leads(0, topic, 0))
        eventually("broker 0 has reported where the replica lies", lambda: self.reported(topic))

    def kill_leader(self, topic):
        """kill -9 of broker 0, and its fencing."""
        self.nodes.kill(0)
        eventually("the partition has no leader", lambda: self.state(topic).leader == -1)


def take(c, topic, moves):
    """One run, with a topic of its own; how it ended."""
    since = len(c.metadata())
    c.created(topic, [0, 1], 2)
    answer = c.acknowledged(0, topic)
    eventually("both have a", lambda: [c.text_in(c.place(topic), topic), c.log(1, topic)] == ["0a", "0a"])
    say(f"1. a is acknowledged (error, offset): {answer}, and on both disks")
    c.signal(1, signal.SIGTERM)
    c.elected(topic, 0, 0, [0])
    c.nodes.up[1].child.wait(SECONDS)
    c.nodes.kill(1)
    say(f"2. broker 1 shuts down: {c.led(topic)}")
    if moves:
        known = len(c.reported(topic))
        where = c.move(topic)
        eventually("broker 0 reports it", lambda: len(c.reported(topic)) > known)
        say(f"3. broker 0's replica moves to {where.name}, which it reports: {c.led(topic)}")
    c.kill_leader(topic)
    [segment] = (c.place(topic) / f"{topic}-0").glob("*.log")
    segment.write_bytes(b"")
    say(f"4. broker 0 is killed, and what it had not flushed is gone: {c.led(topic)}; broker 1 has {c.log(1, topic)!r}")
    c.start(0)
    say(f"5. broker 0 is back: {c.led(topic)}")
    c.start(1)
    eventually("both are in the ISR", lambda: c.isr(topic) == [0, 1])
    answer = c.acknowledged(c.state(topic).leader, topic, 2)
    logs = [c.text_in(c.place(topic), topic), c.log(1, topic)]
    say(f"6. broker 1 is back: {c.led(topic)}; y is acknowledged (error, offset): {answer}; logs {logs}")
    for line in c.written(since):
        say(f"   metadata {line[:230]}")
    c.delete(topic)
    return LOST if answer == (0, 0) and not any("a" in log for log in logs) else SAFE


def main(arguments):
    parser = parser_of(__doc__, "4.0 or later")
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.elr:
        parser.error("a release from 4.0 on, which has eligible leader replicas")
    expected = LOST if release.name < "4.3" and not options.control else SAFE
    about = f"{release.name} control {options.control}"
    started = partial(TwoDirectories.started, release)
    return take_runs(options.runs, started, partial(take, moves=not options.control), expected, about)


if __name__ == "__main__":
    end_with(main)
