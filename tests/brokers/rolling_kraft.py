"""How ordinary is the loss? A cluster under KRaft with load, restarts and pauses, and nothing else.

    python tests/brokers/rolling_kraft.py 4.4.0 --minutes 12

Three brokers, three topics with 34 partitions each, acks=all, min.insync.replicas=2, unclean elections off, preferred leaders
elected by the controller. Brokers are shut down (SIGTERM) and started again at random, and are paused (SIGSTOP) at random for
less than a session. No message is delayed, and no election is asked for. A producer of kafka-python sends all the while.

It counts what the schedule of `real_kraft.py` needs. Leads again: a broker is elected that led before another did. Skipped:
its log says that it never followed. Raised: a high watermark rose in the new term over an offset that a member of the ISR had
not fetched to in that term. Lost: an acknowledged record is not there in the end.
"""

import collections
import random
import re
import signal
import threading
import time
from dataclasses import dataclass, field

from highwater.traces.brokers.metadata_log import partition_in
from highwater.traces.brokers.releases import release_named
from kraft_cluster import BROKERS, KraftCluster
from real import SECONDS, end_with, eventually, parser_of, say

SETTINGS = """log.cleaner.enable=false
log.index.size.max.bytes=65536
auto.leader.rebalance.enable=true
leader.imbalance.check.interval.seconds=2
leader.imbalance.per.broker.percentage=0
"""
TOPICS, PARTITIONS = ("m0", "m1", "m2"), 34
PAUSE, REST, UP = (0.5, 6), (0.5, 6), (0, 8)
"""Seconds, at random within: of a pause (a session is 9), between pauses, and from a broker's start to the next shutdown."""

BEGINS = re.compile(r"Leader (\w+-\d+) with .* starts at leader epoch (\d+) from .* ISR \[([\d,]*)\]"
                    r".* Previous leader (?:Some\((-?\d+)\)|None) and previous leader epoch was (-?\d+)")  # fmt: skip
FETCHED = re.compile(r"\[Partition (\w+-\d+) broker=\d\] Recorded replica (\d) log end offset \(LEO\) position (\d+)")
RAISED = re.compile(r"\[Partition (\w+-\d+) broker=\d\] High watermark updated from .* to \(offset=(\d+)")
ISR = re.compile(
    r"\[Partition (\w+-\d+) broker=\d\] ISR updated to ([\d,]*)|become-leader state change for (\w+-\d+) .* ISR \[([\d,]*)\]"
)
BATCHES = re.compile(r"Generated a metadata delta between \d+ and \d+ from (\d+) batch")


def led_again(states):
    """(broker, epoch in which it led last, epoch) for each election of a broker that led before another did."""
    last, found, before = {}, [], None
    for state in states:
        if state.leader in BROKERS and state.leader != before and state.leader in last:
            found.append((state.leader, last[state.leader], state.leader_epoch))
        before, last[state.leader] = state.leader, state.leader_epoch
    return found


def members(text):
    return {int(b) for b in text.split(",") if b}


def read_log(broker, lines):
    """What a broker did, by its log: (terms, high watermarks, (deltas of metadata with several batches, deltas)).

    Terms that it began although it had not followed since its last: (partition, epoch of the last term, epoch). High watermarks
    that it raised by an end of an earlier term: (partition, epoch, offset, member of the ISR that had not fetched so far).
    A fetch is logged after the high watermark that it raised. So each member's next fetch tells whether it had come so far.
    """
    again, raised, deltas, terms = [], [], [0, 0], {}
    for line in lines:
        if found := BEGINS.search(line):
            name, epoch, isr, leader, before = found[1], int(found[2]), found[3], found[4], int(found[5])
            if leader == str(broker) and epoch > before + 1:
                again.append((name, before, epoch))
            raised += never_fetched(name, terms.get(name))
            terms[name] = Term(epoch, members(isr))
        elif (found := ISR.search(line)) and (found[1] or found[3]) in terms:
            terms[found[1] or found[3]].isr = members(found[2] or found[4])
        elif (found := RAISED.search(line)) and found[1] in terms:
            term = terms[found[1]]
            for b in term.isr - {broker}:
                if term.ends.get(b, -1) < int(found[2]):
                    term.unsure.setdefault(b, int(found[2]))
        elif (found := FETCHED.search(line)) and found[1] in terms:
            term, b, end = terms[found[1]], int(found[2]), int(found[3])
            term.ends[b] = end
            if end < term.unsure.pop(b, 0):
                raised.append((found[1], term.epoch, end, b))  # it has less
        elif found := BATCHES.search(line):
            deltas = [deltas[0] + (int(found[1]) > 1), deltas[1] + 1]
    raised += [one for name, term in terms.items() for one in never_fetched(name, term)]
    return again, raised, deltas


def never_fetched(name, term):
    """The high watermarks that still await a fetch when the term ends, of members that had not fetched in it at all.

    Of others it is the log that ends too early: a process that shuts down does not write its last lines.
    """
    return [] if term is None else [(name, term.epoch, offset, b) for b, offset in term.unsure.items() if b not in term.ends]


@dataclass
class Term:
    """A term of a leader: its ISR, the followers' ends that were fetched in it, and high watermarks that await a fetch."""

    epoch: int
    isr: set
    ends: dict = field(default_factory=dict)
    unsure: dict = field(default_factory=dict)


class Producer(threading.Thread):
    """Sends numbers to all partitions, and remembers which were acknowledged and where."""

    def __init__(self, ports, rate):
        super().__init__(daemon=True)
        from kafka import KafkaProducer

        self.pause, self.ended, self.acknowledged, self.refused = 1 / rate, threading.Event(), {}, 0
        self.client = KafkaProducer(bootstrap_servers=[f"127.0.0.1:{p}" for p in ports], acks="all", linger_ms=5)

    def run(self):
        number = 0
        while not self.ended.wait(self.pause):
            topic, partition = TOPICS[number % len(TOPICS)], number // len(TOPICS) % PARTITIONS
            try:
                sent = self.client.send(topic, b"%d" % number, partition=partition)
            except Exception:  # the client's buffer is full, or no leader is known
                self.refused += 1
                continue
            sent.add_callback(lambda at, n=number: self.acknowledged.__setitem__(n, (at.topic, at.partition, at.offset)))
            sent.add_errback(self.refuse)
            number += 1

    def refuse(self, _error):
        self.refused += 1

    def end(self):
        """Send nothing more, and wait for what is under way."""
        self.ended.set()
        self.join()
        self.client.flush(timeout=SECONDS)
        self.client.close()


def disturb(cluster, minutes):
    """Restarts, and pauses beside them; how many of each."""
    chance, ended, pauses = random.Random(1), threading.Event(), collections.Counter()

    def pause():
        dice = random.Random(2)
        while not ended.wait(dice.uniform(*REST)):
            node = cluster.nodes.up.get(dice.choice(BROKERS))
            if node is not None and node.child.poll() is None:
                node.child.send_signal(signal.SIGSTOP)
                time.sleep(dice.uniform(*PAUSE))
                node.child.send_signal(signal.SIGCONT)
                pauses["pauses"] += 1

    pauser = threading.Thread(target=pause, daemon=True)
    pauser.start()
    until, restarts = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < until:
        broker = chance.choice(BROKERS)
        cluster.nodes.up[broker].child.send_signal(signal.SIGTERM)
        cluster.nodes.up[broker].child.wait(SECONDS)
        cluster.nodes.kill(broker)
        cluster.start(broker)
        restarts += 1
        if restarts % 10 == 0:
            say(f"{restarts} restarts, {pauses['pauses']} pauses")
        time.sleep(chance.uniform(*UP))
    ended.set()
    pauser.join()
    return restarts, pauses["pauses"]


def lost(cluster, acknowledged):
    """The acknowledged numbers that a consumer does not find at their offsets."""
    from kafka import KafkaConsumer
    from kafka.structs import TopicPartition

    consumer = KafkaConsumer(bootstrap_servers=[f"127.0.0.1:{cluster.ports[b]}" for b in BROKERS], enable_auto_commit=False)
    parts = [TopicPartition(t, p) for t in TOPICS for p in range(PARTITIONS)]
    consumer.assign(parts)
    consumer.seek_to_beginning(*parts)
    ends, there = consumer.end_offsets(parts), {}
    until = time.monotonic() + SECONDS
    while any(consumer.position(p) < ends[p] for p in parts) and time.monotonic() < until:
        for records in consumer.poll(1000).values():
            there.update({(r.topic, r.partition, r.offset): r.value for r in records})
    assert len(there) == sum(ends.values()), f"the consumer has read {len(there)} of {sum(ends.values())} records"
    consumer.close()
    return sorted(n for n, at in acknowledged.items() if there.get(at) != b"%d" % n)


def measure(options):
    """The whole measurement, as lines of text."""
    cluster = KraftCluster.started(release_named(options.release), proxies=False, more=SETTINGS)
    try:
        for number, topic in enumerate(TOPICS):
            replicas = [BROKERS[(number + k) % 3] for k in range(3)]
            cluster.create(topic, replicas, {"min.insync.replicas": "2"}, PARTITIONS)
        producer = Producer([cluster.ports[b] for b in BROKERS], options.rate)
        producer.start()
        restarts, pauses = disturb(cluster, options.minutes)
        producer.end()
        names = [(t, p) for t in TOPICS for p in range(PARTITIONS)]
        whole = lambda: all(sorted(partition_in(cluster.metadata(), t, p)[-1].isr) == list(BROKERS) for t, p in names)  # noqa: E731
        eventually("all are in every ISR again", whole)
        gone = lost(cluster, producer.acknowledged)
        histories = {f"{t}-{p}": partition_in(cluster.metadata(), t, p) for t, p in names}
        elections = sum(states[-1].leader_epoch for states in histories.values())
        chances = sum(len(led_again(states)) for states in histories.values())
        yield f"{restarts} restarts, {pauses} pauses; {len(producer.acknowledged)} records acknowledged, {producer.refused} not"
        yield f"{elections} elections in {len(names)} partitions; {chances} of a broker that led before another did"
        for broker in BROKERS:
            with cluster.nodes.log(broker).open(errors="replace") as lines:
                again, raised, deltas = read_log(broker, lines)
            skipped = [
                (name, before, epoch)
                for name, before, epoch in again
                if any(before < s.leader_epoch < epoch and s.leader != broker for s in histories[name])
            ]
            yield f"broker {broker}: led again and had skipped the terms of others: {len(skipped)} {skipped[:3]}"
            yield f"  high watermarks raised by an end of an earlier term: {len(raised)} {raised[:3]}"
            yield f"  {deltas[0]} of {deltas[1]} changes of metadata had several batches"
        yield f"lost: {len(gone)} {gone[:10]}"
    finally:
        cluster.end()


def main(arguments):
    parser = parser_of(__doc__, "3.9.1 or later")
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--rate", type=float, default=100, help="records a second (100)")
    options = parser.parse_args(arguments)
    if not release_named(options.release).kraft:
        parser.error("a release from 3.9.1 on")
    for line in measure(options):
        say(line)
    return 0


if __name__ == "__main__":
    end_with(main)
