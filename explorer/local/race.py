"""Exploring while the compiler works: a small state space is explored sooner than it is compiled.

The same search runs over kernels in plain Python (`uncompiled`), so the outcome does not depend on which of the two is done
first: states, counts, findings and traces are the same. When the compiler is first, the plain search is discarded.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from ..compiling.background_compiler import BackgroundCompiler, HeadStart, wait_for
from ..compiling.compiled import Compiled
from ..request import Request
from ..search import SearchStatus
from .breadth_first import BreadthFirst, compile_tables, search_for
from .uncompiled import uncompiled

EVERY = 0.2
"""Seconds between two checks of the compiler."""

ALONE = 1.0
"""Seconds after which the search pauses to help the compiler. It compiles what keeps states, which takes about as long."""

LONGER = 2.5
"""CPU seconds of a head start, at most, if levels have become smaller."""

MAX_STATES = 200_000
"""Any compiler is done before plain Python reaches this many states; from there on the search only waits, to save memory."""

Report = Callable[[SearchStatus], None]


@dataclass
class WhileCompiling(SearchStatus):
    """How far the search in plain Python is, and what the compiler does `background`."""

    background: str = ""


class CompiledFirst(Exception):
    """The compiler is done: compiled code begins from the start."""


def can_race(request: Request, compiled: Compiled) -> bool:
    """Whether plain Python may do what is asked for."""
    bounded = request.bounds.memory is not None or request.run_directory is not None
    return not (request.symmetry or request.progress or bounded or compiled.beginnings.are_many)


def race_with_compiler(
    request: Request, compiled: Compiled, compiler: BackgroundCompiler, report: Report | None
) -> BreadthFirst | None:
    """The search, if it ended while the compiler worked; None when the compiler was first or failed, or the request rules it out.

    What failed is compiled again in this process, which reports it: it is not hidden by a search that needed no compiler.
    """
    try:
        if not can_race(request, compiled):
            compile_tables(compiled)
            wait(compiler, report)
            return None
        search = Racer(request, compiled, compiler, report).run()
        return None if compiler.has_failed() else search
    finally:
        compiler.stop()


def wait(compiler: BackgroundCompiler, report: Report | None) -> None:
    """Wait for the compiler."""

    def say(text: str) -> None:
        assert report is not None
        report(WhileCompiling(1, 0, 0, 0, 0, compiler.seconds, 0, background=f"{text}  "))

    wait_for(compiler, say if report is not None else None)


class Racer:
    """A search in plain Python beside the compiler."""

    def __init__(self, request: Request, compiled: Compiled, compiler: BackgroundCompiler, report: Report | None) -> None:
        self.request, self.compiled, self.compiler, self.report = request, compiled, compiler, report
        self.has_helped = False
        self.last = time.monotonic()
        self.search = search_for(request, uncompiled(compiled, self.tick), 1)

    def run(self) -> BreadthFirst | None:
        """Explore to the end, within the bounds, that on time if compiling counts too; None when the compiler was first."""
        search, bounds = self.search, self.request.bounds
        try:
            search.seed()
            search.run(replace(bounds, memory=None, seconds=bounds.seconds if bounds.from_start else None))
        except CompiledFirst:
            return None
        except Exception:  # a model that fails does so again in compiled code, where it is located
            wait(self.compiler, self.report)
            return None
        return search

    def is_at_the_end(self) -> bool:
        """Whether the search, which has only a head start, has seen its widest level: then it may go on for a while."""
        levels = self.search.levels
        return isinstance(self.compiler, HeadStart) and self.compiler.seconds < LONGER and levels[-1] < max(levels)

    def tick(self) -> None:
        """Called for each state: check the compiler, and report the progress of both."""
        now = time.monotonic()
        if now - self.last < EVERY:
            return
        self.last = now
        if self.compiler.is_done() and not self.is_at_the_end():
            raise CompiledFirst
        if self.compiler.seconds > ALONE and not self.has_helped and not isinstance(self.compiler, HeadStart):
            self.has_helped = True
            compile_tables(self.compiled)
        search = self.search
        if search.states > MAX_STATES:
            wait(self.compiler, self.report)
            raise CompiledFirst
        if self.report is not None:
            progress = search.progress(self.compiler.seconds)
            self.report(WhileCompiling(**asdict(progress), background=f"{self.compiler.line()}; meanwhile in plain Python: "))
