"""A level is sorted before it is expanded, alike on every machine, and that changes nothing but the order."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.order import order_of
from highwater.explorer.compiling.path import key_chain
from highwater.explorer.local.breadth_first import BreadthFirst
from support.cases import CASES
from support.exploring import sort_small_levels


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 100, 128, 129, 250])
@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257])
def test_keys_are_ordered_by_their_last_bits_and_then_by_place(bits, count):
    rng = random.Random(bits * 1000 + count)
    numbers = [rng.choice((rng.getrandbits(bits), rng.getrandbits(min(bits, 3)))) for _ in range(count)]
    words = -(-bits // 64)
    cut = [number >> (64 * word) & (1 << 64) - 1 for number in numbers for word in range(words)]
    keys = np.array(cut, np.uint64).reshape(count, words)
    left_out = max(0, count - 1).bit_length()

    def rank(place):
        last = numbers[place] >> bits - 64 if bits > 64 else numbers[place] << 64 - bits
        return last >> left_out, place

    assert order_of(keys, bits).tolist() == sorted(range(count), key=rank)


def begun():
    """A search that has its first level. Later ones have fewer states than are sorted, unless a test says so."""
    model, revision, settings = CASES[6]
    search = BreadthFirst(Compiled(model, model.configure(revision, **settings)), [], keep_going=True)
    search.seed()
    return search


def test_a_sorted_level_has_the_same_states(monkeypatch):
    one, other = begun(), begun()
    one.run(Bounds(depth=14))
    sort_small_levels(monkeypatch)
    other.run(Bounds(depth=14))
    assert one.levels == other.levels and max(one.levels) > 100
    (taken, able, new), theirs = one.counts(), other.counts()
    assert taken.tolist() == theirs[0].tolist() and able.tolist() == theirs[1].tolist() and new.sum() == theirs[2].sum()
    for mine, theirs in zip(one.shards, other.shards, strict=True):
        assert sorted(mine.slots.tolist()) == sorted(theirs.slots.tolist())
    assert any(mine.log.tolist() != theirs.log.tolist() for mine, theirs in zip(one.shards, other.shards, strict=True))


def test_every_state_of_a_sorted_level_lies_at_the_end_of_its_path(monkeypatch):
    """A state's key and its meta word go to the same place."""
    sort_small_levels(monkeypatch)
    search, bounds, keys = begun(), Bounds(), []
    bounds.begin()
    with ThreadPoolExecutor(1) as pool:
        for _ in range(9):
            search.level(bounds, pool, None)
    for number, shard in enumerate(search.shards):
        first = shard.count - shard.fresh
        for place, key in enumerate(shard.frontier().tolist()):
            root, codes = search.path_to(number, first + place)
            keys.append(tuple(key))
            assert len(codes) == 9 and list(key_chain(search.compiled, root, codes))[-1] == keys[-1]
    assert len(set(keys)) == search.levels[-1] > 100
