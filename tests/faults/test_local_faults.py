"""A local run survives what happens to its files: other counts never come of it."""

import pytest

from faults.local import damage_many


def test_some_damages(tmp_path):
    seen, wrong = damage_many(tmp_path, "suite", 60)
    assert wrong == []
    assert seen["refused"] > 40


@pytest.mark.long
def test_a_thousand_damages(tmp_path):
    """Some minutes: the same, with another seed."""
    _, wrong = damage_many(tmp_path, "long", 1000)
    assert wrong == []
