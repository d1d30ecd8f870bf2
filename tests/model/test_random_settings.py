"""Settings at random: what is compiled counts as the plain model does, and finds a trace for each violation.

A trace runs through states as they are, and the search through normal forms. A normal form that forgets what matters is a
trace that cannot be found (`LostPath`).
"""

import random

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from support.configurations import some_configuration
from support.exploring import as_plainly
from support.kafka import KAFKA, PROPERTIES

STATES, PLAIN_STATES = 40_000, 1_500


def compare(seed):
    """The compiled search against the plain one, as far as that goes."""
    revision, config = some_configuration(random.Random(seed))
    chosen = [claim for claim in PROPERTIES.values() if claim.applies(config)]
    found = check(Request(KAFKA, revision, config, chosen, keep_going=True, generic=True, bounds=Bounds(states=STATES)))
    assert all(one.trace is not None for one in found.violated)
    assert as_plainly(KAFKA, config, found.levels[: found.whole_levels], PLAIN_STATES), (revision, config)


@pytest.mark.parametrize("seed", range(12))
def test_some(seed):
    compare(seed)


@pytest.mark.long
def test_many():
    """Some minutes."""
    for seed in range(100, 500):
        compare(seed)
