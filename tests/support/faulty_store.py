"""A proxy before an object store that fails as networks and stores do: what it does to a request is a test's to say."""

import http.client
import socket
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

FAULTS = ("drop", "5xx", "cut", "short", "flip", "lost", "partial", "slow", "hole")
"""The connection ends before the request is read; 503; half an answer; an answer that claims to be shorter; a bit of it is
another; the store does it and the answer is lost; half of what is put arrives; a slow answer; none for some time."""

SLOW, HOLE = 0.4, 5.0
"""Seconds of a slow answer, and of none."""

SINGLE = {"connection", "transfer-encoding", "content-length", "keep-alive", "date", "server"}


class FaultyStore:
    """The proxy, from `port` to the store's port. `plan(method, path)` names the fault of a request, or is None."""

    def __init__(self, port, store_port, hole=HOLE):
        self.hole, self.store_port, self.plan, self.struck = hole, store_port, lambda method, path: None, Counter()
        handler = type("Handler", (Forwarding,), {"proxy": self})
        ThreadingHTTPServer.allow_reuse_address = True
        self.server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def always(self, *wanted):
        """Each request whose method and path contain these words is dropped."""
        self.plan = lambda method, path: "drop" if all(word in f"{method} {path}" for word in wanted) else None

    def randomly(self, chance, rate, faults=FAULTS):
        """Of all requests, this part meets a fault."""
        self.plan = lambda method, path: chance.choice(faults) if chance.random() < rate else None

    def never(self):
        """No request meets a fault."""
        self.plan = lambda method, path: None


class Forwarding(BaseHTTPRequestHandler):
    protocol_version, timeout = "HTTP/1.1", 60

    def log_message(self, *_):
        pass

    def handle(self):
        with suppress(OSError, http.client.HTTPException):  # the client went away, or it was sent away
            super().handle()

    def body(self):
        """What the client sends, whatever it calls its length."""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def end(self):
        """Close the connection at once."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def pass_on(self):
        fault = self.proxy.plan(self.command, unquote(self.path))
        if fault is not None:
            self.proxy.struck[fault] += 1
        if fault == "drop":
            return self.end()
        if self.headers.get("Expect") == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        body = self.body()
        if fault == "hole":
            time.sleep(self.proxy.hole)
            return self.end()
        if fault == "5xx":
            return self.answer(503, {}, b"<Error><Code>SlowDown</Code><Message>slow down</Message></Error>", None)
        if fault == "partial":
            return self.half_of_it(body)
        link = http.client.HTTPConnection("127.0.0.1", self.proxy.store_port, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in SINGLE | {"expect"}}
        link.request(self.command, self.path, body or None, {**headers, "Content-Length": str(len(body))})
        answer = link.getresponse()
        data = answer.read()
        link.close()
        if fault == "lost":
            return self.end()
        if fault == "slow":
            time.sleep(SLOW)
        kept = {name: value for name, value in answer.getheaders() if name.lower() not in SINGLE}
        if self.command == "HEAD":
            kept["Content-Length"] = answer.getheader("Content-Length", "0")
        return self.answer(answer.status, kept, data, fault)

    def half_of_it(self, body):
        """The store gets half of what it was promised."""
        with socket.create_connection(("127.0.0.1", self.proxy.store_port), 10) as link:
            kept = {name: value for name, value in self.headers.items() if name.lower() not in SINGLE | {"expect"}}
            head = "".join(f"{name}: {value}\r\n" for name, value in kept.items())
            link.sendall(f"{self.command} {self.path} HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode())
            link.sendall(body[: len(body) // 2])
        return self.end()

    def answer(self, status, headers, data, fault):
        if fault == "flip" and data:
            data = data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 4]) + data[len(data) // 2 + 1 :]
        told = data[: len(data) // 2] if fault == "short" else data
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(told[: len(told) // 2] if fault == "cut" else told)
        return self.end() if fault == "cut" else None

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = pass_on  # noqa: N815
