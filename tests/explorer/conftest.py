"""The toys have their properties while these tests run, so that their code is compiled once."""

import pytest
from support import toys

PROPERTIES = ((toys.COUNTERS, toys.COUNTER_PROPERTIES), (toys.JUGS, toys.JUG_PROPERTIES), (toys.LOCK, toys.LOCK_PROPERTIES))


@pytest.fixture(autouse=True)
def toys_with_their_properties(monkeypatch):
    """`generic` code has all properties of a model, and requests name some of them."""
    for model, some in PROPERTIES:
        monkeypatch.setitem(model.__dict__, "properties", tuple(some))
