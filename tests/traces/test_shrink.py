"""Shrinking keeps what the steps show, and nothing can be dropped from the result."""

import random

import pytest
from highwater.model.language.errors import UsageError
from highwater.properties.registry import KAFKA
from highwater.traces.replay import TraceMismatch
from highwater.traces.shrink import plain_states, shortest
from highwater.traces.text import read


def sums_to(wanted):
    """Numbers up to the first with which they come to `wanted`; a negative sum is not enabled."""

    def until_shown(numbers):
        for place in range(len(numbers)):
            if sum(numbers[: place + 1]) < 0:
                return None
            if sum(numbers[: place + 1]) >= wanted:
                return numbers[: place + 1]
        return None

    return until_shown


@pytest.mark.parametrize("seed", range(20))
def test_the_result_shows_the_same_and_is_locally_shortest(seed):
    chance = random.Random(seed)
    shown = sums_to(20)
    numbers = [chance.randrange(-3, 6) for _ in range(60)]
    found = shortest(numbers, shown)
    assert (found is None) == (shown(numbers) is None)
    assert found is None or (shown(found) == found and all(not shown(found[:at] + found[at + 1 :]) for at in range(len(found))))


def test_a_trace_that_does_not_run_has_no_states():
    text = "highwater trace 1\nmodel: kafka 0\nrevision: kip-320\ninitial: 0\n1 start_broker broker=0\n"
    with pytest.raises(UsageError, match="step 1, start_broker broker=0, is not enabled"):
        plain_states(read(text), KAFKA)
    with pytest.raises(TraceMismatch, match="is no action"):
        plain_states(read(text.replace("start_broker", "mend_broker")), KAFKA)
