"""The fingerprint of a key: no collisions where none are to be expected, and every bit as often 0 as 1."""

import numpy as np
import pytest
from highwater.properties.registry import PUBLISHED
from support import toys
from support.exploring import compile_generic, search_through

ONE_WORD = toys.COUNTERS.configure("only", counters=5, top=100)
SEVERAL_WORDS = PUBLISHED.configure("kip-320", brokers=5, log_size=4, max_records=4, max_epoch=3)
COUNT = 100_000


def keys_like(compiled, shape):
    """100,000 different keys: successive numbers, single bits in pairs, or random ones."""
    keys = np.zeros((COUNT, compiled.key_words), np.uint64)
    numbers = np.arange(COUNT, dtype=np.uint64)
    if shape == "successive":
        keys[:, -1] = numbers
    elif shape == "high bits":
        keys[:, 0] = numbers << np.uint64(47)
    else:
        keys[:] = np.random.default_rng(1).integers(0, 2**64, keys.shape, np.uint64, endpoint=False)
    return keys


@pytest.mark.parametrize("shape", ["successive", "high bits", "random"])
@pytest.mark.parametrize(
    ("model", "config"), [(toys.COUNTERS, ONE_WORD), (PUBLISHED, SEVERAL_WORDS)], ids=["one word", "several"]
)
def test_no_collisions_and_balanced_bits(model, config, shape):
    compiled = compile_generic(model, config)
    assert (compiled.key_words > 1) == (model is PUBLISHED)
    fingerprints = compiled.fingerprints(keys_like(compiled, shape))
    assert len(np.unique(fingerprints)) == COUNT
    assert (fingerprints != 0).all()
    for bit in range(64):
        ones = int((fingerprints >> np.uint64(bit) & np.uint64(1)).sum())
        assert abs(ones - COUNT / 2) < 6 * (COUNT / 4) ** 0.5, bit  # six standard deviations


def test_each_bit_of_a_key_turns_half_of_the_fingerprint():
    compiled = compile_generic(PUBLISHED, SEVERAL_WORDS)
    base = np.random.default_rng(2).integers(0, 2**64, (200, compiled.key_words), np.uint64, endpoint=False)
    before = compiled.fingerprints(base)
    for bit in range(64 * compiled.key_words):
        turned = base.copy()
        turned[:, bit // 64] ^= np.uint64(1 << bit % 64)
        changed = np.bitwise_count(before ^ compiled.fingerprints(turned)).mean()
        assert 26 < changed < 38, bit


def test_shards_are_even():
    """Reachable states, which are alike, still spread over the shards."""
    config = PUBLISHED.configure("kip-320", brokers=3, log_size=2, max_records=2, max_epoch=2)
    counts = np.array([shard.count for shard in search_through(PUBLISHED, config, keep_going=True).shards])
    assert counts.sum() == 737_794
    assert abs(counts - counts.mean()).max() < 6 * counts.mean() ** 0.5
