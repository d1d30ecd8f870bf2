"""`highwater step --web`: the walk by hand in a browser on this machine, on the page that `show --html` writes.

The address says where a walk stands: after the token the numbers of the steps that were chosen, `/TOKEN/3.1.2`. So the server
keeps nothing, going back is the browser's own button, and an address can be kept. Only a request with the
token, which names this machine as it is, is answered; nothing can be sent, and nothing is written.
"""

import hmac
import secrets
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from ...model.language.errors import UsageError, reason_of
from ...properties.explained_document import document_of
from ...properties.property import Property
from ...traces.pictures.page import page
from ...traces.visible import escape
from ...traces.words import plural
from ..plain.stepping import Stepper

MAX_STEPS = 500
"""Steps in an address."""

MOST, IDLE = 32, 10.0
"""Connections at the same time, and seconds that one may send nothing."""

HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class StepPages:
    """What is answered to an address. `begin` makes a walk at its beginning; `seconds`: for `nearest`."""

    def __init__(self, begin: Callable[[], Stepper], claims: list[Property], seconds: float) -> None:
        self.begin, self.claims, self.seconds = begin, {claim.name: claim for claim in claims}, seconds
        self.token = secrets.token_urlsafe(16)

    def answer(self, address: str) -> tuple[int, str]:
        """The status and the page of an address."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return 404, plain("This is not an address.")
        _, token, *rest = [*parts.path.split("/"), ""]
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return 404, plain("No page here: open the address that highwater step printed.")
        try:
            numbers = [int(number) for number in rest[0].split(".") if number]
            if len(numbers) > MAX_STEPS or any(rest[1:]):
                raise ValueError
        except ValueError:
            return 404, plain("This address is not one of a walk.")
        walk = self.begin()
        before = len(walk.steps)
        try:
            for number in numbers:
                walk.choose(number)
            asked = self.asked(walk, numbers, parse_qs(parts.query))
        except UsageError as error:
            return 404, plain(str(error))
        shown = page(document_of(walk.trace(), walk.model, choices=False))
        return 200, shown.replace("<main>", f"{self.choices(walk, numbers, before)}{asked}<main>", 1)

    def address(self, numbers: list[int], steps: int, query: str = "") -> str:
        """The address of a walk, at its last step."""
        return f"/{self.token}/{'.'.join(map(str, numbers))}{query}#{steps}"

    def choices(self, walk: Stepper, numbers: list[int], before: int) -> str:
        """What can be done: the steps that are enabled, back, and the questions."""
        here = before + len(numbers)
        links = [
            link(self.address([*numbers, number], here + 1), choice.label) for number, choice in enumerate(walk.enabled(), 1)
        ]
        back = link(self.address(numbers[:-1], here - 1), "undo") if numbers else "the beginning"
        why = " · ".join(link(self.address(numbers, here, f"?why={quote(a.name)}"), a.name) for a in walk.model.actions)
        near = " · ".join(link(self.address(numbers, here, f"?nearest={quote(name)}"), name) for name in self.claims)
        violated = "".join(f"<li><strong>{escape(name)} is violated here</strong></li>" for name in walk.violated())
        return (
            f'<nav aria-label="enabled steps"><p>step {here}: {back}</p><ol>{"".join(f"<li>{item}</li>" for item in links)}</ol>'
            f"<ul>{violated}</ul><details><summary>why not</summary><p>{why}</p></details>"
            f"<details><summary>nearest</summary><p>{near}</p></details></nav>"
        )

    def asked(self, walk: Stepper, numbers: list[int], query: dict[str, list[str]]) -> str:
        """The answer to a question of the address."""
        lines: list[str] = []
        if "why" in query:
            lines = [escape(line) for line in walk.why_not(query["why"][0])]
        elif "nearest" in query:
            lines = self.nearest(walk, numbers, query["nearest"][0])
        return f'<section aria-label="answer"><ul>{"".join(f"<li>{line}</li>" for line in lines)}</ul></section>' if lines else ""

    def nearest(self, walk: Stepper, numbers: list[int], name: str) -> list[str]:
        """How far a property is, with a link to the end of the path there."""
        if name not in self.claims:
            raise UsageError(f"there is no property {name!r:.60} here")
        near = walk.nearest(self.claims[name], self.seconds)
        if near.steps is None:
            states = plural(near.states, "state")
            where = f"all {states} that can be reached from here" if near.complete else f"the {states} explored in the time limit"
            return [escape(f"{name}: not found in {where}")]
        way, already = list(numbers), len(walk.steps)
        for choice in near.steps:
            way.append([step.label for step in walk.enabled()].index(choice.label) + 1)
            walk.choose(choice.label)
        told = [escape(choice.label) for choice in near.steps]
        end = link(self.address(way, len(walk.steps)), f"{name}: {plural(len(told), 'step')} from here")
        walk.jump(already)
        return [end, *told]


def link(address: str, text: str) -> str:
    """A link."""
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def plain(text: str) -> str:
    """A page of one sentence."""
    head = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>highwater</title></head>'
    return f"{head}<body><p>{escape(text)}</p></body></html>\n"


class Server(ThreadingHTTPServer):
    """A thread for each connection, and no more than `MOST`; a connection that fails or is idle ends silently."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self.free = threading.BoundedSemaphore(MOST)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, or close it where there are too many."""
        if self.free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """The work of a thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing is printed of a connection that was cut; another error is a defect."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def server_of(walks: StepPages, port: int = 0) -> ThreadingHTTPServer:
    """A server on this machine alone; UsageError when the port is taken."""

    class Handler(BaseHTTPRequestHandler):
        """Answers GET to the machine's own names; requests by another name are refused."""

        timeout = IDLE

        def do_GET(self) -> None:
            """Answer with one page."""
            own = {f"{name}:{self.server.server_port}" for name in ("127.0.0.1", "localhost")}  # type: ignore[attr-defined]
            foreign = self.headers.get("Host") not in own
            status, text = (403, plain("This server answers to 127.0.0.1 only.")) if foreign else walks.answer(self.path)
            body = text.encode()
            self.send_response(status)
            for name, value in {**HEADERS, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            """Nothing is printed: an address has the token."""

    try:
        return Server(("127.0.0.1", port), Handler)
    except (OSError, OverflowError) as error:
        raise UsageError(f"port {port} cannot be used: {reason_of(error)}; leave --port out") from None


def serve(walks: StepPages, port: int) -> None:
    """Say the address, and answer until an interruption."""
    with server_of(walks, port) as server:
        print(f"http://127.0.0.1:{server.server_port}/{walks.token}/ (Ctrl-C ends it)", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()
