"""Whatever is given to the command, the exit code is one of the table, and never that of a defect; and no count is wrong."""

import pytest
from support.elsewhere import TESTS, python

from fuzz.hostile import SHARES
from fuzz.run import damage_cache, try_all

IN_PROCESS = [kind for kind in SHARES if kind != "plugin"]


@pytest.mark.parametrize("seed", range(3))
def test_some(tmp_path, seed):
    seen, wrong = try_all(tmp_path, seed, 85, IN_PROCESS)
    assert wrong == [] and seen.total() == 85


def test_some_plugins():
    """In a process in which plugins are not compiled."""
    fuzz("--kind", "plugin", "--cases", "35", HIGHWATER_COMPILE="no")


def test_some_caches():
    assert damage_cache("suite", 10) == []


@pytest.mark.long
def test_ten_thousand():
    """Five minutes: the same, with another seed."""
    fuzz("--cases", "10000", "--seed", "long")


def fuzz(*arguments, **environment):
    """The package as a program finds nothing wrong."""
    code, out, error = python(TESTS.parent, "-m", "tests.fuzz", *arguments, seconds=3600, **environment)
    assert code == 0, out + error
