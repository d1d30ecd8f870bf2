"""Which file and line a report points to: always a file of the repository that is being checked.

A property, or an action, of a plugin in the repository has its own line. Of others the scenario is the place that the reader
can change: its line in `highwater.toml` or `pyproject.toml`.
"""

import inspect
import os
from pathlib import Path
from typing import Any

from ...model.language.actions import Rule
from ...model.language.errors import UsageError
from ..harness.scenarios import Scenario, read_scenarios

FILES = ("highwater.toml", "pyproject.toml")

Place = tuple[str, int]
"""A path from the repository's folder, and a line."""


def repository() -> Path:
    """The folder of the repository: where GitHub has checked it out, else this folder."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or ".").resolve()


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


def place_of_finding(function: Any, model: str, revision: str) -> Place | None:
    """The place of what was found: the property's, else that of a scenario which checks this revision, else none."""
    return place_in_repository(function) or place_of_scenario(model, revision)


def place_of_scenario(model: str, revision: str) -> Place | None:
    """The first scenario of a model and a revision, else of the model, in a file of this folder."""
    for name in FILES:
        path = Path(name)
        if not path.is_file() or not path.resolve().is_relative_to(repository()):
            continue
        try:
            scenarios = read_scenarios(path)
        except UsageError:
            continue  # the pytest plugin reports it when it runs the scenarios
        of_model = [one for one in scenarios if one.said.model == model]
        chosen = [one for one in of_model if is_of(one, revision)] or of_model
        if chosen:
            return path.resolve().relative_to(repository()).as_posix(), chosen[0].line
    return None


def is_of(scenario: Scenario, revision: str) -> bool:
    """Whether a scenario is about a revision."""
    try:
        return scenario.revision() == revision
    except UsageError:
        return False
