"""The gate between a toy follower and a toy leader that answers every frame with its correlation id and body."""

import contextlib
import socket
import struct
import threading
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("kafka")

from highwater.traces.brokers.gate import Gate, Line, closed, listening
from highwater.traces.brokers.requests import FETCH, OFFSET_FOR_LEADER_EPOCH
from highwater.traces.brokers.wire import framed, read_frame

METADATA = 3
SECONDS = 30


class Leader:
    """Echoes each request; `heard` has what arrived."""

    def __init__(self):
        self.heard = []
        self.socket = listening()
        self.address = self.socket.getsockname()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with contextlib.suppress(OSError):
            while (payload := read_frame(connection)) is not None:
                self.heard.append(payload)
                connection.sendall(framed(payload[4:8] + b"answer to " + payload[8:]))


def request(key, correlation, body=b"x"):
    return framed(struct.pack(">hhi", key, 0, correlation) + body)


@pytest.fixture
def leader():
    leader = Leader()
    yield leader
    leader.socket.close()


@pytest.fixture
def gate(leader):
    gate = Gate(lambda: leader.address)
    yield gate
    gate.close()


@pytest.fixture
def follower(gate):
    with socket.create_connection(("127.0.0.1", gate.port), SECONDS) as connection:
        yield connection


def test_a_fetch_waits_until_it_is_let_through_and_so_does_its_answer(gate, leader, follower):
    follower.sendall(request(FETCH, 7))
    waiting = gate.pending(SECONDS)
    assert (waiting.key, waiting.correlation, leader.heard) == (FETCH, 7, [])
    assert gate.let_request(waiting, SECONDS) == b"\x00\x00\x00\x07answer to x"
    follower.settimeout(0.05)
    with pytest.raises(TimeoutError):
        follower.recv(1)
    follower.settimeout(SECONDS)
    assert gate.let_answer(waiting)
    assert read_frame(follower) == b"\x00\x00\x00\x07answer to x"


def test_epoch_requests_wait_too_and_others_pass(gate, leader, follower):
    follower.sendall(request(METADATA, 1))
    assert read_frame(follower) == b"\x00\x00\x00\x01answer to x"
    follower.sendall(request(OFFSET_FOR_LEADER_EPOCH, 2))
    assert gate.pending(SECONDS).key == OFFSET_FOR_LEADER_EPOCH
    assert len(leader.heard) == 1


def test_a_lost_answer_closes_the_connection(gate, leader, follower):
    follower.sendall(request(FETCH, 7))
    waiting = gate.pending(SECONDS)
    gate.let_request(waiting, SECONDS)
    gate.drop()
    assert read_frame(follower) is None
    assert waiting.lost and not gate.let_answer(waiting) and gate.pending(0.01) is None
    assert len(leader.heard) == 1


def test_what_was_dropped_can_arrive_late(gate, leader, follower):
    follower.sendall(request(FETCH, 7, b"late"))
    waiting = gate.pending(SECONDS)
    gate.drop()
    assert gate.replay(waiting.payload, SECONDS) == b"\x00\x00\x00\x07answer to late"


def test_while_a_gate_is_closed_nobody_waits_at_it(gate, follower):
    with closed([gate]):
        assert read_frame(follower) is None
        with socket.create_connection(("127.0.0.1", gate.port), SECONDS) as again, contextlib.suppress(OSError):
            assert again.recv(1) == b""
    with socket.create_connection(("127.0.0.1", gate.port), SECONDS) as open_again:
        open_again.sendall(request(FETCH, 8))
        assert gate.pending(SECONDS).correlation == 8


def test_a_leader_that_is_down_answers_nothing(leader):
    gate = Gate(lambda: None)
    with socket.create_connection(("127.0.0.1", gate.port), SECONDS) as follower:
        follower.sendall(request(FETCH, 7))
        assert gate.let_request(gate.pending(SECONDS), SECONDS) is None
        assert read_frame(follower) is None
    gate.close()


@contextlib.contextmanager
def an_answer():
    """A gate with an answer that waits in it, the follower to which it goes, and the leader's end of the connection."""
    with listening() as leader:
        gate = Gate(leader.getsockname)
        with socket.create_connection(("127.0.0.1", gate.port), SECONDS) as follower:
            follower.sendall(request(FETCH, 7))
            waiting = gate.pending(SECONDS)
            threading.Thread(target=gate.let_request, args=(waiting, SECONDS), daemon=True).start()
            connection, _ = leader.accept()
            read_frame(connection)
            connection.sendall(framed(b"\x00\x00\x00\x07bye"))
            with gate.changed:
                assert gate.changed.wait_for(lambda: waiting.answer is not None, SECONDS)
            yield gate, waiting, follower, connection
        gate.close()


def test_an_answer_that_has_arrived_outlives_its_sender():
    with an_answer() as (gate, waiting, follower, leader):
        leader.close()
        gate.drop(answers=False)
        assert gate.let_answer(waiting)
        assert read_frame(follower) == b"\x00\x00\x00\x07bye"
        assert read_frame(follower) is None


def test_an_answer_arrives_though_its_sender_dies_while_it_is_handed_over():
    with an_answer() as (gate, waiting, follower, leader):
        passage, client = waiting.passage, waiting.passage.client

        def send(data):
            leader.close()
            until = time.monotonic() + SECONDS
            while not passage.over and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.05)
            client.sendall(data)

        passage.client = SimpleNamespace(sendall=send, shutdown=client.shutdown, close=client.close)
        assert gate.let_answer(waiting)
        assert read_frame(follower) == b"\x00\x00\x00\x07bye"
        assert read_frame(follower) is None


def test_requests_of_one_client_are_told_from_others(gate, follower):
    for correlation, name in enumerate((b"broker-1-fetcher-0", b"broker-2-fetcher-0")):
        follower.sendall(request(FETCH, correlation, struct.pack(">h", len(name)) + name))
    assert gate.pending(SECONDS, "broker-2-fetcher-0").correlation == 1
    assert gate.pending(0.01, "broker-3-fetcher-0") is None
    assert gate.pending(SECONDS).client == "broker-1-fetcher-0"


def test_a_follower_that_dies_leaves_nothing_waiting(gate, follower):
    follower.sendall(request(FETCH, 7))
    waiting = gate.pending(SECONDS)
    follower.close()
    with gate.changed:
        assert gate.changed.wait_for(lambda: waiting.lost, SECONDS)
    assert gate.pending(0.01) is None


def test_garbage_closes_the_connection_and_nothing_else(gate, follower):
    follower.sendall(b"\xff\xff\xff\xff")
    assert follower.recv(1) == b""
    with socket.create_connection(("127.0.0.1", gate.port), SECONDS) as other:
        other.sendall(request(FETCH, 9))
        assert gate.pending(SECONDS).correlation == 9


def test_a_line_can_be_held_and_released(leader):
    line = Line(lambda: leader.address)
    with socket.create_connection(("127.0.0.1", line.port), SECONDS) as client:
        client.sendall(request(METADATA, 1))
        assert read_frame(client) == b"\x00\x00\x00\x01answer to x"
        line.hold()
        client.sendall(request(METADATA, 2))
        client.settimeout(0.05)
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.settimeout(SECONDS)
        line.release()
        with contextlib.suppress(OSError):
            assert client.recv(1) == b""  # what was held is lost with its connection
    with socket.create_connection(("127.0.0.1", line.port), SECONDS) as client:
        client.sendall(request(METADATA, 3))
        assert read_frame(client) == b"\x00\x00\x00\x03answer to x"
    line.close()
