"""Implications between claims of progress, against every lasso of small graphs, and on a model with known answers."""

from itertools import combinations

import highwater
import networkx as nx
import numpy as np
import pytest
from highwater.explorer.library import of_a_user
from highwater.explorer.progress.implied import Said, behaviour
from highwater.model.language import Model, State, UsageError, flag, integer, many
from highwater.properties.property import (
    GIVEN,
    OF_BEHAVIOURS,
    Property,
    always,
    always_eventually,
    eventually,
    eventually_always,
    implies,
    leads_to,
    recoverable,
    sometimes,
)
from highwater.traces.lasso import doubt, kept
from highwater.traces.replay import replay
from support.judge import STRONG

from tests.progress.test_random_graphs import drawn, is_lasso

STEM = 8


def claim(kind, goal, premise):
    """A claim of numbers of states."""
    return Property(
        "one", kind, lambda s: s in goal, "", None, "", premise=(lambda s: s in premise) if kind == "leads_to" else None
    )


def stays(plain, fairness):
    """The sets of states that a fair behaviour can pass again and again, or the one in which it ends."""
    steps = {v: [(w, d["instance"]) for _, w, d in plain.out_edges(v, data=True) if w != v and not d["fault"]] for v in plain}
    for size in range(1, len(plain) + 1):
        for part in map(set, combinations(plain, size)):
            inner = nx.DiGraph((v, w) for v in part for w, _ in steps[v] if w in part)
            inner.add_nodes_from(part)
            taken = {i for v in part for w, i in steps[v] if w in part}
            enabled = [{i for _, i in steps[v] if i[0] in fairness} for v in part]
            strong = {i for some in enabled for i in some if fairness[i[0]] == STRONG}
            if nx.is_strongly_connected(inner) and not (set.intersection(*enabled) | strong) - taken:
                yield sorted(part)


def walks(plain, most=4000):
    """The walks from the initial state, 0, shortest first."""
    todo = [[0]]
    for walk in todo:
        yield walk
        if len(walk) <= STEM and len(todo) < most:
            todo += [[*walk, w] for w in sorted(set(plain.successors(walk[-1])) - {walk[-1]})]


def asked(states, seed):
    """Claims, the last of which is not to be kept: for the engine, and to be judged."""
    dice = np.random.default_rng(seed + 1000)
    kinds, dense = [*dice.choice(GIVEN, int(dice.integers(1, 3))), dice.choice(OF_BEHAVIOURS)], dice.uniform(0.1, 0.7)
    said = [
        Said(kind, dice.random(states) < dense, dice.random(states) < 0.4, place < len(kinds) - 1)
        for place, kind in enumerate(kinds)
    ]
    return said, [claim(one.kind, set(np.flatnonzero(one.goal)), set(np.flatnonzero(one.premise))) for one in said]


@pytest.mark.parametrize("seed", range(0, 200, 50))
def test_against_every_lasso(seed):
    found = 0
    for number in range(seed, seed + 50):
        graph, plain, fairness, _ = drawn(number, most=4, densest=0.3)
        said, claims = asked(graph.states, number)
        sets = list(stays(plain, fairness))
        lassos = (([*walk, *part], len(walk) + 1) for walk in walks(plain) for part in sets if walk[-1] in part)
        shows = any(all(kept(way, c, (), at) == s.kept for c, s in zip(claims, said, strict=True)) for way, at in lassos)
        assert shows_it(graph, said, claims, fairness) == shows, number
        found += shows
    assert 5 < found < 45


@pytest.mark.parametrize("seed", range(1000, 1200, 50))
def test_what_is_found_is_a_fair_lasso(seed):
    found = 0
    for number in range(seed, seed + 50):
        graph, _, fairness, _ = drawn(number, densest=1.2)
        found += shows_it(graph, *asked(graph.states, number), fairness)
    assert found > 5


def shows_it(graph, said, claims, fairness):
    """Whether the engine finds a behaviour; it is fair, begins at the beginning, and keeps what it must and no more."""
    found = behaviour(graph, said)
    if found is not None:
        way = is_lasso(graph, found, fairness)
        assert way[0] == 0 and [kept(way, c, (), len(found.path) + 1) for c in claims] == [s.kept for s in said]
    graph.store.close()
    return found is not None


class Shop(State):
    """Two customers, and a shop that opens and closes as it likes."""

    opened = flag("the shop is open")
    waits = many(flag("waits"), 2)
    served = many(flag("was served once"), 2)
    days = integer(0, 2, "the day of the week")


def turn_key(s):
    """The shop opens or closes."""
    s.opened = not s.opened
    return True


def come(s, waits):
    """A customer comes."""
    if s.waits[waits]:
        return False
    s.waits[waits] = True
    return True


def serve(s, waits):
    """A customer is served, if the shop is open."""
    if not s.opened or not s.waits[waits]:
        return False
    s.waits[waits] = False
    s.served[waits] = True
    return True


def is_open(s):
    """The shop is open."""
    return s.opened


def is_closed(s):
    """The shop is closed."""
    return not s.opened


def waits(s, waits):
    """One waits."""
    return s.waits[waits]


def is_served(s, waits):
    """One does not wait."""
    return not s.waits[waits]


def all_served(s, waits, served):
    """Of two at least one waits no more."""
    return not s.waits[waits] or not s.waits[served]


def never(s):
    """Nothing is so."""
    return s.days > 0


CLAIMS = [
    (leads_to(waits, is_served, name="bare"), "violated"),
    (implies(always_eventually(is_open), leads_to(waits, is_served), "if_it_opens_again_and_again"), "holds"),
    (implies(eventually_always(is_open), leads_to(waits, is_served), "if_it_stays_open"), "holds"),
    (implies(eventually(is_open), leads_to(waits, is_served), "if_it_opens_once"), "violated"),
    (implies(always_eventually(is_open), always_eventually(waits), "somebody_comes"), "violated"),
    (implies([eventually_always(is_open), always_eventually(waits)], always_eventually(is_served), "both"), "holds"),
    (implies(leads_to(waits, is_served), always_eventually(is_open), "the_other_way"), "violated"),
    (implies(always(is_closed), eventually_always(is_served), "closed"), "violated"),
    (implies(always(never), always_eventually(is_open), "of_nothing"), "never witnessed"),
]


def shop(claims):
    return Model(state=Shop, actions=[turn_key, come, serve], properties=claims, strong=[serve])


def test_known_answers_and_their_lassos():
    model = shop([one for one, _ in CLAIMS])
    found = highwater.check(model, properties=[one.name for one, _ in CLAIMS], threads=1, keep_going=True)
    assert found.verdicts == {one.name: verdict for one, verdict in CLAIMS}
    whole = of_a_user(model)
    for one in whole.properties:
        if found.verdicts[one.name] == "violated":
            trace = found.trace(one.name)
            assert doubt(trace, whole, replay(trace, whole, []).states, one) == "", str(trace)
    given = next(one for one in whole.properties if one.name == "both")
    trace = found.trace("closed")
    assert doubt(trace, whole, replay(trace, whole, []).states, given) == "both is reached in every case that requires it"
    assert given.claim == "One does not wait. (Given eventually_always(is_open) and always_eventually(waits).)"


@pytest.mark.parametrize(
    ("given", "then", "sentence"),
    [
        (
            sometimes(is_open),
            eventually(is_closed),
            "is_open is of kind sometimes: what implies is_closed is of kind always, event",
        ),
        (recoverable(is_open), eventually(is_closed), "is_open is of kind recoverable: what implies is_closed"),
        (
            implies(always(is_open), eventually(is_closed)),
            eventually(is_open),
            "is_closed is an implication itself: what implies",
        ),
        (
            always(is_open),
            recoverable(is_open),
            "is_open is of kind recoverable: what is implied is of kind eventually, leads_to",
        ),
        (always(is_open), always(is_open), "is_open is of kind always: what is implied is of kind eventually, leads_to"),
        (
            always(all_served),
            eventually(waits),
            "all_served, which implies waits, must have the same parameters, in order, or others",
        ),
        ((), eventually(is_open), r"implies\(given, claim\) joins properties"),
        (is_open, eventually(is_open), r"implies\(given, claim\) joins properties"),
    ],
)
def test_what_is_not_decided_is_refused(given, then, sentence):
    with pytest.raises(UsageError, match=sentence):
        implies(given, then)


def test_what_is_implied_twice_is_implied_by_both():
    both = implies(always(is_open), implies(eventually(is_closed), eventually(is_open)))
    assert [one.kind for one in both.given] == ["always", "eventually"]
