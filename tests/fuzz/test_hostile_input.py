"""Whatever is given to the command, the exit code is one of the table, and never that of a defect; and no count is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.hostile import SHARES
from fuzz.run import damage_cache, try_all

ROOT = Path(__file__).parents[2]
IN_PROCESS = [kind for kind in SHARES if kind != "plugin"]


@pytest.mark.parametrize("seed", range(3))
def test_some(tmp_path, seed):
    seen, wrong = try_all(tmp_path, seed, 85, IN_PROCESS)
    assert wrong == [] and seen.total() == 85


def test_some_plugins():
    """In a process in which plugins are not compiled."""
    wrong = fuzzed("--kind", "plugin", "--cases", "35")
    assert wrong.returncode == 0, wrong.stdout + wrong.stderr


def test_some_caches():
    assert damage_cache("suite", 10) == []


@pytest.mark.long
def test_ten_thousand():
    """Five minutes: the same, with another seed."""
    wrong = fuzzed("--cases", "10000", "--seed", "long")
    assert wrong.returncode == 0, wrong.stdout + wrong.stderr


def fuzzed(*arguments):
    """The package as a program."""
    environment = {**os.environ, "HIGHWATER_COMPILE": "no"} if "plugin" in arguments else None
    command = [sys.executable, "-m", "tests.fuzz", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
