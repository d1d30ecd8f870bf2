"""Whether a state is among those that a run of `highwater check --run-dir` has explored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.property import SOMETIMES, Property
from ...traces.trace import version_of
from ..compiling.compiled import Compiled
from ..local.run_directory import levels_of, states_in
from ..runs.identity import begins_of, named_by_text


class ExploredStates:
    """The states of a run directory; UsageError when it is about another model, revision or configuration."""

    def __init__(self, path: str, model: Model, revision: str, config: Any) -> None:
        self.path = Path(path)
        about, self.levels = levels_of(path)
        if about.get("engine") != "local":
            raise UsageError(f"{path} holds a run on Spark; states can be looked up only in a run of the local engine")
        mine = {
            "model": model.name, "model_version": version_of(model), "revision": revision, "settings": config.shown(),
            "initial_states": begins_of(model, config),
        }  # fmt: skip
        for name, value in mine.items():
            if about.get(name) != value:
                raise UsageError(
                    f"{path} holds a run that differs from the proof in its {name.replace('_', ' ')}; give both the same"
                    f" revision and settings"
                )
        self.checked = about.get("properties", {})
        self.compiled = Compiled(model, config, (), bool(about.get("symmetry")))

    @property
    def states(self) -> int:
        """How many states the run has seen."""
        return sum(level.states for level in self.levels)

    def violated_after(self, claim: Property) -> int | None:
        """After how many steps the run found this claim violated; None: it did not, or it checked none of this name and text."""
        if claim.kind == SOMETIMES or self.checked.get(claim.name) != named_by_text(claim):
            return None
        found = self.levels[-1].found.get(claim.name)
        return None if found is None else found.depth - 1

    def some(self, most: int) -> list[Any]:
        """At most about so many plain states of the run, evenly spread."""
        found, apart = list[Any](), max(1, self.states // most)
        for keys in self._keys():
            found += [self.compiled.state_of(key) for key in keys[::apart]]
        return found

    def level_of(self, state: Any) -> int | None:
        """The level on which the run met this plain state, or one that it counts as the same; None: it did not."""
        key = self.compiled.keys_of([state])[0]
        for number, keys in enumerate(self._keys(), 1):
            if (keys == key).all(axis=1).any():
                return number
        return None

    def _keys(self) -> Iterator[Any]:
        """The keys of each level's states."""
        for level in self.levels:
            file = level.files[0]
            try:
                yield states_in(self.path, file, self.compiled.key_words)[0]
            except (OSError, ValueError) as error:
                raise UsageError(f"{self.path / file.name}, a level of the run, cannot be read ({error})") from None
