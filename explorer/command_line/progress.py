"""The live line of a long run, on standard error: one line that is rewritten, or now and then a new one."""

from __future__ import annotations

import sys
import time

from ..budget import resident_memory
from ..local.breadth_first import Progress

EVERY = {True: 0.2, False: 30.0}
"""Seconds between two lines, on a terminal and elsewhere."""


class ProgressLine:
    """Call it with each `Progress`; `done` clears the line."""

    def __init__(self, label: str = "", quiet: bool = False) -> None:
        self.label, self.quiet = label, quiet
        self.live = sys.stderr.isatty()
        self.last = time.monotonic()
        self.shown = False

    def __call__(self, now: Progress) -> None:
        moment = time.monotonic()
        if self.quiet or moment - self.last < EVERY[self.live]:
            return
        self.last, self.shown = moment, True
        text = line(now, self.label)
        sys.stderr.write(f"\r\x1b[2K{text}" if self.live else f"{text}\n")
        sys.stderr.flush()

    def done(self) -> None:
        """Clear what was shown."""
        if self.live and self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def line(now: Progress, label: str) -> str:
    """Depth, states, what is left of the level, rate, memory."""
    rate = now.states / max(1e-9, now.seconds)
    left = now.frontier - now.expanded
    return (
        f"{label}depth {now.depth}  {now.states:,} states  frontier {left:,} of {now.frontier:,}"
        f"  {rate:,.0f} states/s  {resident_memory() >> 20:,} MB  {now.seconds:.0f} s"
    )
