"""Work in forks: however a process ends, none is left over, and none waits for ever."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from highwater.explorer.processes import run_all
from highwater.model.language.errors import UsageError

FOR_EVER = """
import os, time
from highwater.explorer.processes import run_all

def wait(item):
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(1000)

for _ in run_all(wait, [1, 2], 2, "give fewer"):
    pass
"""


def sleep_and_double(item):
    if item == 0:
        time.sleep(1000)
    return 2 * item


@pytest.fixture
def begun():
    """The processes that work for this one, without those that were there before the test, such as Spark's."""
    before = psutil.Process().children()
    return lambda: [child for child in psutil.Process().children() if child not in before]


def test_results_come_as_they_are_done_and_closing_ends_the_processes(begun):
    results = run_all(sleep_and_double, [0, 1, 2], 2, "give fewer")
    assert {next(results), next(results)} == {(1, 2), (2, 4)}
    mine = begun()
    results.close()
    assert len(mine) == 2
    assert not psutil.wait_procs(mine, timeout=30)[1]


def take_a_signal_for_itself(item):
    """As a search does: it ends, and what it has found is reported."""
    told = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    while item and not told:
        time.sleep(0.05)
    return item


def test_a_process_that_takes_a_signal_for_its_search_ends_all_the_same(begun):
    results = run_all(take_a_signal_for_itself, range(50), 2, "give fewer")
    assert next(results) == (0, 0)
    left = time.monotonic()
    results.close()
    assert time.monotonic() - left < 20 and not begun()


def test_a_process_that_is_killed_is_a_sentence():
    def kill(item):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(UsageError, match="usually because memory ran out; give fewer --threads"):
        list(run_all(kill, [1, 2], 2, "give fewer --threads"))


def test_an_interrupt_of_a_process_is_one_of_all():
    """Z3 takes an interrupt of a terminal in each process, and says so there."""

    def interrupt(item):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_all(interrupt, [1, 2], 2, "give fewer"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_first(number):
    """Ctrl-C of a terminal reaches all of them; a signal to the first alone, or its death, has to end the others too."""
    first = subprocess.Popen([sys.executable, "-c", FOR_EVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    others = [psutil.Process(int(first.stdout.readline())) for _ in range(2)]
    first.send_signal(number)
    assert first.wait(30) != 0
    assert not psutil.wait_procs(others, timeout=30)[1]
