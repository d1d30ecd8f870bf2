"""A folder of past failures, as trace files: they are replayed before anything new is tried."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.property import Property
from ...traces.replay import replay
from ...traces.text import read_file
from ...traces.trace import Trace
from ..files import write_file
from ..trace_files import text_of, trace_path

NO_TRACE = Trace("", "", "", {}, 0, ())
"""Stands for the content of a file that is no trace."""


@dataclass
class Failure:
    """One file: its trace, whether it still violates its property, and why it does not run, if it does not."""

    path: Path
    trace: Trace
    is_violated: bool
    mismatch: str


def is_within(config: Any, largest: Any) -> bool:
    """Whether the configuration has the same switches as `largest`, and no size or fault beyond it."""
    for name, setting in config.settings.items():
        value, bound = getattr(config, name), getattr(largest, name)
        if value > bound or (setting.group not in ("size", "fault") and value != bound):
            return False
    return True


class Corpus:
    """The trace files of a folder, which need not exist yet."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def failures(
        self, model: Model, revision: str, largest: Any, properties: Sequence[Property], smaller: bool = True
    ) -> Iterator[Failure]:
        """Every trace of this model and revision that is about one of the properties, replayed: of the sizes `largest`, or of
        `smaller` ones too."""
        named = {p.name: p for p in properties}
        for path in sorted(self.folder.glob("*.trace")):
            try:
                trace = read_file(str(path))
            except UsageError as error:
                yield Failure(path, NO_TRACE, False, str(error))
                continue
            if trace.model == model.name and trace.revision == revision and trace.property in named:
                try:
                    config = model.configure(revision, **trace.settings)
                    if not is_within(config, largest) or not (smaller or config.shown() == largest.shown()):
                        continue
                    replayed = replay(trace, model, [named[trace.property]])
                except UsageError as error:
                    yield Failure(path, trace, False, str(error))
                    continue
                yield Failure(path, trace, trace.property in replayed.broken, replayed.mismatch)

    def add(self, trace: Trace, model: Model) -> Path:
        """Write a failure; the name tells the settings and the property, and a digest tells one failure from another."""
        text = text_of(trace, model)
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        path = Path(trace_path(self.folder, trace, text, digest))
        write_file(str(path), text)
        return path
