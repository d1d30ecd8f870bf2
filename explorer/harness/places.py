"""Which file and line a report points to: always a file of the repository that is being checked.

A property, a revision or an action of a plugin in the repository has its own line. Of others the scenario is the place that
the reader can change: its line in `highwater.toml` or `pyproject.toml`.
"""

import inspect
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.reading.python_files import line_of_call
from ...model.language.steps import Rule

if TYPE_CHECKING:
    from .scenarios import Scenario

FILES = ("highwater.toml", "pyproject.toml")

OURS = Path(__file__).resolve().parents[2]
"""The folder of Highwater's own modules."""

Place = tuple[str, int]
"""A path from the repository's folder, and a line."""


def repository() -> Path:
    """The folder of the repository: where GitHub has checked it out, else this folder."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or ".").resolve()


def relative(file: Path) -> str:
    """The path of a file from the repository's folder, where it lies there."""
    whole = file.resolve()
    return whole.relative_to(repository()).as_posix() if whole.is_relative_to(repository()) else os.path.relpath(whole)


def for_reviewers(text: str, plugins: Iterable[str] = ()) -> str:
    """The text with each `file.py:12` as a reader of the repository knows it: of a plugin from the repository's folder, and
    `highwater/properties/isr.py` for Highwater's own, which is no file of the repository."""
    modules = [getattr(sys.modules.get(name.partition(":")[0]), "__file__", None) for name in plugins]
    files = [Path(file).resolve() for file in modules if file]

    def known(found: re.Match[str]) -> str:
        mine = next((file for file in files if str(file).endswith(f"/{found[1]}")), None)
        if mine is not None:
            return relative(mine)
        return f"highwater/{found[1]}" if (OURS / found[1]).is_file() and not (repository() / found[1]).is_file() else found[1]

    return re.sub(r"(?<![\w./-])([\w./-]+\.py)(?=:\d)", known, text)


def place_in_repository(function: Any) -> Place | None:
    """The file and the line of a function, when it is one of the repository's own files."""
    if isinstance(function, Rule):
        function = function.existing[0]
    try:
        file, line = Path(inspect.getsourcefile(function) or "").resolve(), inspect.getsourcelines(function)[1]
    except (OSError, TypeError):
        return None
    if not file.is_relative_to(repository()):
        return None
    path = file.relative_to(repository())
    if "site-packages" in path.parts or any(part.startswith(".") for part in path.parts):
        return None  # an environment within the repository's folder
    return path.as_posix(), line


def place_of_revision(model: Model, revision: str) -> Place | None:
    """The line of a plugin's `Revision("name", ...)`, when the plugin is one of the repository's files."""
    for plugin in model.plugins:
        name = plugin.partition(":")[0]
        for module in [item for key, item in sys.modules.items() if key == name or key.startswith(f"{name}.")]:
            path = Path(getattr(module, "__file__", None) or "").resolve()
            if path.suffix != ".py" or not path.is_file() or not path.is_relative_to(repository()):
                continue
            line = line_of_call(path.read_bytes(), "Revision", revision)
            if line is not None:
                return path.relative_to(repository()).as_posix(), line
    return None


def place_of_scenario(model: str, revision: str) -> Place | None:
    """The first scenario of a model and a revision, else of the model, in a file of this folder."""
    from .scenarios import read_scenarios  # not before: it runs them too, and so imports the compiler

    for name in FILES:
        path = Path(name)
        if not path.is_file() or not path.resolve().is_relative_to(repository()):
            continue
        try:
            scenarios = read_scenarios(path)
        except UsageError:
            continue  # the pytest plugin reports it when it runs the scenarios
        of_model = [scenario for scenario in scenarios if scenario.said.model == model]
        chosen = [node for node in of_model if is_of(node, revision)] or of_model
        if chosen:
            return path.resolve().relative_to(repository()).as_posix(), chosen[0].line
    return None


def is_of(scenario: "Scenario", revision: str) -> bool:
    """Whether a scenario is about a revision."""
    try:
        return scenario.revision() == revision
    except UsageError:
        return False
