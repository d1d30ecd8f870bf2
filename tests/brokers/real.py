"""What the scripts share that lose a record under Kafka's own controller: proxies, waiting, a producer, the logs on disk."""

import select
import socket
import time

from highwater.traces.brokers.compare import log_text
from highwater.traces.brokers.disk import build_batch, read_directory
from highwater.traces.brokers.gate import Gate
from highwater.traces.brokers.requests import Produce, ProduceAnswer
from highwater.traces.brokers.wire import decode, read_frame, request_frame, response_body

SECONDS = 120
"""For each thing that Kafka does by itself: many times what it needs, because the machine may be busy."""

CLOSED = -2
"""The answer of a broker that closes the connection instead."""


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

    def close(self):
        for front in self.fronts.values():
            front.close()
