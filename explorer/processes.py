"""Work in parallel, in forks of this process: what it has compiled, and terms of Z3, need not travel."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, TypeVar

from ..model.language.errors import UsageError
from . import budget

Item = TypeVar("Item")
Result = TypeVar("Result")

GRACE = 2.0
"""Seconds that a process has to end by itself, and to remove its files."""

_work: list[Any] = []
"""What the forks inherit: the function and the items."""


def run_all(
    function: Callable[[Item], Result], items: Sequence[Item], processes: int, instead: str
) -> Iterator[tuple[int, Result]]:
    """(Index of the item, result) in the order in which they are done; with one process, here and in order.

    `instead`: what to do if a process is killed, for the message of the UsageError. Closing the iterator early ends all of them.
    """
    if processes <= 1 or len(items) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from enumerate(map(function, items))
        return
    _work[:] = [function, items]
    forks, others = multiprocessing.get_context("fork"), multiprocessing.active_children()
    width = min(processes, len(items))
    with ProcessPoolExecutor(width, forks, initializer=_begin, initargs=(width,)) as pool:
        waiting: dict[Future[Any], int] = {}
        try:
            waiting.update((pool.submit(_run_one, index), index) for index in range(len(items)))
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BrokenProcessPool:
            raise UsageError(f"a worker process was killed, usually because memory ran out; {instead}") from None
        finally:
            if not all(future.done() for future in waiting):
                pool.shutdown(wait=False, cancel_futures=True)
                _end([child for child in multiprocessing.active_children() if child not in others])


def _end(processes: Sequence[BaseProcess]) -> None:
    """End processes. The signal is repeated: it may end only the search that runs, and the process begins the next."""
    deadline = time.monotonic() + GRACE
    for process in processes:
        while process.is_alive():
            (process.terminate if time.monotonic() < deadline else process.kill)()
            process.join(0.1)


def _begin(processes: int) -> None:
    """In a fork: it shares the memory that is available, and ends with its parent, or it would wait for work for ever.

    The parent's own handlers are not for it. An interruption from the keyboard comes to all: the parent ends its forks.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    budget.sharers = processes
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def _run_one(index: int) -> Any:
    function, items = _work
    return function(items[index])
