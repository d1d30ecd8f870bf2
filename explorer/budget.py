"""When to stop: bounds on depth, states, seconds and memory."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psutil

from ..model.language.errors import NoRoom, UsageError
from .clock import began
from .machine import available_memory

LEAST = 64 << 20
"""Bytes without which no exploration begins."""


class OutOfTime(BaseException):
    """The seconds are over before a search could end by itself; or the bound that it names is reached before a search begins."""


class Unreachable(UsageError):
    """A bound is reached before the first state: because of the bound, not of what is explored."""


MOST_OF_IT = 0.9
"""Part of the memory that is available at the start which a run may take, if it has no bound: the rest is for other programs."""

GRACE = 1.0
"""Seconds after its bound at which a run that only compiles is ended: a search ends by itself, with what it found."""

sharers = 1
"""Processes that share what is available, or a bound on memory: forks that work in parallel set it."""


@dataclass
class Bounds:
    """None: no bound. `memory` counts bytes of the whole process, or of all that share it.

    `available`: the bound on memory where none is given, once `limit_to_machine` has looked at what there is. `from_start`: the
    seconds count from the start of the program, compiling included, not from that of the search.
    """

    depth: int | None = None
    states: int | None = None
    seconds: float | None = None
    memory: int | None = None
    available: int | None = None
    from_start: bool = False
    _begun: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """The clock starts now, unless it has started before."""
        if not self.from_start:
            self._begun = time.monotonic()

    def count_from_start(self) -> None:
        """The clock started with the program."""
        self._begun, self.from_start = next(iter(began), time.monotonic()), True

    def count_from_now(self) -> None:
        """The clock starts now, compiling included: of a run among others in one program."""
        self._begun, self.from_start = time.monotonic(), True

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Within the block OutOfTime is raised some time after the bound on seconds, whatever runs; only in the main thread.

        The alarm of another, such as a limit on the time of a test, rings when it was to, and first if it is due first.
        """
        if not self.from_start or self.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        left, due = self.seconds + GRACE - self.elapsed(), signal.getitimer(signal.ITIMER_REAL)[0]
        if due and due <= left:
            yield
            return

        def end(number: int, frame: Any) -> None:
            raise OutOfTime

        before, begun = signal.signal(signal.SIGALRM, end), time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, max(0.01, left), 0.5)  # again and again: what is raised in a callback of C is lost
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if due:
                signal.setitimer(signal.ITIMER_REAL, max(0.01, due - (time.monotonic() - begun)))

    def validate_memory(self) -> None:
        """Unreachable when the process holds more memory than allowed before it explores anything."""
        held = resident_memory()
        if self.available is not None and self.available - held < LEAST:
            raise NoRoom(
                f"only {(self.available - held) / 2**20:,.0f} MB of memory are available, on the machine or in the control group;"
                " end other programs, or allow more"
            )
        if self.memory is not None and held >= self.memory // sharers:
            shared = f"; {sharers} processes share it: allow more, or give fewer --jobs" if sharers > 1 else "; allow more"
            raise Unreachable(
                f"the bound of {self.memory / 2**20:,.0f} MB of memory is reached before the first state: highwater itself"
                f" holds {held / 2**20:,.0f} MB{shared}"
            )

    def limit_to_machine(self) -> None:
        """Bound memory by what is available now, unless it has a bound: a run ends before the system ends it."""
        if self.memory is None:
            self.available = resident_memory() + int(MOST_OF_IT * available_memory()) // sharers

    def room(self) -> int | None:
        """Bytes that are left until a bound on memory; None without one."""
        most = self.memory // sharers if self.memory else self.available
        return None if most is None else most - resident_memory()

    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._begun

    def reached(self, states: int) -> str:
        """The bound that is reached, in words; empty while none is. Depth is looked at between levels."""
        if self.states is not None and states >= self.states:
            return f"the bound of {self.states:,} states"
        if self.seconds is not None and self.elapsed() >= self.seconds:
            return self.over()
        return self.filled()

    def over(self) -> str:
        """The bound on seconds, in words."""
        return f"the bound of {self.seconds:g} seconds"

    def filled(self, more: int = 0) -> str:
        """The bound on memory, in words, if it is reached, or would be with this many more bytes; else empty."""
        room = self.room()
        if room is None or room > more:
            return ""
        if self.memory is not None:
            shared = f", which {sharers} processes share," if sharers > 1 else ""
            return f"the bound of {self.memory / 2**20:,.0f} MB of memory{shared}"
        return f"the bound of {(self.available or 0) / 2**20:,.0f} MB of memory, of what was available at the start,"

    def deepest(self, depth: int) -> str:
        """The bound on depth, in words, if a level of this depth is the last to be looked at."""
        return f"the bound of depth {self.depth}" if self.depth is not None and depth >= self.depth else ""


def resident_memory() -> int:
    """Bytes that the process holds in memory, without pages of files: the system takes those back when it needs them."""
    held = psutil.Process().memory_info()
    return int(held.rss - getattr(held, "shared", 0))
