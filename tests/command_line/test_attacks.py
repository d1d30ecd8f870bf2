"""Small attacks from outside: each was a traceback, an abort or a process that stayed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from highwater.explorer.command_line import main
from support.elsewhere import PROGRAM, python, with_support

BIG = ["check", "--revision", "kip-320", "--crashes", "1", "--states", "100000000", "--quiet"]
SMALL = ["check", "--model", "published", "--revision", "kip-101", "--brokers", "2", "--generic", "--quiet", "--depth", "3"]
START = PROGRAM.replace("command_line", "start").replace("main(sys.argv[1:])", "main()")


CAUGHT = [pytest.param(number, marks=pytest.mark.long) for number in (signal.SIGTERM, signal.SIGHUP)]


@pytest.mark.parametrize("number", [signal.SIGKILL, *CAUGHT])
def test_the_compiling_child_ends_with_its_parent(tmp_path, number):
    environment = with_support(HIGHWATER_CACHE=str(tmp_path / "cache"))
    parent = subprocess.Popen([sys.executable, "-c", PROGRAM, *BIG], env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL)
    until, children = time.monotonic() + 60, []
    while not children and time.monotonic() < until and parent.poll() is None:
        time.sleep(0.1)
        children = psutil.Process(parent.pid).children()
    assert children, "it compiles in a child"
    os.kill(parent.pid, number)
    parent.wait(60)
    gone, left = psutil.wait_procs(children, 10)
    for one in left:
        one.kill()
    assert gone and not left


def test_a_processor_that_numba_is_told_of(tmp_path):
    cache = {"HIGHWATER_CACHE": str(tmp_path / "cache"), "NUMBA_CPU_NAME": "generic"}
    code, out, error = python(tmp_path, "-c", PROGRAM, *SMALL, "--traces", tmp_path, **cache)
    assert code == 20 and "depth 3" in out, error


def test_python_without_docstrings_is_refused(tmp_path):
    code, out, error = python(tmp_path, "-OO", "-c", START, *SMALL)
    assert code == 2 and out == "" and "-OO drops the docstrings" in error and error.count("\n") == 1
    assert python(tmp_path, "-O", "-c", START, "list", "revisions")[0] == 0


def test_a_trace_that_is_too_long_to_be_drawn_is_refused(tmp_path, capsys):
    folder = Path(__file__).parents[2] / "traces" / "golden"
    head = next(folder.glob("*.trace")).read_text().partition("\n1 ")[0]
    (tmp_path / "long.trace").write_text(head + "".join(f"\n{number} fetch follower=1 leader=0\n" for number in range(1, 6001)))
    for flags in ([], ["--html", str(tmp_path / "x.html")]):
        assert main(["show", str(tmp_path / "long.trace"), *flags]) == 2
        assert "has 6,000 steps, and at most 5,000 can be drawn" in capsys.readouterr().err
