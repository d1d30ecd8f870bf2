"""What a long run says meanwhile, on standard error: a line that is rewritten on a terminal, elsewhere a new one now and then."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ..budget import resident_memory
from ..verdict import MEMORY

EVERY = {True: 0.2, False: 60.0}
"""Seconds between two lines, on a terminal and elsewhere."""


RESUMABLE = "with --run-dir DIR it could be resumed where there is more memory"

SILENT = 2.0
"""Seconds after which it is said, once and everywhere, that something is compiled."""


def more_memory(kept_in: str) -> str:
    """What helps a run for which there is not enough memory; `kept_in`: its directory, if it has one."""
    resumed = f"continue where there is more memory with --run-dir {kept_in} --resume"
    return f"; {resumed if kept_in else RESUMABLE}, and --engine spark keeps states in files"


class ProgressLine:
    """Call it with a line, as text or as what makes the text; within a `with` block, at whose end the line disappears."""

    def __init__(self, label: str = "", quiet: bool = False, kept_in: str = "") -> None:
        self.label, self.quiet, self.kept_in = label, quiet, kept_in
        self.console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.begun = self.last = time.monotonic()
        self.live: Live | None = None
        self.announced = False
        self.depth = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.live is not None:
            self.live.stop()
            self.live = None

    def __call__(self, now: Any) -> None:
        moment, self.depth = time.monotonic(), getattr(now, "depth", self.depth)
        doubt = getattr(now, "doubt", None)
        if doubt and not self.quiet:
            helps = more_memory(self.kept_in) if doubt.ended_by == MEMORY else ""
            self.console.print(f"{doubt}{helps}; highwater estimate says more", soft_wrap=True)
        compiling = not self.announced and is_compiling(now) and moment - self.begun >= SILENT
        if self.quiet or (moment - self.last < EVERY[self.console.is_terminal] and not compiling):
            return
        self.last, self.announced = moment, self.announced or compiling
        text = self.label + (now if isinstance(now, str) else line(now))
        if not self.console.is_terminal:
            print(stamped(text), file=sys.stderr, flush=True)
            return
        if self.live is None:  # not before: its thread would keep the compiler from using a second process
            self.live = Live(console=self.console, transient=True, auto_refresh=False)
            self.live.start()
        self.live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    @contextmanager
    def ticking(self, text: str) -> Iterator[None]:
        """Within the block, which says nothing itself, the line is this text and how long it has taken."""
        begun, over = time.monotonic(), threading.Event()

        def tick() -> None:
            while not over.wait(1.0):
                self(f"{text}, {elapsed(time.monotonic() - begun)}")

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def note(self, text: str) -> None:
        """A line for the log of a run that nobody watches: on a terminal, or if quiet, it is not needed."""
        if not self.quiet and not self.console.is_terminal:
            print(stamped(text), file=sys.stderr, flush=True)


def stamped(text: str) -> str:
    """A line of a log: when, and what."""
    return f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}"


def is_compiling(now: Any) -> bool:
    """Whether a line is about compiling."""
    return (now if isinstance(now, str) else getattr(now, "background", "")).startswith("compiling")


def line(now: Any) -> str:
    """Where an exploration is: seconds, depth, states, what is left of the level, rate, memory; on Spark what its tasks do."""
    found = now.states - now.resumed
    rate = f"  {found / now.seconds:,.0f} states/s" if now.seconds >= 1 and found >= now.seconds else ""
    begun = f"{elapsed(now.seconds)}  {getattr(now, 'background', '')}depth {now.depth}  {now.states:,} states"
    if not hasattr(now, "skew"):
        share = f" ({100 * now.expanded // now.frontier}% of this level)" if now.expanded else ""
        left = f"frontier {now.frontier - now.expanded:,} of {now.frontier:,}{share}"
        return f"{begun}  {left}{rate}  {resident_memory() >> 20:,} MB"
    tasks = f"  tasks {now.tasks_done} of {now.tasks}" if now.tasks else ""
    if now.waiting:
        tasks += "  waiting: the master has given no executor yet, look at its workers"
    return (
        f"{begun}  frontier {now.frontier:,}{rate}  skew {now.skew:.2f}"
        f"  sent {now.shuffled >> 20:,} MB{tasks}  {now.failed} failed  {now.retried} retried"
    )


def elapsed(seconds: float) -> str:
    """`42 s`, `12 min 5 s`, `7 h 3 min`."""
    whole = int(seconds)
    if whole < 100:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 6000 else f"{whole // 3600} h {whole % 3600 // 60} min"
