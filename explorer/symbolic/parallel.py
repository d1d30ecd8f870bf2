"""Questions in parallel: each worker is a fork of this process, so that terms need not travel."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_work: list[Any] = []
"""What the workers of this process inherit: the function and the items."""


def run_all(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
    """The results in the order in which they are done; with one worker, here and in order."""
    if workers <= 1 or len(items) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(function, items)
        return
    _work[:] = [function, items]
    with multiprocessing.get_context("fork").Pool(min(workers, len(items))) as pool:
        yield from pool.imap_unordered(_run_one, range(len(items)))


def _run_one(index: int) -> Any:
    function, items = _work
    return function(items[index])
