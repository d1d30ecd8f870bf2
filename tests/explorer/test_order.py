"""A level is sorted before it is expanded, alike on every machine, and that changes nothing but the order."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.generate import specialised, table_module
from highwater.explorer.compiling.order import Order, by_weight, telling_bits
from highwater.explorer.compiling.packing import words_of
from highwater.explorer.compiling.path import key_chain
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.explorer.local.uncompiled import Kernels
from highwater.model.language import MEMBERS, State, actions, flag, integer, many
from highwater.model.language.machine_code.layout import Layout
from highwater.model.language.reading.program import program
from highwater.properties.registry import KAFKA
from support.cases import CASES
from support.exploring import sort_small_levels
from support.toys import COUNTERS

VARIABLES = [0b11 << 63, 0b1 << 3, 0b111 << 100, 0b1111111 << 7, *(0b11 << at for at in range(104, 190, 2)), 0b1]
"""Bits of a key of three words: the most important variable has two, in two words."""


def in_python(keys, variables):
    """The order, from its definition: by the variables that differ, one after the other, and then by place."""
    differing = [keys[0] ^ key for key in keys[:: max(1, len(keys) // 1024)]]
    found = []
    for variable in variables:
        bits = [bit for bit in range(192) if variable >> bit & 1 and any(key >> bit & 1 for key in differing)]
        if len(found) + len(bits) <= 22:
            found += sorted(bits, key=lambda bit: (bit // 64, -bit))
    return sorted(range(len(keys)), key=lambda place: ([keys[place] >> bit & 1 for bit in found], place))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 3000])
def test_keys_are_ordered_by_their_most_important_bits_and_then_by_place(count, seed):
    rng, table = random.Random(seed * 10_000 + count), table_module(3)
    some = [rng.getrandbits(192) for _ in range(4)]
    some_bits = (0, 1 << 63, 1 << 64, rng.getrandbits(192), rng.getrandbits(12))
    numbers = [rng.choice(some) ^ rng.choice(some_bits) for _ in range(count)]
    keys = np.array([words_of(number, 3) for number in numbers], np.uint64)
    variables = rng.sample(VARIABLES, len(VARIABLES))
    expected = in_python(numbers, variables)
    assert Order(variables, 3, table).of(keys).tolist() == expected
    assert Order(variables, 3, Kernels).of(keys).tolist() == expected


def test_no_keys_have_an_order():
    assert Order(VARIABLES, 3, table_module(3)).of(np.zeros((0, 3), np.uint64)).tolist() == []


def test_what_the_first_guards_read_is_the_most_important():
    """`fetch` and others first ask for the leader of a replica; nobody's guards ask for the record that was committed."""
    model, config = KAFKA, KAFKA.configure("kip-320", brokers=2)
    compiled = Compiled(model, config)
    whole = specialised(model, config, ())
    paths = [path for path, _, _ in compiled.layout.variables(config)]
    ordered = [paths[place] for place in by_weight(model, config, compiled.layout, whole)]
    assert sorted(ordered) == sorted(paths)
    assert {"replica[0][0].leader", "replica[0][1].leader", "zookeeper.sessions"} < set(ordered[:10])
    assert ordered.index("history[0].record[0]") > len(ordered) // 2


def sampled(count, seed):
    """Keys of three words, and what is enabled: an action where bit 5 is set, and another where bits 70 and 130 are."""
    rng = random.Random(seed)
    numbers = [rng.getrandbits(192) for _ in range(count)]
    numbers = [number & ~(1 << 6) | (number >> 5 & 1) << 6 for number in numbers]  # bit 6 says what bit 5 does
    enabled = [[number >> 5 & 1 == 1, number >> 70 & number >> 130 & 1 == 1, True, False] for number in numbers]
    return np.array([words_of(number, 3) for number in numbers], np.uint64), np.array(enabled)


@pytest.mark.parametrize("count", [200, 256])
def test_the_bits_are_chosen_that_tell_what_is_enabled(count):
    keys, enabled = sampled(count, count)
    assert telling_bits(keys, enabled, 1) == 1 << 5
    assert telling_bits(keys, enabled, 3) == 1 << 5 | 1 << 70 | 1 << 130
    many = telling_bits(keys, enabled)
    assert many.bit_count() == 22 and not many >> 6 & 1


def test_the_choice_depends_on_no_order():
    keys, enabled = sampled(256, 1)
    order = np.random.default_rng(1).permutation(256)
    assert telling_bits(keys[order], enabled[order]) == telling_bits(keys, enabled)


def test_where_all_states_enable_the_same_nothing_is_chosen():
    keys, enabled = sampled(256, 2)
    assert telling_bits(keys, enabled[:, 2:]) == 0
    assert telling_bits(keys[:1], enabled[:1]) == 0


class Rooms(State):
    light = flag("asked by nobody")
    door = many(integer(0, 1, "whether it is open"), MEMBERS, "by room")
    key = many(integer(0, 3, "who has it"), MEMBERS, "by room")
    hall = integer(0, 1, "whether it is open")


def enter(s, counter):
    if s.hall == 0:
        return False
    if s.key[counter] == 0 or s.hall == 2:
        return False

    s.door[counter] = 1
    return True


def lock_first(s):
    if s.door[0] == 0:
        return False

    s.hall = 0
    return True


def test_weights_fall_with_each_guard_and_add_up_over_instances():
    """Two instances read the hall first (2), each its own key second (1/2), and one a door first (1), which may be any."""
    rooms = replace(COUNTERS, name="rooms", state=Rooms, actions=actions({"counter": MEMBERS}, [enter, lock_first]))
    config = rooms.configure("only", counters=2)
    layout = Layout(rooms, "small")
    ordered = by_weight(rooms, config, layout, program([enter, lock_first]))
    paths = [path for path, _, _ in layout.variables(config)]
    assert [paths[place] for place in ordered] == ["hall", "door[0]", "door[1]", "key[0]", "key[1]", "light"]


def test_with_symmetry_nothing_is_sorted():
    model, config = KAFKA, KAFKA.configure("kip-320", brokers=2)
    assert Compiled(model, config).sorts and Compiled(model, config, generic="small").sorts
    assert not Compiled(model, config, symmetry=True).sorts and Compiled(COUNTERS, COUNTERS.configure("only")).sorts


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
    """A state's key and its meta word go to the same place, which may be in another shard."""
    sort_small_levels(monkeypatch)
    search, bounds, keys = begun(), Bounds(), []
    bounds.begin()
    with ThreadPoolExecutor(1) as pool:
        for _ in range(9):
            search.level(bounds, pool, None)
    owners = [search.compiled.fingerprints(shard.frontier().copy()) >> search.shift for shard in search.shards]
    assert any((owner != number).any() for number, owner in enumerate(owners))
    for number, shard in enumerate(search.shards):
        first = shard.count - shard.fresh
        for place, key in enumerate(shard.frontier().tolist()):
            root, codes = search.path_to(number, first + place)
            keys.append(tuple(key))
            assert len(codes) == 9 and list(key_chain(search.compiled, root, codes))[-1] == keys[-1]
    assert len(set(keys)) == search.levels[-1] > 100
