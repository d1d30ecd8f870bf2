"""Tables of fingerprints: they grow from almost nothing, wrap around, and forget and invent no state."""

import random

import numpy as np
import pytest
from highwater.explorer.compiling import memory
from highwater.explorer.compiling.hash_table import WRAP
from highwater.explorer.compiling.memory import HUGE, MIN_HUGE, MIN_RESERVED, Reserved, outboxes, words
from highwater.explorer.compiling.visited import Shard
from support import toys
from support.exploring import compile_generic

CONFIG = toys.COUNTERS.configure("only", counters=5, top=100)


def tiny_shard(exact):
    """A shard whose arrays have room for one state."""
    compiled = compile_generic(toys.COUNTERS, CONFIG, toys.COUNTER_PROPERTIES)
    shard = Shard(compiled, np.uint64(4), exact)
    shard._slots, shard._log = Reserved(8 + WRAP), Reserved(1)
    shard._keys, shard._spare = Reserved(compiled.key_words), Reserved(compiled.key_words)
    return shard


def deliver(shard, arrivals):
    """Insert (fingerprint, key, meta) and answer how many were new."""
    box = outboxes(1, 1, len(arrivals), shard.compiled.key_words)
    for place, (fingerprint, key, meta) in enumerate(arrivals):
        box.fp[0, 0, place], box.key[0, 0, place], box.meta[0, 0, place] = fingerprint, key, meta
    box.filled[0, 0] = len(arrivals)
    before = shard.count
    shard.take(box, 0, np.zeros(len(toys.COUNTERS.actions), np.int64))
    return shard.count - before


@pytest.mark.parametrize("exact", [False, True], ids=["fingerprints", "exact"])
@pytest.mark.parametrize("spread", ["even", "all at the end", "all at the start"])
def test_a_table_holds_what_a_set_holds(exact, spread):
    """Fingerprints may crowd at one end of the table: probing passes over its end to the beginning."""
    chance = random.Random(f"{exact} {spread}")
    shard, seen = tiny_shard(exact), {}
    for size in (1, 1, 2, 7, 50, 300, 1000, 1000, 1000):
        arrivals, fresh = [], 0
        for _ in range(size):
            number = chance.randrange(3000)
            key = np.full(shard.compiled.key_words, number, np.uint64)
            if exact:
                # Rehashing computes the fingerprint again, so it must be the key's own.
                fingerprint = int(shard.compiled.fingerprints(key.reshape(1, -1))[0])
            else:
                low, high = {"even": (1, 2**64), "all at the end": (2**60 - 5000, 2**60), "all at the start": (1, 5000)}[spread]
                fingerprint = low + (number * 0x9E3779B97F4A7C15) % (high - low)
            arrivals.append((fingerprint, key, number))
            if fingerprint not in seen:
                seen[fingerprint] = number
                fresh += 1
        shard.begin_level()
        assert deliver(shard, arrivals) == fresh == shard.fresh
    assert shard.count == len(seen)
    assert [int(meta) for meta in shard.log[: shard.count]] == list(seen.values())  # in the order of arrival
    assert int(np.count_nonzero(shard.slots)) == len(seen)
    assert shard.count <= 0.81 * len(shard.slots)


def test_exact_mode_keeps_apart_what_shares_a_fingerprint():
    for exact, expected in ((False, 1), (True, 3)):
        shard = tiny_shard(exact)
        arrivals = [(77, np.full(shard.compiled.key_words, n, np.uint64), n) for n in (1, 2, 3, 1, 2, 3)]
        assert deliver(shard, arrivals) == expected


@pytest.mark.parametrize("exact", [False, True], ids=["fingerprints", "exact"])
def test_the_frontier_is_the_newest_level(exact):
    shard = tiny_shard(exact)
    for numbers in ([1, 2, 3], [3, 4], [1, 5, 6, 7], []):
        shard.begin_level()
        keys = [np.full(shard.compiled.key_words, n, np.uint64) for n in numbers]
        deliver(
            shard, [(int(shard.compiled.fingerprints(k.reshape(1, -1))[0]), k, n) for k, n in zip(keys, numbers, strict=True)]
        )
        fresh = {1: [1, 2, 3], 3: [4], 4: [5, 6, 7]}
        if numbers:
            assert [int(key[0]) for key in shard.frontier()] == fresh[numbers[0] if numbers[0] != 1 or len(numbers) == 3 else 4]
        else:
            assert len(shard.frontier()) == 0


@pytest.mark.parametrize("least", [3 * HUGE // 8, 1 << 44], ids=["some addresses", "no such addresses"])
def test_a_room_grows_and_keeps_what_it_holds(least, monkeypatch):
    monkeypatch.setattr(memory, "RESERVED", least)
    room, before = Reserved(10), 10
    room.words[:] = range(1, 11)
    for count in (10, 11, 5, 300, MIN_RESERVED, HUGE // 8, HUGE // 8 + 1, HUGE, HUGE + 1000):
        room.grow(count)
        assert len(room.words) == max(before, count)
        assert not room.words[before:].any()
        assert list(room.words[:10]) == [*range(1, 11)] and (room.words[10:before] == 9).all()
        room.words[before:] = 9
        before = len(room.words)
    assert np.shares_memory(room.words, room._reserved)
    assert room.used == 10, "what lies there by addresses alone takes no memory"
    room.grow(before + 1, at_random=True)
    assert room.used == before + 1


@pytest.mark.parametrize("room", [1, 1000, HUGE // 8, HUGE // 8 + 1, HUGE // 8 + 1288])
def test_boxes_of_any_size_are_zeros(room):
    """Of whole pages, and of parts of one."""
    boxes = outboxes(1, 1, room, 3)
    assert boxes.fp.shape == (1, 1, room) and boxes.key.shape == (1, 1, room, 3)
    assert not boxes.fp.any() and not boxes.meta.any() and not boxes.key.any()


@pytest.mark.parametrize("count", [0, 1, HUGE // 8, MIN_HUGE // 8 + 3])
def test_words_are_zeros_that_can_be_written(count):
    array = words(count)
    assert len(array) == count and not array.any()
    array[:] = 7
    assert int(array.sum()) == 7 * count
    if count * 8 >= MIN_HUGE:
        assert array.ctypes.data % HUGE == 0
