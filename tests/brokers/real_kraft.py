"""An acknowledged record is lost under KRaft: Kafka's own controller and brokers, unmodified jars.

    python tests/brokers/real_kraft.py 4.4.0
    python tests/brokers/real_kraft.py 4.4.0 --by pauses --runs 20
    python tests/brokers/real_kraft.py 4.4.0 --control none-held

Three brokers, acks=all, min.insync.replicas=2, unclean elections off. Broker 1 leads, broker 0 is the preferred leader.

--by metadata: proxies delay fetches of brokers 0 and 2, and the metadata fetch of broker 1; brokers 0 and 1 are killed.
--by pauses: no proxy and no crash. Brokers 0 and 1 are paused (SIGSTOP) for seconds and shut down (SIGTERM), at Kafka's
default timeouts.
--control: by metadata, but broker 1 hears of everything at once (none-held), or late and of one epoch at a time (each-epoch).

Exits with 0 when every run ended as expected: the record is lost, or in a control not lost.
"""

import shutil
import signal
import time
from pathlib import Path

from highwater.traces.brokers.disk import read_directory
from highwater.traces.brokers.gate import close
from highwater.traces.brokers.kraft_nodes import CONTROLLER
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.requests import FETCH
from kraft_cluster import BROKERS, KraftCluster
from real import LOST, SAFE, SECONDS, NotSeen, end_with, eventually, parser_of, say, take_runs
from unread import unread_bytes, unread_bytes_from

IN_TIME = "acknowledged, but broker 2 fetched it in time"
NOT_LEADER = 6
FETCHER_0, FETCHER_2, METADATA_1 = "broker-0-fetcher-0", "broker-2-fetcher-0", "raft-client-1"
EVIDENCE = ("Leader {}-0 with topic", "to Replica(replicaId=2, topic={},", "High watermark updated", "Truncating")
"""The lines of broker 1's log that show what happened, the last two of each kind, below the delta with which it leads again."""


class Run:
    """One run of the schedule, with a topic of its own."""

    def __init__(self, cluster, topic, options):
        self.c, self.topic, self.control = cluster, topic, options.control
        self.schedule = self.by_pauses if options.by == "pauses" else self.by_metadata
        self.producer = self.answer = None
        self.since = len(cluster.metadata())

    def log(self, broker):
        return self.c.log(broker, self.topic)

    def take(self, keep):
        """The whole run; how it ended."""
        self.c.create(self.topic, [1, 0, 2], {"min.insync.replicas": "2"})
        self.c.elected(self.topic, 1, 0, [0, 1, 2])
        self.c.reassign(self.topic, [0, 1, 2])
        eventually("broker 1 leads", lambda: self.c.leads(1, self.topic, 0))
        eventually("the replicas are [0, 1, 2]", lambda: self.c.state(self.topic).replicas == (0, 1, 2))
        say(f"1. broker 1 leads {self.topic} in epoch 0; ISR [0, 1, 2], replicas [0, 1, 2]")
        self.schedule()
        result = self.ended_in_control() if self.control else self.ended()
        self.evidence(keep)
        close(self.producer)
        self.c.delete(self.topic)
        return result

    # By delays of messages, and crashes.

    def by_metadata(self):
        c = self.c
        c.held |= {(1, FETCH, FETCHER_0), (1, FETCH, FETCHER_2)}
        for client in (FETCHER_0, FETCHER_2):
            c.await_held(1, client)
        self.producer = c.produce(1, self.topic)
        eventually("broker 1 appends x", lambda: self.log(1) != "nothing")
        while self.log(2) == "nothing":
            c.pass_one(1, FETCHER_2)
        c.pass_one(1, FETCHER_2)
        self.written()
        if self.control != "none-held":
            self.hold_metadata()
        self.elect_0()
        if self.control == "each-epoch":
            self.let(CONTROLLER, METADATA_1)
        if self.control:
            self.answer = eventually("the producer is answered", lambda: c.answer(self.producer))
            eventually("broker 1 cuts x", lambda: self.log(1) == "nothing")
        if self.control == "each-epoch":
            self.hold_metadata()
        c.nodes.kill(0)
        c.elected(self.topic, 1, 2, [1, 2])
        say("4. broker 0 is killed; broker 1 is elected in epoch 2, ISR [1, 2], and has not heard of it")
        c.await_held(1, FETCHER_2)  # broker 2 follows broker 1 again, and x does not reach it
        if self.control != "none-held":
            self.let(CONTROLLER, METADATA_1)
        self.hear()
        if not self.control:
            c.nodes.kill(1)
            self.let_go()

    def hold_metadata(self):
        """What the controller has decided does not reach broker 1."""
        self.c.held.add((CONTROLLER, FETCH, METADATA_1))
        self.c.await_held(CONTROLLER, METADATA_1)

    def let(self, node, client):
        """Hold no more requests of this client at this node; the one that waits goes on."""
        request = self.c.await_held(node, client)
        self.c.held.discard((node, FETCH, client))
        self.c.fronts[node].let_request(request, SECONDS)
        self.c.fronts[node].let_answer(request)

    def let_go(self):
        """Hold nothing more; what waits is lost."""
        self.c.held.clear()
        self.c.fronts[1].drop()

    # By pauses and controlled shutdowns.

    def by_pauses(self):
        c, pid = self.c, self.c.nodes.up[0].child.pid
        eventually("broker 0 fetches from broker 1", lambda: c.known_end(1, 0, self.topic) == 0)
        while True:
            c.pause(0)
            try:
                eventually("broker 1 answers the fetch of broker 0 that waits", lambda: unread_bytes(pid, c.ports[1]), 3)
                break
            except NotSeen:  # it was paused between two fetches
                c.resume(0)
                time.sleep(1)
        self.producer = c.produce(1, self.topic)
        eventually("broker 2 has x", lambda: self.log(2) != "nothing")
        self.written()
        c.pause(1)
        paused, end = time.monotonic(), c.metadata()[-1].offset
        # With the first of them its metadata fetch that waits at the controller is answered.
        eventually("the controller writes two more records", lambda: c.metadata()[-1].offset >= end + 2)
        c.resume(0)
        self.elect_0()
        c.signal(0, signal.SIGTERM)
        c.elected(self.topic, 1, 2, [1, 2])
        # Broker 1 will refuse this fetch, because it has not heard of epoch 2; broker 2 then waits for a second.
        eventually("broker 2 fetches in epoch 2", lambda: unread_bytes_from(c.nodes.up[2].child.pid, c.ports[1]))
        c.resume(1)
        say(f"4. broker 0 shuts down; broker 1 is elected in epoch 2, ISR [1, 2], and was paused for"
                 f" {time.monotonic() - paused:.1f} s")  # fmt: skip
        self.answer = eventually("the producer is answered", lambda: c.answer(self.producer))
        c.signal(1, signal.SIGTERM)
        say(f"5. the producer is answered (error, offset): {self.answer}; broker 1 has {self.log(1)},"
                 f" broker 2 has {self.log(2)}; broker 1 is told to shut down")  # fmt: skip
        for broker in (0, 1):
            c.nodes.up[broker].child.wait(SECONDS)
            c.nodes.kill(broker)

    # What both have in common.

    def written(self):
        """x is on brokers 1 and 2, broker 1 knows that broker 2 has it, and broker 0 lacks it."""
        eventually("broker 1 knows that broker 2 has x", lambda: self.c.known_end(1, 2, self.topic) == 1)
        logs = [self.log(b) for b in BROKERS]
        assert logs == ["nothing", "0a", "0a"] and self.c.answer(self.producer) is None, logs
        assert self.c.consume(1, self.topic) == (0, 0)
        say(f"2. x is on 1: {logs[1]}, and on 2: {logs[2]}, not on 0: {logs[0]}; broker 1 knows so; the high watermark is 0")

    def elect_0(self):
        self.c.elect_preferred(self.topic)
        self.c.elected(self.topic, 0, 1, [0, 1, 2])
        eventually("broker 2 cuts x", lambda: self.log(2) == "nothing")
        say(f"3. broker 0 is elected in epoch 1; broker 2 follows it and cuts x; broker 1 has {self.log(1)}")

    def hear(self):
        """The producer's answer, and what a consumer reads then."""
        self.answer = self.answer or eventually("the producer is answered", lambda: self.c.answer(self.producer))
        say(f"5. the producer is answered (error, offset): {self.answer}; a consumer at broker 1 (error, high watermark):"
                 f" {self.c.consume(1, self.topic)}; broker 1 has {self.log(1)}, broker 2 has {self.log(2)}")  # fmt: skip

    def ended(self):
        """Broker 2 leads; brokers 0 and 1 come back, and y is acknowledged. Is x still anywhere?"""
        self.c.elected(self.topic, 2, 3, [2])
        say(f"6. broker 1 is gone; broker 2 is elected in epoch 3, from the ISR; it has {self.log(2)};"
                 f" a consumer (error, high watermark): {self.c.consume(2, self.topic)}")  # fmt: skip
        self.c.start(0, 1)
        eventually("all are in the ISR again", lambda: self.c.isr(self.topic) == [0, 1, 2])
        answer = self.c.acknowledged(2, self.topic, 2)
        logs = [self.log(b) for b in BROKERS]
        say(f"7. brokers 0 and 1 are back; y is acknowledged (error, offset): {answer}; logs: {logs}")
        if self.answer != (0, 0):
            return f"{SAFE}: x was answered {self.answer}"
        return LOST if not any("a" in log for log in logs) and answer == (0, 0) else IN_TIME

    def ended_in_control(self):
        """The producer was refused, so nothing that was promised is lost. Broker 0 comes back."""
        self.let_go()
        self.c.start(0)
        eventually("all are in the ISR again", lambda: self.c.isr(self.topic) == [0, 1, 2])
        return SAFE if self.answer[0] == NOT_LEADER else f"answered {self.answer}"

    def evidence(self, keep):
        """Print what shows it, and copy it: metadata records, segments, and the brokers' logs."""
        shown = self.c.lines(1, "handleCommit: Generated a metadata delta", before=f"Leader {self.topic}-0 ")[-1:]
        for words in EVIDENCE:
            shown += self.c.lines(1, words.format(self.topic), self.topic)[-2:]
        for line in shown:
            say(f"   broker 1 logs: {line[:420]}")
        lines = list(self.c.written(self.since))
        for line in lines:
            say(f"   metadata {line[:230]}")
        if keep is None:
            return
        folder = Path(keep) / self.topic
        folder.mkdir(parents=True)
        (folder / "metadata.txt").write_text("\n".join(lines) + "\n")
        for broker in BROKERS:
            shutil.copyfile(self.c.nodes.log(broker), folder / f"broker{broker}.log")
            shutil.copytree(self.c.data(broker) / f"{self.topic}-0", folder / f"broker{broker}-{self.topic}-0")
            found = read_directory(self.c.data(broker), self.topic, 0).entries
            dump = [f"offset {e.offset} leader epoch {e.epoch} value {e.batch}" for e in found]
            (folder / f"broker{broker}.records.txt").write_text("\n".join(dump) + "\n")


def main(arguments):
    parser = parser_of(__doc__, "3.9.1 or later")
    parser.add_argument("--by", choices=["metadata", "pauses"], default="metadata")
    parser.add_argument("--elr", choices=["on", "off"], help="eligible leader replicas (KIP-966); else as by default")
    parser.add_argument("--control", choices=["none-held", "each-epoch"])
    parser.add_argument("--keep", metavar="DIR", help="copy the evidence of each run to this new folder")
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.kraft or (options.elr and not release.elr) or (options.control and options.by == "pauses"):
        parser.error("a release from 3.9.1 on; --elr from 4.0 on; --control only by metadata")
    if options.keep and Path(options.keep).exists():
        parser.error(f"{options.keep} exists: name a new folder")
    elr = None if options.elr is None else options.elr == "on"
    return take_runs(
        options.runs, lambda: KraftCluster.started(release, proxies=options.by == "metadata", elr=elr),
        lambda cluster, topic: Run(cluster, topic, options).take(options.keep), SAFE if options.control else LOST,
        f"{release.name} by {options.by}, ELR {options.elr or 'as by default'}, control {options.control or 'none'}",
    )  # fmt: skip


if __name__ == "__main__":
    end_with(main)
