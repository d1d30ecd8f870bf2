"""The toys' properties are in the catalogue while these tests run, so that their code is compiled once."""

import pytest
from highwater.properties.catalogue import CATALOGUE
from support import toys


@pytest.fixture(autouse=True)
def toys_in_the_catalogue(monkeypatch):
    """`generic` code has all properties of the catalogue, and requests name some of them."""
    monkeypatch.setitem(CATALOGUE, "counters", tuple(toys.COUNTER_PROPERTIES))
    monkeypatch.setitem(CATALOGUE, "jugs", tuple(toys.JUG_PROPERTIES))
    monkeypatch.setitem(CATALOGUE, "lock", tuple(toys.LOCK_PROPERTIES))
