"""The graph of a search: its states by number, and every step, in arrays that lie in files.

The files are in a folder that is deleted with the graph; what the passes need of them at a time is read through memory
maps, so a graph may be larger than what memory is free.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.language.errors import NoRoom, reason_of
from .compiled import passes
from .kernels import is_used

Array = NDArray[Any]

MAX_STATES = (1 << 31) - 1


class ArrayFolder:
    """A folder for large arrays, which is removed with it."""

    def __init__(self) -> None:
        with keeping_steps():
            self._folder = tempfile.TemporaryDirectory(prefix="highwater-graph-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)
        self._made = 0

    def array(self, size: int, dtype: Any) -> Array:
        """Zeros in a file."""
        self._made += 1
        path, length = self.path / f"{self._made}.array", max(1, size)
        with keeping_steps(), path.open("w+b") as file:
            if hasattr(os, "posix_fallocate"):  # without room on the disk, a write to the map would end the process
                os.posix_fallocate(file.fileno(), 0, length * np.dtype(dtype).itemsize)
            file.truncate(length * np.dtype(dtype).itemsize)
            return np.asarray(np.memmap(file, dtype, "r+", shape=(length,)))[:size]

    def joined(self, files: Iterable[Path], size: int, dtype: Any) -> Array:
        """The contents of files, one after the other; the files go."""
        whole, at = self.array(size, dtype), 0
        for file in files:
            part = np.fromfile(file, dtype)
            whole[at : at + len(part)] = part
            at += len(part)
            file.unlink()
        assert at == size
        return whole

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()


@contextmanager
def keeping_steps() -> Iterator[None]:
    """Steps are written to files within the block; NoRoom where they cannot be kept."""
    try:
        yield
    except OSError as error:
        why = f"steps cannot be kept in {tempfile.gettempdir()}: {reason_of(error)}"
        raise NoRoom(f"{why}; name a folder with room in TMPDIR") from None


@dataclass
class Graph:
    """States are numbers. The steps of state `v` are those from `offsets[v]` to `offsets[v + 1]`.

    `targets` [step]; `codes` [step]: of the action; `depths` [state]: its level, from 1; `paid` [state]: what was paid for
    faults; `fairness` [code]: see `kernels`; `unit` [code]: the first code of those that are fair together, else the code itself.
    """

    offsets: Array
    targets: Array
    codes: Array
    depths: Array
    paid: Array
    fairness: Array
    store: ArrayFolder = field(default_factory=ArrayFolder)
    unit: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    _arrivals: dict[bool, tuple[Array, Array]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.unit):
            self.unit = np.arange(len(self.fairness), dtype=np.int64)

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.offsets) - 1

    def steps(self, state: int, faults: bool) -> Iterator[tuple[int, int]]:
        """The steps of a state that change something: (end, code); with those that are faults, or without."""
        part = slice(int(self.offsets[state]), int(self.offsets[state + 1]))
        for target, code in zip(self.targets[part].tolist(), self.codes[part].tolist(), strict=True):
            if is_used(state, target, code, self.fairness, self.paid, faults):
                yield target, code

    def arrivals(self, faults: bool) -> tuple[Array, Array]:
        """Where the steps to each state end, in the order of their ends, and the states from which they come."""
        if faults not in self._arrivals:
            steps = (self.offsets, self.targets, self.codes, self.fairness, self.paid, faults)
            into = np.zeros(self.states + 1, np.int64)
            passes().count_arrivals(*steps, into)
            sources = self.store.array(int(into[-1]), np.int32)
            passes().fill_arrivals(*steps, into, sources)
            self._arrivals[faults] = into, sources
        return self._arrivals[faults]

    def distances(self, goal: Array, inside: Array, faults: bool) -> Array:
        """How many steps each state is from the nearest one in `goal`, through states that are `inside`; -1: there is no path."""
        ends, sources = self.arrivals(faults)
        distance = np.full(self.states, -1, np.int32)
        queue = np.zeros(self.states, np.int32)
        head = np.flatnonzero(goal)
        queue[: len(head)], distance[head] = head, 0
        passes().search_back(ends, sources, inside, distance, queue, len(head))
        return distance
