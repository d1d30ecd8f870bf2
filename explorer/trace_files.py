"""Where counterexamples are written: under names that say what they are about, and never over another's."""

import hashlib
import os
import stat
from collections.abc import Container
from pathlib import Path

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..properties.explained_document import document_of
from ..properties.registry import Models
from ..traces.notation import change_lines
from ..traces.pictures.page import page
from ..traces.shrink import plain_states
from ..traces.text import write
from ..traces.trace import Trace, digest_of
from .files import write_file

LONGEST_SETTINGS = 120
"""Characters of a name that say the settings; more become a digest."""

MOST_STEPS = 5_000
"""Steps of a picture; each takes some 70 KB of memory while it is drawn."""


def text_of(trace: Trace, model: Model) -> str:
    """The trace as text, with what each step changed."""
    return write(trace, change_lines(model, plain_states(trace, model)))


def trace_path(folder: str | Path, trace: Trace, text: str, *more: str, taken: Container[str] = ()) -> str:
    """A path for a trace that is not in `taken`; the name contains the settings that differ from the revision's defaults."""
    settings = "-".join(f"{name.replace('_', '')}{value}" for name, value in trace.settings.items())
    if len(settings) > LONGEST_SETTINGS:
        settings = hashlib.sha256(settings.encode()).hexdigest()[:12]
    plugins = "+".join(plugin.partition("@")[0].partition(":")[0] for plugin in trace.plugins)
    parts = (trace.model, plugins, trace.revision, settings, trace.property, *more)
    return free_path(folder, "-".join(filter(None, parts)), text, taken)


def write_page(trace: Trace, model: Model, beside: str) -> str:
    """Draw a trace as a page beside its file; the page's path, or nothing where the trace is too long to be drawn."""
    if len(trace.steps) > MOST_STEPS:
        return ""
    path = str(Path(beside).with_suffix(".html"))
    write_file(path, page(document_of(trace, model, choices=False)))
    return path


def model_of(models: Models, trace: Trace, name: str) -> Model:
    """The model of a trace from the file `name`; UsageError if a plugin is missing with which the trace was recorded."""
    loaded = {plugin for model in models.values() for plugin in model.plugins}
    recorded = [plugin.partition("@")[0] for plugin in trace.plugins]
    missing = [plugin for plugin in recorded if plugin not in loaded]
    if missing:
        flags = " ".join(f"--plugin {item}" for item in missing)
        raise UsageError(f"{name} was recorded with the plugin {missing[0]}: add {flags}")
    return models[trace.model]


def changed_plugins(trace: Trace) -> list[str]:
    """The plugins whose text is another now than when the trace was recorded."""
    pairs = [plugin.split("@") for plugin in trace.plugins]
    return [name for name, digest in pairs if digest_of(name) != digest]


def free_path(folder: str | Path, name: str, text: str, taken: Container[str] = ()) -> str:
    """A path with this name, numbered where something else than `text` has it already, or it is `taken`."""
    number, path = 1, Path(folder) / f"{name}.trace"
    while str(path) in taken or holds_another(path, text):
        number += 1
        path = Path(folder) / f"{name}-{number}.trace"
    return str(path)


def holds_another(path: Path, text: str) -> bool:
    """Whether there is something else at a path."""
    try:
        there = os.stat(path)
    except OSError:
        return False
    try:
        return not stat.S_ISREG(there.st_mode) or path.read_bytes() != text.encode()
    except OSError:
        return True
