"""One state of a compiled model, which is stepped: at random, or along a path that is given."""

import time
from collections.abc import Callable, Container, Iterable, Sequence

import numpy as np

from ...model.language.around import OUTSIDE
from ...model.language.reading.beginnings import MOST
from ...properties.property import Property
from .arrays import SOMETIMES_NOTES, Numbers, Words
from .background_compiler import compile_in_background, wait_for
from .beginnings import rows_of
from .compiled import Compiled
from .failure import located
from .kernels import DRAWN


def spread(seed: int) -> np.uint64:
    """A seed's starting value for the generator: seeds that are neighbours begin far apart."""
    x = (seed * 0x9E3779B97F4A7C15 + 0x243F6A8885A308D3) & (1 << 64) - 1
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & (1 << 64) - 1
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & (1 << 64) - 1
    return np.uint64((x ^ x >> 31) or 1)


def ready_to_walk(
    compiled: Compiled, properties: Iterable[Property], report: Callable[[str], None], seconds: float | None
) -> float | None:
    """Compile all that a walk needs, with progress reports; returns the seconds that are left, 0 if compiling used them up."""
    begun = time.monotonic()
    compiler = compile_in_background(
        compiled.module, [(compiled.module, "wander")], lambda: Walker(compiled, properties, 1).walk(0, spread(0))
    )
    if compiler is None:
        return seconds
    done = wait_for(compiler, report, seconds)
    return seconds if seconds is None else max(0.001, seconds - (time.monotonic() - begun)) if done else 0.0


OVER = "the {:g} seconds ran out while the model was being compiled, so nothing was tried; allow more"
"""The message when compiling alone takes longer than allowed."""


class Walker:
    """A task's own rows and notes. `codes[:length]` are the steps since initial state number `start`.

    A walk ends where one of `properties` is violated, and goes no further until `begin` or `back`. It also ends outside the
    model's constraint: `base` [action] gives a code to each action but that which counts these states.
    """

    def __init__(self, compiled: Compiled, properties: Iterable[Property], longest: int) -> None:
        self.compiled, self.properties = compiled, list(properties)
        self.scratch, self.checks = compiled.scratch(), compiled.checks(self.properties)
        keys = compiled.keys_at_first()
        self.many = keys if len(keys) > MOST else None
        few = [] if self.many is not None else [compiled.state_of(key) for key in keys]
        self.initial = rows_of(compiled.layout, compiled.config, few)
        self.beginnings = len(keys)
        self.codes = np.zeros(longest, np.int64)
        self.base = compiled.base.copy()
        self.base[[action.name == OUTSIDE for action in compiled.model.actions]] = -1
        self.begin(0)

    def begin(self, start: int) -> None:
        """Stand in an initial state."""
        at = self.start = start % self.beginnings
        self.scratch.rows[0] = self.initial[at] if self.many is None else self.compiled.rows_of(self.many[at : at + 1])[0]
        self.length = 0
        self.checks.notes[:SOMETIMES_NOTES] = -1

    def walk(self, steps: int, seed: np.uint64, base: Numbers | None = None) -> int:
        """Take up to `steps` random steps of actions to which `base` [action] gives a code; how many were taken."""
        return self._go(np.full(min(steps, len(self.codes) - self.length), DRAWN), seed, base)

    def follow(self, codes: Sequence[int]) -> int:
        """Take these steps; how many of them were enabled before a property was violated."""
        return self._go(np.array(codes, np.int64), np.uint64(1), None)

    def _go(self, path: Numbers, seed: np.uint64, base: Numbers | None) -> int:
        compiled, base = self.compiled, self.base if base is None else base
        with located(compiled, self.properties, lambda: self.scratch.rows[:1]):
            took = compiled.module.wander(self.scratch, base, self.checks, seed, path)
        self.codes[self.length : self.length + took] = path[:took]
        self.length += took
        return int(took)

    def mark(self) -> tuple[int, Words]:
        """The present place, for `back`."""
        return self.length, self.scratch.rows[0].copy()

    def back(self, mark: tuple[int, Words]) -> None:
        """Go back to where nothing was violated yet."""
        self.length, self.scratch.rows[0] = mark
        self.checks.notes[:SOMETIMES_NOTES] = -1

    def silence(self, names: Container[str]) -> None:
        """Do not look for these properties any more."""
        for claim, _, group, bit in self.compiled.properties.notes():
            if claim.name in names:
                self.checks.active[group] &= ~bit

    @property
    def violated(self) -> list[Property]:
        """The properties that the last state, or the step to it, violates."""
        notes = self.checks.notes
        if not (notes[:SOMETIMES_NOTES, 0] >= 0).any():
            return []
        return [claim for claim, row, *_ in self.compiled.properties.notes() if row < SOMETIMES_NOTES and notes[row, 0] >= 0]
