"""Shorter ways along a path: what dropping steps does not find, since other steps are needed.

From states of the path a breadth-first search looks for the violation, or for the latest state of the path that it can reach in
fewer steps. How much it tries is bounded by a number of steps, so that it finds the same each time.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

from ...properties.property import Property
from ...traces.shrink import shortest
from ...traces.trace import LostPath, Trace, record
from .walker import Walker

TRIED = 8_000
"""Steps that are tried for one trace."""

FROM_EACH = 4
"""A search from one place of the path may use this part of what is left."""

Row = bytes


class Shortcuts:
    """The path from an initial state to a violation, and what is left to be tried; `walker` looks for this violation alone."""

    def __init__(self, walker: Walker, start: int, codes: Sequence[int]) -> None:
        self.walker, self.start, self.left = walker, start, TRIED
        self.codes = list(codes)

    def taken(self) -> list[int]:
        """The path with all shortcuts that were found."""
        at = 0
        while self.left > 0 and at + 1 < len(self.codes):
            rows = self.rows()
            found = self.search(rows, at, self.left if at == 0 else max(1, self.left // FROM_EACH))
            if found is None and at == 0 and self.left > 0:
                break  # there is no shorter one at all
            way, to = found or (self.codes[at : at + 1], at + 1)
            self.codes = [*self.codes[:at], *way, *self.codes[to:]]
            if at == 0 and to == len(rows) - 1:
                break  # breadth-first from the start: nor here
            at += len(way)
        return self.codes

    def rows(self) -> list[Row]:
        """The states along the path."""
        walker = self.walker
        walker.begin(self.start)
        out = [walker.scratch.rows[0].tobytes()]
        for code in self.codes:
            walker.follow([code])
            out.append(walker.scratch.rows[0].tobytes())
            walker.length = 0
        return out

    def search(self, rows: list[Row], at: int, most: int) -> tuple[list[int], int] | None:
        """A shorter way from the state of this number: its steps, and the number of the state where it ends, or of the last."""
        later = {row: number for number, row in enumerate(rows) if number > at}
        end = len(rows) - 1
        best: tuple[int, list[int], int] = (0, [], 0)
        came: dict[Row, tuple[Row, int]] = {rows[at]: (b"", -1)}
        level, depth = deque([rows[at]]), 0
        while level and most > 0 and depth + 1 + best[0] < end - at:
            depth += 1
            for _ in range(len(level)):
                row = level.popleft()
                for code in self.codes_in(row):
                    most -= 1
                    self.left -= 1
                    after, violated = self.step(row, code)
                    if violated:
                        found = [*way_to(came, row), code]
                        return (found, end) if len(found) < end - at else None
                    if after in came:
                        continue
                    came[after] = row, code
                    level.append(after)
                    gain = later.get(after, 0) - at - depth
                    if gain > best[0]:
                        best = gain, way_to(came, after), later[after]
                if most <= 0:
                    break
        return best[1:] if best[0] else None

    def codes_in(self, row: Row) -> list[int]:
        """The codes of the steps that are enabled in a state."""
        walker = self.walker
        self.stand(row)
        before = int(walker.checks.taken.sum())
        walker.follow([NO_CODE])
        count = int(walker.checks.taken.sum()) - before
        return [int(code) for code in walker.scratch.codes[1 : count + 1]]

    def step(self, row: Row, code: int) -> tuple[Row, bool]:
        """The state after a step, and whether the violation is there."""
        self.stand(row)
        self.walker.follow([code])
        return self.walker.scratch.rows[0].tobytes(), bool(self.walker.violated)

    def stand(self, row: Row) -> None:
        """Stand in a state."""
        rows = self.walker.scratch.rows
        self.walker.back((0, np.frombuffer(row, rows.dtype)))


NO_CODE = -3
"""The code of no step."""


def way_to(came: dict[Row, tuple[Row, int]], row: Row) -> list[int]:
    """The codes of the steps that led to a state."""
    out: list[int] = []
    while came[row][1] >= 0:
        row, code = came[row]
        out.append(code)
    return out[::-1]


def trace_of(walker: Walker, revision: str, claim: Property) -> Trace:
    """The steps that a walker has taken as a trace of the plain model, without those that are not needed to violate `claim`."""
    compiled, start = walker.compiled, walker.start
    runner = Walker(compiled, [claim], walker.length)

    def until_violated(codes: Sequence[int]) -> Sequence[int] | None:
        runner.begin(start)
        runner.follow(codes)
        return codes[: runner.length] if runner.violated else None

    kept = shortest(walker.codes[: walker.length].tolist(), until_violated)
    if kept is None:
        raise LostPath(f"a walk that violated {claim.name} does not do so again")
    kept = shortest(Shortcuts(runner, start, kept).taken(), until_violated) or kept
    steps = [compiled.decode(code) for code in kept]
    return record(compiled.model, revision, compiled.config, start, steps, claim.name)
