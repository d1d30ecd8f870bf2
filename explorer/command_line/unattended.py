"""Runs that nobody watches: what their log says of the beginning and of every end that the process survives."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..output.progress_line import ProgressLine
from ..output.report import counted, explanation
from ..request import Request
from ..verdict import EXIT_CRASH, Outcome
from .failures import described


class Ending:
    """What is said of the end of a run. `about`: what it explores, once that is known."""

    def __init__(self, options: argparse.Namespace, progress: ProgressLine) -> None:
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

    def outcome(self, outcome: Outcome) -> None:
        """The end of a run that has an outcome."""
        self._say(f"{outcome.verdict}: {explanation(outcome)}; {counted(outcome)}")

    def failure(self, error: BaseException) -> None:
        """The end of a run that has none."""
        code, why = described(error, self.plugins)
        why = f"a defect of highwater, {type(error).__name__}: {error}" if code == EXIT_CRASH else why
        depth = self.progress.depth
        go_on = "; continue with the same command and --resume" if depth and self.place and "--resume" not in why else ""
        self._say(f"{f'stopped at level {depth}' if depth else 'not begun'}: {why}{go_on}")

    def _say(self, how: str) -> None:
        if self.begun:  # a log that has a first line has a last one; what is refused before is one sentence
            self.progress.note(f"{self.about} ends: {how}")


@contextmanager
def unattended(options: argparse.Namespace, progress: ProgressLine) -> Iterator[Ending]:
    """Within the block a run goes on; if it fails, that is said in the log."""
    ending = Ending(options, progress)
    try:
        yield ending
    except BaseException as error:
        ending.failure(error)
        raise
