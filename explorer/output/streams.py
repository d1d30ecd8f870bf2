"""Standard output and error as they may be: closed, full, a pipe that no one reads any more. None of it changes the verdict."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...model.language.errors import UsageError, reason_of
from ...traces.visible import visible
from ..verdict import EXIT_HOLDS, EXIT_USAGE


def printable(text: object) -> str:
    """Text for one line of a terminal: what is not printable, such as a control character in a file's name, is escaped."""
    return visible(text, begins=False, kept="")


class Tolerant:
    """A stream that takes everything: when it cannot be written any more, the rest is dropped, and `error` says why."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.error: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write, or drop."""
        self._attempt(self.stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Flush, or drop."""
        self._attempt(self.stream.flush)

    def _attempt(self, act: Callable[..., Any], *arguments: str) -> None:
        try:
            if self.error is None:
                act(*arguments)
        except OSError as error:
            self.error = error
            with suppress(OSError, ValueError, AttributeError):  # what is in the buffer must not fail once more when Python ends
                os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), self.stream.fileno())


@contextmanager
def tolerant_streams() -> Iterator[Tolerant]:
    """Within the block both streams take everything; the one of standard output."""
    open_closed()
    before = sys.stdout, sys.stderr
    out, error = (Tolerant(stream or open(os.devnull, "w", encoding="utf-8")) for stream in before)  # noqa: SIM115
    for item in (out, error):
        if hasattr(item.stream, "reconfigure"):
            item.stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = out, error
    try:
        yield out
    finally:
        out.flush()
        error.flush()
        sys.stdout, sys.stderr = before


def open_closed() -> None:
    """Descriptors 0 to 2 are open: otherwise the next file that is opened would get the number, and what is printed."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def complain(text: object) -> None:
    """One sentence on standard error."""
    print(f"highwater: {printable(text)}", file=sys.stderr)


def attempt(*writes: Callable[[], None]) -> bool:
    """Write what was asked for beside the report: what cannot be written is a sentence, and the rest is written."""
    done = True
    for write in writes:
        try:
            write()
        except UsageError as error:
            complain(error)
            done = False
    return done


def kept(code: int, written: bool) -> int:
    """The exit code of a run: that of its verdict, but success only when all that was asked for was written."""
    return EXIT_USAGE if code == EXIT_HOLDS and not written else code


def code_after(out: Tolerant, code: int) -> int:
    """The exit code, when standard output could not be written: success becomes a usage error, and a violation keeps its code."""
    out.flush()
    if out.error is None or out.error.errno == errno.EPIPE:
        return code
    complain(f"standard output cannot be written: {reason_of(out.error)}")
    return kept(code, False)
