"""Work in parallel, in forks of this process: what it has compiled, and terms of Z3, need not travel."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import Any, TypeVar

from ..model.language.errors import UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")

_work: list[Any] = []
"""What the forks inherit: the function and the items."""


def run_all(
    function: Callable[[Item], Result], items: Sequence[Item], processes: int, instead: str
) -> Iterator[tuple[int, Result]]:
    """(Index of the item, result) in the order in which they are done; with one process, here and in order.

    `instead`: what to do if a process is killed, for the message of the UsageError. Whoever leaves early ends them all.
    """
    if processes <= 1 or len(items) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from enumerate(map(function, items))
        return
    _work[:] = [function, items]
    forks = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(processes, len(items)), forks, initializer=_end_with_parent) as pool:
        waiting = {pool.submit(_run_one, index): index for index in range(len(items))}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BrokenProcessPool:
            raise UsageError(f"a process was killed that worked for this one, usually for want of memory; {instead}") from None
        finally:
            if not all(future.done() for future in waiting):
                for process in multiprocessing.active_children():
                    process.terminate()


def _end_with_parent() -> None:
    """A process whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def _run_one(index: int) -> Any:
    function, items = _work
    return function(items[index])
