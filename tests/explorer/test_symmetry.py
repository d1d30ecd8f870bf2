"""Symmetry counts orbits: plain states grouped under every renaming, an independent one, give its counts."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from highwater.explorer.compiling.renaming_kernels import join_twins, next_permutation
from highwater.explorer.compiling.symmetry import validate_symmetry
from highwater.explorer.local.check import check
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.solving import BROKEN
from highwater.model.language import UsageError
from highwater.model.language.completed import untold
from highwater.properties.catalogue import properties_of
from highwater.properties.extended import extended
from highwater.properties.property import SOMETIMES, always, step
from highwater.properties.registry import KAFKA, PUBLISHED
from highwater.traces.replay import replay
from support import toys
from support.cases import TINY, name_of
from support.exploring import request, search_through
from support.kafka import renamed_cells

CASES = [
    (PUBLISHED, "high-watermark", {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1}),
    (PUBLISHED, "kip-320", {"brokers": 3, "log_size": 1, "max_records": 1, "max_epoch": 1}),
    (PUBLISHED, "kip-320", {"brokers": 4, "log_size": 1, "max_records": 1, "max_epoch": 0}),
    (KAFKA, "kip-279", TINY),
    (KAFKA, "kip-320", {**TINY, "controller_changes": 1, "preferred_elections": 0}),
    (toys.COUNTERS, "only", {"counters": 4, "top": 3}),
    (toys.LOCK, "rude", {}),
]


@cache
def plain_of(model, config):
    """What the plain engine finds, with the properties of the catalogue."""
    return explore_plain(model, config, [p for p in properties_of(model) if p.applies(config)])


@pytest.mark.parametrize(("model", "revision", "settings"), CASES, ids=name_of)
def test_orbits_level_by_level(model, revision, settings):
    config = model.configure(revision, **settings)
    sizes, orbits, like = Counter(), set(), model.state(config)
    for numbers, depth in plain_of(model, config).depth_of.items():
        order = min(renamed_cells(like, numbers, new) for new in permutations(range(config.members)))
        sizes[depth] += order not in orbits
        orbits.add(order)
    search = search_through(model, config, symmetry=True, exact=True, keep_going=True)
    assert search.levels == [size for _, size in sorted(sizes.items()) if size]


@pytest.mark.parametrize(("model", "revision", "settings"), CASES, ids=name_of)
def test_verdicts_and_depths_agree(model, revision, settings):
    config = model.configure(revision, **settings)
    plain = plain_of(model, config)
    search = search_through(model, config, symmetry=True, keep_going=True)
    assert {name: found.depth for name, found in search.found.items()} == plain.found
    # A state may be deeper than its mirror image, for the first states are not each other's.
    assert 0 <= len(plain.levels) - len(search.levels) <= 1


@pytest.mark.parametrize(
    ("model", "revision", "settings"),
    [*CASES, (PUBLISHED, "kip-279", {"brokers": 3, "max_epoch": 1}), (PUBLISHED, "kip-101", {"brokers": 4, "max_epoch": 1})],
    ids=name_of,
)
@pytest.mark.parametrize("symmetry", [False, True], ids=["plain", "symmetry"])
def test_traces_replay_in_the_plain_model_and_break_at_the_last_step(model, revision, settings, symmetry):
    outcome = check(request(model, revision, settings, symmetry=symmetry))
    for finding in outcome.violated:
        replayed = replay(finding.trace, model, [finding.property])
        assert replayed.mismatch == ""
        assert replayed.broken == {finding.property.name: len(finding.trace.steps)}
        assert len(finding.trace.steps) == finding.depth - 1  # a shortest one


@pytest.mark.parametrize("twins", [[0, 1, 2, 3], [0, 1, 0, 3], [0, 0, 2, 0], [0, 1, 1, 0], [0, 0, 0, 0]])
def test_every_order_comes_once_in_which_twins_count_as_one(twins):
    order, seen = np.array([[9, 0, 1, 2, 3, 9]]), []
    labels = np.array([[*twins, 0, 0, 0, 0, 0, 7]])
    join_twins(order, labels, 0, 1, 4)
    first = order.copy()
    while True:
        seen.append(tuple(labels[0, one] for one in order[0, 1:5]))
        if not next_permutation(order, labels, 0, 1, 4):
            break
    assert sorted(seen) == sorted(set(permutations(twins)))
    assert [labels[0, one] for one in order[0]] == [labels[0, one] for one in first[0]]
    assert sorted(order[0, 1:5]) == [0, 1, 2, 3] and order[0, 0] == order[0, 5] == 9


def test_symmetry_is_refused_in_one_sentence_where_it_is_not_sound():
    crowded = {"start": "empty", "brokers": 3, "replicas": 2}
    assert KAFKA.asymmetry(KAFKA.configure("kip-320", **crowded))
    with pytest.raises(UsageError, match=r"^symmetry cannot be used here: "):
        check(request(KAFKA, "kip-320", crowded, [], symmetry=True))


def jump(s, counter):
    if counter != 1 or s.count[counter] != 0:
        return False
    s.count[counter] = 2
    return True


def nobody_jumps(s, t):
    for counter in range(s.config.members):
        if s.count[counter] == 0 and t.count[counter] == 2:
            return False
    return True


def test_members_of_a_plugins_model_are_told_apart_unless_it_promises_symmetry():
    """A proof by one member for all would miss what only the second one does."""
    model = extended(toys.COUNTERS, actions=[jump], properties=[step(nobody_jumps, "only")])
    config = model.configure("only", counters=3)
    with pytest.raises(UsageError, match=r"unless it says extended\(..., symmetric=True\); leave out --symmetry$"):
        validate_symmetry(model, config)
    proof = prove(ProofRequest(model, "only", config, [model.properties[-1]], [], workers=1, timeout=60.0))
    assert proof.verdict == BROKEN and [action.name for action in proof.actions if action.broken] == ["jump"]
    assert extended(toys.COUNTERS, actions=[jump], symmetric=True).asymmetry(config) == ""
    assert replace(toys.COUNTERS, asymmetry=untold).asymmetry(config)


def first_stays_low(s):
    return s.count[0] < 2


def first_is_not_raised(s, t):
    return s.count[0] == t.count[0]


FALSE = {"jump": {"actions": [jump]}, "first_stays_low": {"properties": [always(first_stays_low, "only")]},
         "first_is_not_raised": {"properties": [step(first_is_not_raised, "only")]}}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_plugin_that_promises_falsely_is_refused(name):
    """Of the states that differ in names one is explored: `first_stays_low` seemed to hold for two steps longer than it does."""
    model = extended(toys.COUNTERS, **FALSE[name], symmetric=True)
    config = model.configure("only", counters=3)
    place = rf"\S+test_symmetry\.py:\d+: .* in {name}, and its plugin promises that nothing prefers a member by its number"
    with pytest.raises(UsageError, match=f"^symmetry cannot be used here: {place}"):
        check(request(model, "only", {"counters": 3}, list(model.properties), symmetry=True))
    given = [claim for claim in model.properties if claim.kind != SOMETIMES and claim.name in (name, "sum_below_seven")]
    with pytest.raises(UsageError, match=f"^one member cannot represent all of them here: {place}"):
        prove(ProofRequest(model, "only", config, given, []))
    assert prove(ProofRequest(model, "only", config, given, [], all_instances=True)).verdict == BROKEN
