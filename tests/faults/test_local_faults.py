"""A local run survives what happens to it: other counts never come of it, nor is a committed level lost."""

import pytest

from faults import local


def test_some_damages(tmp_path):
    seen, wrong = local.damages(tmp_path, "suite", 60)
    assert wrong == []
    assert seen["refused"] > 40


@pytest.mark.parametrize(("part", "count"), [("kills", 15), ("signals", 15), ("calls", 30), ("disks", 8), ("writers", 8)])
def test_some_of_each(tmp_path, part, count):
    seen, wrong = local.PARTS[part](tmp_path, "suite", count)
    assert wrong == [], seen
    assert sum(seen.values()) >= count


@pytest.mark.long
def test_a_thousand_damages(tmp_path):
    """Some minutes: the same, with another seed."""
    _, wrong = local.damages(tmp_path, "long", 1000)
    assert wrong == []
