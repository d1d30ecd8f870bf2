"""Compiling in a child process, so that this one can report progress and do other work.

What the child compiles reaches this process through the cache on disk. Where processes cannot be forked safely, where
nothing is compiled, or where the cache has it all, there is no child, and functions are compiled when they are called: in the
first case after `HeadStart`, where the caller can use one.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ...model.language.machine_code.loader import Loaded, cache_folder
from ...model.language.machine_code.processor import way

LOOK = 0.2
"""Seconds between two looks whether the parent lives."""

MIN_SECONDS, MAX_SECONDS = 3, 30
"""Seconds that compiling takes for most models: reported where no earlier time is known."""


HEAD_START = 0.6
"""CPU seconds in which plain Python may finish before this process itself compiles: a small model is not compiled at all."""


class BackgroundCompiler:
    """A process that compiles. `usual`: how long that usually takes, in words."""

    def __init__(self, module: Loaded, child: int) -> None:
        self.child, self.begun, self.running, self.code = child, time.monotonic(), True, 0
        self.kept = cache_folder() / f"{module.name.rpartition('_')[0]}.seconds"
        self.usual = usual(self.kept)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.begun

    def line(self) -> str:
        """The progress line."""
        return f"compiling: {self.seconds:.0f} s so far, {self.usual}"

    def is_done(self) -> bool:
        """Whether it has come to its end; how long it took is kept for the next time."""
        ended, status = os.waitpid(self.child, os.WNOHANG) if self.running else (0, 0)
        if ended:
            self.running, self.code = False, os.waitstatus_to_exitcode(status)
            with suppress(OSError):
                if self.code == 0:
                    self.kept.write_text(f"{self.seconds:.0f}\n")
        return not self.running

    def has_failed(self) -> bool:
        """Whether it has ended otherwise than with compiled code."""
        return self.is_done() and self.code != 0

    def stop(self) -> None:
        """End it, and the processes that it has begun."""
        if self.running:
            self.running = False
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)


class HeadStart(BackgroundCompiler):
    """In place of a process that compiles: it is over after `HEAD_START` seconds, and then this process compiles."""

    def __init__(self) -> None:
        self.begun, self.running = time.process_time(), False

    @property
    def seconds(self) -> float:
        """CPU seconds since it began."""
        return time.process_time() - self.begun

    def line(self) -> str:
        """The progress line."""
        return "nothing is compiled yet"

    def is_done(self) -> bool:
        """Whether it is time to compile."""
        return self.seconds > HEAD_START

    def has_failed(self) -> bool:
        """Nothing was tried."""
        return False


def usual(kept: Path) -> str:
    """How long compiling takes, in words: as long as the last time for this model."""
    try:
        return f"the last time {int(kept.read_text())} s"
    except (OSError, ValueError):
        return f"usually {MIN_SECONDS} to {MAX_SECONDS} s"


def compile_in_background(
    module: Loaded, entries: Sequence[tuple[Loaded, str]], work: Callable[[], object], can_wait: bool = False
) -> BackgroundCompiler | None:
    """A child that compiles the entries as it runs `work`; None if all are compiled, or this process has to do it: after a head
    start, if that `can_wait`.

    How long it takes is kept beside the module.
    """
    if not way().is_compiled or all(loaded.has_kept(entry) for loaded, entry in entries):
        return None
    if threading.active_count() > 1 or not hasattr(os, "fork"):
        return HeadStart() if can_wait else None
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setpgid(0, 0)
            quiet()
            threading.Thread(target=end_with, args=(parent,), daemon=True).start()
            work()
            code = 0
        finally:
            os._exit(code)
    with suppress(OSError):
        os.setpgid(child, child)
    return BackgroundCompiler(module, child)


def end_with(parent: int) -> None:
    """End this process, and those that it has begun, soon after its parent has ended, whatever ended that."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os.killpg(0, signal.SIGKILL)


def quiet() -> None:
    """Print nothing: an error here occurs again in the parent, which reports it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def wait_for(compiler: BackgroundCompiler | None, report: Callable[[str], None] | None, seconds: float | None = None) -> bool:
    """Wait until it has compiled, reporting progress; False when this many seconds pass first."""
    try:
        while compiler is not None and compiler.running and not compiler.is_done():
            if seconds is not None and compiler.seconds >= seconds:
                return False
            if report is not None:
                report(compiler.line())
            time.sleep(0.1)
        return True
    finally:
        if compiler is not None:
            compiler.stop()
