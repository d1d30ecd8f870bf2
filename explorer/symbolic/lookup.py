"""Whether a state is among those that a run of `highwater check --run-dir` has explored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...traces.trace import version_of
from ..compiling.compiled import Compiled
from ..local.run_directory import MANIFEST


class Explored:
    """The states of a run directory; UsageError when it is about another model, revision or configuration."""

    def __init__(self, path: str, model: Model, revision: str, config: Any) -> None:
        self.path, self.model = Path(path), model
        try:
            self.manifest = json.loads((self.path / MANIFEST).read_text())
            self.files = list(self.manifest["files"])
            symmetry = bool(self.manifest["symmetry"])
        except (OSError, ValueError, KeyError, TypeError):
            raise UsageError(f"{path} holds no run: give a directory that highwater check --run-dir has written") from None
        mine = {"model": model.name, "model_version": version_of(model), "revision": revision, "settings": config.shown()}
        for name, value in mine.items():
            if self.manifest.get(name) != value:
                raise UsageError(
                    f"{path} holds a run with another {name.replace('_', ' ')} than the proof is about; give both the same"
                    f" revision and settings"
                )
        self.compiled = Compiled(model, config, (), symmetry)

    @property
    def states(self) -> int:
        """How many states the run has seen."""
        return int(sum(self.manifest["levels"]))

    def level_of(self, state: Any) -> int | None:
        """The level on which the run met this plain state, or one that it counts as the same; None: it did not."""
        state = state.copy()
        if self.model.normal_form is not None:
            self.model.normal_form(state)
        key = self.compiled.keys_of([state])[0]
        for number, name in enumerate(self.files, 1):
            try:
                with np.load(self.path / name) as level:
                    if (level["keys"] == key).all(axis=1).any():
                        return number
            except (OSError, ValueError, KeyError) as error:
                raise UsageError(f"{self.path / name}, a level of the run, cannot be read ({error})") from None
        return None
