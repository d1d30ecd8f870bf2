"""Runs that nobody watches: what their log says, and the command of the user's that is run at every end the process survives."""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from ..output.progress_line import ProgressLine
from ..output.report import counted, explanation
from ..output.streams import complain
from ..request import Request
from ..verdict import EXIT_CRASH, Outcome
from .failures import described


class Ending:
    """What is said of the end of a run. `about`: what it explores, once that is known."""

    def __init__(self, options: argparse.Namespace, progress: ProgressLine) -> None:
        self.command: list[str] | None = options.notify
        self.place: str | None = options.run_dir
        self.on_spark = options.engine == "spark"
        self.progress, self.about, self.plugins = progress, "highwater check", tuple(options.plugin)
        self.begun = False

    def is_about(self, request: Request) -> None:
        """It is known what is explored."""
        self.about, self.plugins = f"{request.model.name} {request.revision}", request.model.plugins

    def say(self, what: str) -> None:
        """A line of the log; a terminal shows it until the next one."""
        self.begun = True
        self.progress(what)
        self.progress.note(f"{self.about} {what}")

    def report(self, now: Any) -> None:
        """Progress; the first of a run that is resumed says where."""
        if self.on_spark and now.resumed and not self.progress.depth:
            self.progress.note(f"{self.about} resumes at level {now.depth} with {now.states:,} states")
        self.progress(now)

    def outcome(self, outcome: Outcome, code: int) -> None:
        """The end of a run that has an outcome."""
        self._say(f"{outcome.verdict}: {explanation(outcome)}; {counted(outcome)}", code)

    def failure(self, error: BaseException) -> None:
        """The end of a run that has none."""
        code, why = described(error, self.plugins)
        why = f"a defect of highwater, {type(error).__name__}: {error}" if code == EXIT_CRASH else why
        depth = self.progress.depth
        go_on = "; continue with the same command and --resume" if depth and self.place and "--resume" not in why else ""
        self._say(f"{f'stopped at level {depth}' if depth else 'not begun'}: {why}{go_on}", code)

    def _say(self, how: str, code: int) -> None:
        if self.begun:  # a log that has a first line has a last one; what is refused before is one sentence
            self.progress.note(f"{self.about} ends: {how}")
        if self.command:
            notify(self.command, f"{self.about}: {how}", code)


@contextmanager
def unattended(options: argparse.Namespace, progress: ProgressLine) -> Iterator[Ending]:
    """Within the block a run goes on; if it fails, that is said in the log and to the command of --notify."""
    ending = Ending(options, progress)
    try:
        with termination_raises(bool(options.notify)):
            yield ending
    except BaseException as error:
        ending.failure(error)
        raise


@contextmanager
def termination_raises(wanted: bool) -> Iterator[None]:
    """Within the block SIGTERM is an interruption also while there is no search that could end for it."""
    if not wanted or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def program(text: str) -> list[str]:
    """The words of a command of the user's; what could not be run at the end of a night is refused before it begins."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"cannot be read as a command: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise argparse.ArgumentTypeError(f"there is no program {words[0] if words else ''!r:.60} that can be run")
    return words


def notify(command: list[str], about: str, code: int) -> None:
    """Run a command of the user's with what happened in a sentence; what goes wrong is said, and changes no exit code."""
    try:
        done = subprocess.run([*command, about], env={**os.environ, "HIGHWATER_EXIT_CODE": str(code)}, check=False)
        wrong = f"ended with {done.returncode}" if done.returncode else ""
    except OSError as error:
        wrong = f"cannot be run: {error}"
    if wrong:
        complain(f"--notify: {shlex.join(command):.80} {wrong}")
