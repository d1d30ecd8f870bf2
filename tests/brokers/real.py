"""What the scripts share that lose a record under Kafka's own controller: runs, proxies, waiting, a producer, logs on disk."""

import argparse
import collections
import select
import socket
import sys
import time

from highwater.model.language.errors import UsageError
from highwater.traces.brokers.compare import log_text
from highwater.traces.brokers.disk import build_batch, read_directory
from highwater.traces.brokers.gate import Gate, close
from highwater.traces.brokers.process import BrokerError
from highwater.traces.brokers.requests import Produce, ProduceAnswer
from highwater.traces.brokers.wire import decode, read_frame, request_frame, response_body

SECONDS = 120
"""For each thing that Kafka does by itself: many times what it needs, because the machine may be busy."""

CLOSED = -2
"""The answer of a broker that closes the connection instead."""

NOT_ENOUGH_REPLICAS = 19
LOST, SAFE, MISSED = "lost", "not lost", "not performed"
"""How a run ends."""


class NotSeen(AssertionError):
    """Something that Kafka does did not happen in time."""


def eventually(what, found, seconds=SECONDS, ignored=()):
    """Wait for something that Kafka does; its value."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            value = found()
        except ignored:
            value = None
        if value:
            return value
        time.sleep(0.01)
    raise NotSeen(f"not within {seconds} seconds: {what}")


class BehindProxies:
    """Brokers that each advertise a proxy: what is sent to one can be delayed, and nothing is changed or made up.

    `ports`: where each node listens. `held`: (node, API key, client) whose requests wait.
    """

    def __init__(self, release, ports):
        self.release, self.ports, self.held = release, ports, set()
        self.fronts = {node: Gate(lambda n=node: ("127.0.0.1", ports[n]), self.holds(node)) for node in ports}

    def holds(self, node):
        return lambda request: (node, request.key, request.client) in self.held

    def data(self, node):
        raise NotImplementedError

    def await_held(self, node, client):
        """The request of a client that waits at a node's proxy."""
        request = self.fronts[node].pending(SECONDS, client)
        if request is None:
            raise NotSeen(f"no request of {client} reaches node {node}")
        return request

    def pass_one(self, node, client):
        """One request that waits, and its answer."""
        request = self.await_held(node, client)
        self.fronts[node].let_request(request, SECONDS)
        self.fronts[node].let_answer(request)

    def log(self, broker, topic):
        found = read_directory(self.data(broker), topic, 0)
        return log_text([(e.offset, e.batch, e.epoch) for e in found.entries], self.release.magic >= 2)

    def produce(self, leader, topic, number=1):
        """A producer's record with acks=all; the connection on which it waits for the acknowledgement."""
        version, records = self.release.versions[3], build_batch(number, 1, self.release.magic)
        topics = [{"topic": topic, "partitions": [{"partition": 0, "records": records}]}]
        values = {"transactional_id": None, "acks": -1, "timeout": 600_000, "topics": topics}
        connection = socket.create_connection(("127.0.0.1", self.ports[leader]), 10)
        connection.sendall(request_frame(Produce, version, 1, "producer", values))
        return connection

    def answer(self, connection):
        """(error, offset) of the answer to a producer, or (CLOSED, -1); None while there is no answer."""
        if not select.select([connection], [], [], 0)[0]:
            return None
        version, payload = self.release.versions[3], read_frame(connection)
        if payload is None:
            return CLOSED, -1
        answer = decode(ProduceAnswer, version, response_body(Produce, version, payload)[1])["topics"][0]["partitions"][0]
        return answer["error"], answer["base_offset"]

    def acknowledged(self, leader, topic, number=1):
        """A producer's record is acknowledged: (error, offset). It is sent again while the leader knows of too few replicas."""

        def attempt():
            producer = self.produce(leader, topic, number)
            answer = eventually("the record is acknowledged", lambda: self.answer(producer))
            close(producer)
            return answer[0] != NOT_ENOUGH_REPLICAS and answer

        return eventually("the record is accepted", attempt)

    def close(self):
        for front in self.fronts.values():
            front.close()


def say(text):
    print(text, flush=True)


def parser_of(doc, releases):
    """The arguments of a script: a release, and how many runs."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", help=releases)
    parser.add_argument("--runs", type=int, default=1)
    return parser


def take_runs(runs, started, take, expected, about, anew=False):
    """Take some runs, each with a topic of its own, and say how they ended; 0 when each ended as expected.

    The cluster is replaced when a run cannot be performed, and with `anew` after each.
    """
    cluster, counts = None, collections.Counter()
    try:
        for number in range(1, runs + 1):
            begun = time.monotonic()
            cluster = cluster or started()
            try:
                result = take(cluster, f"t{number}")
            except (NotSeen, BrokerError, OSError, AssertionError) as error:
                result = f"{MISSED}: {error or type(error).__name__}"
            if anew or result.startswith(MISSED):
                cluster.end()
                cluster = None
            counts[result] += 1
            say(f"RUN {number} of {runs}: {result} ({time.monotonic() - begun:.0f} s)")
    finally:
        if cluster is not None:
            cluster.end()
    told = ", ".join(f"{result}: {count}" for result, count in counts.most_common())
    say(f"RESULT {time.strftime('%Y-%m-%d')} {about}, {runs} runs: {told}")
    return 0 if counts[expected] == runs else 1


def end_with(main):
    """End the process with what `main` makes of the arguments."""
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        sys.exit(f"{sys.argv[0]}: {error}")
