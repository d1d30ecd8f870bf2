"""The course of a trace, step by step: what each action is, where it stands, and what else could have happened there."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import LanguageError, short
from ..model.language.reading.python_files import guard_texts, without_docstring
from ..model.language.reading.source import source_of
from ..model.language.steps import Action
from .replay import last_line


def place_of(file: str, line: int) -> str:
    """`model/truncation/by_leader_epoch.py:39`: below the package, or the last two parts of another path."""
    parts = Path(file).parts
    roots = [at for at, part in enumerate(parts) if part in ("model", "properties", "traces", "explorer")]
    return f"{'/'.join(parts[roots[-1] :]) if roots else short(file)}:{line}"


@dataclass(frozen=True)
class ActionNotes:
    """What is known of an action: the first sentence of its docstring, its design, Kafka's name for it, file and line, source."""

    name: str
    summary: str
    design: str
    kafka: str
    file: str
    line: int
    source: str

    @property
    def place(self) -> str:
        """The file, from the package on, and the line."""
        return place_of(self.file, self.line)

    @property
    def origin(self) -> str:
        """Where it comes from: the design's place, Kafka's name, file and line."""
        parts = [f"Design: {self.design}." if self.design else ""]
        parts.append(f"Kafka: {self.kafka}." if self.kafka and self.kafka != "none" else "")
        return f"{' '.join(filter(None, parts))} ({self.place})".strip()

    @property
    def sentence(self) -> str:
        """What a reader sees of it, in one line."""
        return f"{self.summary} {self.origin}"


def notes_of(model: Model, config: Any, name: str) -> ActionNotes:
    """What is known of the action of this name under a configuration."""
    action = model.action(name)
    return notes_of_version(action, action.version(config), action.section("Design", config), action.section("Kafka", config))


@cache
def notes_of_version(action: Action, version: Any, design: str, kafka: str) -> ActionNotes:
    """The same, of the version that a configuration chooses."""
    summary = " ".join((version.__doc__ or "").split("\n\n")[0].split())
    try:
        file, first, text = without_docstring(version)
    except (LanguageError, OSError, TypeError):
        return ActionNotes(action.name, summary, design, kafka, "?", 0, "")
    return ActionNotes(action.name, summary, design, kafka, file, first, text)


def texts_of(model: Model, config: Any, names: tuple[str, ...]) -> dict[str, str]:
    """The text of actions as they run under a configuration, without docstrings; of none whose source cannot be read."""
    try:
        pieces = source_of(model, config, (), names) if names else ()
    except LanguageError:
        return {}
    return {piece.name: (piece.heading + piece.body).rstrip() for piece in pieces if piece.is_action}


def enabled(model: Model, state: Any) -> list[str]:
    """The labels of what can happen in a plain state."""
    return [action.label(arguments) for action, arguments, _ in model.enabled(state)]


def refused(model: Model, state: Any) -> Iterator[dict[str, str]]:
    """For each action that is not enabled: the guard that refuses the arguments that pass the most guards.

    Actions that the revision does not have are left out. Guards stand before the first write, so the state need not be copied
    to ask them.
    """
    successor = state.copy()
    for action in model.actions:
        function = action.version(state.config)
        if not action.exists(state.config):
            continue
        furthest, label, taken = 0, "", False
        for arguments in action.instances(state.config):
            if function(successor, *arguments):
                successor, taken = state.copy(), True
                break
            line = last_line(function, successor, arguments)
            if line > furthest:
                furthest, label = line, action.label(arguments)
        if not taken and label:
            guard = guard_texts(function).get(furthest, "")
            file = notes_of(model, state.config, action.name).place.rpartition(":")[0]
            yield {"action": label, "guard": guard, "source": f"{file}:{furthest}"}
