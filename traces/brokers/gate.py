"""Gates: TCP proxies on loopback through which followers reach leaders, and brokers reach ZooKeeper.

A follower's requests for data and for epochs wait at its gate until the run lets them pass, one at a time, and so do
their answers. Everything else passes. What waits can be dropped: the connection is closed, as when a network fails.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .requests import FETCH, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH
from .wire import WireError, framed, read_frame

HELD = (FETCH, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH)
"""The requests that wait."""

Address = Callable[[], tuple[str, int] | None]


def listening() -> socket.socket:
    """A socket on a port that the system chose."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(64)
    return server


def clients_of(server: socket.socket) -> Iterator[socket.socket]:
    """The connections that come, until the socket is closed."""
    with contextlib.suppress(OSError):
        while True:
            yield server.accept()[0]


def close(connection: socket.socket | None) -> None:
    """Close both directions, even while threads wait on them."""
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()


@dataclass(eq=False)
class HeldRequest:
    """One request of a follower: as it waits, as it is answered."""

    key: int
    version: int
    correlation: int
    payload: bytes
    passage: "Passage"
    answer: bytes | None = None
    held: bool = False
    sent: bool = False
    lost: bool = False

    @property
    def client(self) -> str:
        """The name that the sender gives itself, `broker-2-fetcher-0`; in 0.10 that names only the leader, so it is made up."""
        end = 10 + max(0, struct.unpack_from(">h", self.payload, 8)[0])
        name = self.payload[10:end].decode(errors="replace")
        if name.startswith("ReplicaFetcherThread"):
            return f"broker-{struct.unpack_from('>i', self.payload, end)[0]}-fetcher-0"
        return name


@dataclass(eq=False)
class Passage:
    """One connection of a follower, and the gate's own connection to the leader, once it is needed."""

    client: socket.socket
    server: socket.socket | None = None
    waiting: dict[int, HeldRequest] = field(default_factory=dict)
    over: bool = False


class Gate:
    """The way of one follower to one leader. `address` answers where the leader is now, or None.

    `holds` says which requests wait; those for data and epochs, unless it is given.
    """

    def __init__(self, address: Address, holds: Callable[[HeldRequest], bool] | None = None) -> None:
        self.address = address
        self.holds = holds or (lambda request: request.key in HELD)
        self.changed = threading.Condition()
        self.requests: list[HeldRequest] = []
        self.passages: list[Passage] = []
        self.shut = False
        self.frames = 0
        self.server = listening()
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        for client in clients_of(self.server):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            passage = Passage(client)
            with self.changed:
                if self.shut:
                    close(client)
                    continue
                self.passages.append(passage)
            threading.Thread(target=self._read_requests, args=(passage,), daemon=True).start()

    def _read_requests(self, passage: Passage) -> None:
        """The follower's side of a connection."""
        try:
            while (payload := read_frame(passage.client)) is not None:
                key, version, correlation = struct.unpack_from(">hhi", payload)
                request = HeldRequest(key, version, correlation, payload, passage)
                if self.holds(request):
                    request.held = True
                    with self.changed:
                        self.requests.append(request)
                        self.changed.notify_all()
                else:
                    self._forward(request)
        except (OSError, WireError, struct.error):
            pass
        self._end(passage)

    def _forward(self, request: HeldRequest) -> None:
        """Send a request on; OSError when the leader cannot be reached."""
        passage = request.passage
        if passage.server is None:
            address = self.address()
            if address is None:
                raise OSError("the leader is down")
            passage.server = socket.create_connection(address, 5)
            passage.server.settimeout(None)
            passage.server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._read_answers, args=(passage,), daemon=True).start()
        passage.waiting[request.correlation] = request
        request.sent = True
        self.frames += 1
        passage.server.sendall(framed(request.payload))

    def _read_answers(self, passage: Passage) -> None:
        """The leader's side of a connection."""
        assert passage.server is not None
        try:
            while (payload := read_frame(passage.server)) is not None:
                request = passage.waiting.pop(struct.unpack_from(">i", payload)[0], None)
                if request is None or not request.held:
                    passage.client.sendall(framed(payload))
                    continue
                with self.changed:
                    request.answer = payload
                    self.changed.notify_all()
        except (OSError, WireError, struct.error):
            pass
        passage.over = True
        if not self.has_answer(passage):
            self._end(passage)

    def has_answer(self, passage: Passage) -> bool:
        """An answer has arrived here and waits: it is on its way, whatever becomes of its sender."""
        with self.changed:
            return any(r.passage is passage and r.answer is not None for r in self.requests)

    def _end(self, passage: Passage) -> None:
        """A connection is over, and what waited on it is lost."""
        with self.changed:
            close(passage.client)
            close(passage.server)
            if passage in self.passages:
                self.passages.remove(passage)
            for request in self.requests:
                if request.passage is passage:
                    request.lost = True
            self.requests = [r for r in self.requests if not r.lost]
            self.changed.notify_all()

    # What the run does.

    def pending(self, seconds: float, client: str = "") -> HeldRequest | None:
        """The request that waits and has not been sent on, of this client or of any; None when none comes in time."""

        def waiting() -> HeldRequest | None:
            return next((r for r in self.requests if not r.sent and (not client or r.client == client)), None)

        with self.changed:
            return self.changed.wait_for(waiting, seconds)

    def answered(self) -> HeldRequest | None:
        """The request whose answer waits here."""
        with self.changed:
            return next((r for r in self.requests if r.answer is not None), None)

    def let_request(self, request: HeldRequest, seconds: float) -> bytes | None:
        """Send a request on and wait for the answer, which stays here; None when there is none."""
        try:
            self._forward(request)
        except OSError:
            self._end(request.passage)
            return None
        with self.changed:
            self.changed.wait_for(lambda: request.answer is not None or request.lost, seconds)
            return request.answer

    def let_answer(self, request: HeldRequest) -> bool:
        """Hand the answer over; False when the follower has turned away."""
        with self.changed:  # until it is handed over, a sender that dies must not take it along
            if request.answer is None or request.lost:
                return False
            try:
                request.passage.client.sendall(framed(request.answer))
            except OSError:
                return False
            finally:
                self.requests.remove(request)
        if request.passage.over:
            self._end(request.passage)  # its sender is gone: the follower must connect anew
        return True

    def replay(self, payload: bytes, seconds: float) -> bytes | None:
        """Let a request arrive whose sender has turned away; the answer finds no one."""
        address = self.address()
        if address is None:
            return None
        with socket.create_connection(address, seconds) as connection:
            connection.settimeout(seconds)
            connection.sendall(framed(payload))
            self.frames += 1
            return read_frame(connection)

    def drop(self, answers: bool = True) -> None:
        """Close every connection: requests that wait here are lost, and `answers` too."""
        for passage in list(self.passages):
            if answers or not self.has_answer(passage):
                self._end(passage)

    def close(self) -> None:
        """Nothing passes any more."""
        close(self.server)
        self.drop()


@contextlib.contextmanager
def closed(gates: Sequence[Gate]) -> Iterator[None]:
    """While a broker changes what it fetches, its connections are closed, and no fetcher waits for an answer."""
    for gate in gates:
        gate.shut = True
        gate.drop()
    try:
        yield
    finally:
        for gate in gates:
            gate.shut = False


class Line:
    """A broker's connection to ZooKeeper, which can be held: then no byte passes, and neither side is notified."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.open = threading.Event()
        self.open.set()
        self.connections: list[tuple[socket.socket, socket.socket]] = []
        self.lock = threading.Lock()
        self.server = listening()
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        for client in clients_of(self.server):
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        self.open.wait()
        address = self.address()
        try:
            if address is None:
                raise OSError("the server is down")
            server = socket.create_connection(address, 5)
            server.settimeout(None)
            for stream in (client, server):
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            close(client)
            return
        with self.lock:
            self.connections.append((client, server))
        for stream, other in ((client, server), (server, client)):
            threading.Thread(target=self._copy, args=(stream, other), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                self.open.wait()
                sink.sendall(data)
        except OSError:
            pass
        close(source)
        close(sink)

    def hold(self) -> None:
        """Nothing passes until `release`."""
        self.open.clear()

    def release(self) -> None:
        """Close what was held, and let new connections through."""
        with self.lock:
            held, self.connections = self.connections, []
        for pair in held:
            for connection in pair:
                close(connection)
        self.open.set()

    def close(self) -> None:
        """Nothing passes any more."""
        close(self.server)
        self.release()


def words(value: Any) -> str:
    """A request's kind, for messages."""
    return {FETCH: "fetch", LIST_OFFSETS: "list offsets", OFFSET_FOR_LEADER_EPOCH: "epoch request"}.get(value, str(value))
