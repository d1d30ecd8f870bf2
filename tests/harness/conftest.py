"""Every test of this folder runs in an empty one."""

import pytest


@pytest.fixture(autouse=True)
def _elsewhere(elsewhere):
    pass
