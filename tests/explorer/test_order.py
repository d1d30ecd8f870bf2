"""A level is sorted before it is expanded, alike on every machine, and that changes nothing but the order."""

import random

import numpy as np
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.order import order_of
from highwater.explorer.local.breadth_first import BreadthFirst
from support.cases import CASES


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 100, 128, 129, 250])
@pytest.mark.parametrize("count", [1, 2, 255, 256, 257])
def test_keys_are_ordered_by_their_last_bits_and_then_by_place(bits, count):
    rng = random.Random(bits * 1000 + count)
    numbers = [rng.choice((rng.getrandbits(bits), rng.getrandbits(min(bits, 3)))) for _ in range(count)]
    words = -(-bits // 64)
    keys = np.array([[number >> (64 * word) & (1 << 64) - 1 for word in range(words)] for number in numbers], np.uint64)
    left_out = (count - 1).bit_length()

    def rank(place):
        last = numbers[place] >> bits - 64 if bits > 64 else numbers[place] << 64 - bits
        return last >> left_out, place

    assert order_of(keys, bits).tolist() == sorted(range(count), key=rank)


def searched(monkeypatch, least):
    monkeypatch.setattr("highwater.explorer.compiling.visited.LEAST_SORTED", least)
    monkeypatch.setattr("highwater.explorer.compiling.visited.BLOCK", 100)
    monkeypatch.setattr("highwater.explorer.compiling.visited.SORTED_WORDS", 1)
    model, revision, settings = CASES[6]
    search = BreadthFirst(Compiled(model, model.configure(revision, **settings)), [], keep_going=True)
    search.seed()
    search.run(Bounds(depth=14))
    return search


def test_a_sorted_level_has_the_same_states(monkeypatch):
    one, other = (searched(monkeypatch, least) for least in (1 << 40, 2))
    assert one.levels == other.levels and max(one.levels) > 100
    (taken, able, new), theirs = one.counts(), other.counts()
    assert taken.tolist() == theirs[0].tolist() and able.tolist() == theirs[1].tolist() and new.sum() == theirs[2].sum()
    for mine, theirs in zip(one.shards, other.shards, strict=True):
        assert sorted(mine.slots.tolist()) == sorted(theirs.slots.tolist())
    assert any(mine.log.tolist() != theirs.log.tolist() for mine, theirs in zip(one.shards, other.shards, strict=True))
