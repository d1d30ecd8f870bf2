"""When to stop: bounds on depth, states, seconds and memory."""

import time
from dataclasses import dataclass, field

import psutil

from ..model.language.errors import UsageError


class Unreachable(UsageError):
    """A bound is reached before the first state: because of the bound, not of what is explored."""


@dataclass
class Bounds:
    """None: no bound. `memory` counts bytes of the whole process."""

    depth: int | None = None
    states: int | None = None
    seconds: float | None = None
    memory: int | None = None
    _begun: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """The clock starts now."""
        self._begun = time.monotonic()

    def refuse_unreachable(self) -> None:
        """Unreachable when the process holds more memory than allowed before it explores anything."""
        held = resident_memory()
        if self.memory is not None and held >= self.memory:
            raise Unreachable(
                f"the bound of {self.memory / 2**20:,.0f} MB of memory is reached before the first state: highwater itself"
                f" holds {held / 2**20:,.0f} MB; allow more"
            )

    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._begun

    def reached(self, states: int) -> str:
        """The bound that is reached, in words; empty while none is. Depth is looked at between levels."""
        if self.states is not None and states >= self.states:
            return f"the bound of {self.states:,} states"
        if self.seconds is not None and self.elapsed() >= self.seconds:
            return f"the bound of {self.seconds:g} seconds"
        if self.memory is not None and resident_memory() >= self.memory:
            return f"the bound of {self.memory / 2**20:,.0f} MB of memory"
        return ""

    def deepest(self, depth: int) -> str:
        """The bound on depth, in words, if a level of this depth is the last to be looked at."""
        return f"the bound of depth {self.depth}" if self.depth is not None and depth >= self.depth else ""


def resident_memory() -> int:
    """Bytes that the process holds in memory, without pages of files: the system takes those back when it needs them."""
    held = psutil.Process().memory_info()
    return int(held.rss - getattr(held, "shared", 0))
