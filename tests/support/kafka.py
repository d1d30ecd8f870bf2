"""Small configurations of the Kafka model, and walks over their states in plain Python."""

import itertools
from functools import cache

from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import VIOLATED, WITNESSED
from highwater.model.language import cells
from highwater.model.language.kinds import MEMBERS, MemberSet, fill
from highwater.model.language.kinds import Member as MemberKind
from highwater.model.language.loops import fold
from highwater.model.language.releases import row_of, settings_of_release
from highwater.model.members import NO_BROKER
from highwater.properties.catalogue import progress_of, properties_of
from highwater.properties.property import SOMETIMES
from highwater.properties.registry import KAFKA

from support import judge
from support.exploring import compile_generic, finished
from support.exploring import reachable as plain_reachable
from support.mutants import first_violation

TINY = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1, "session_expiries": 0, "preferred_elections": 0}
"""Two brokers, one record, one epoch to elect in, and no fault: the ground on which one thing is tried."""

PROPERTIES = {p.name: p for p in properties_of(KAFKA)}


def tiny(revision="kip-320", **settings):
    """The configuration TINY with some settings changed."""
    return KAFKA.configure(revision, **{**TINY, **settings})


def of_release(text, **settings):
    """TINY under a release: its revision, and the settings of its own repairs, with some settings changed."""
    release, revision, _ = row_of(KAFKA, text)
    return tiny(revision, **{**settings_of_release(KAFKA, release, revision), **settings})


def outcome(config, revision="kip-320", names=None, depth=None, **how):
    """What the compiled engine finds when it explores everything, or as deep as this; all properties unless some are named."""
    chosen = [PROPERTIES[n] for n in names] if names else list(PROPERTIES.values())
    found = check(Request(KAFKA, revision, config, chosen, keep_going=True, generic=True, bounds=Bounds(depth=depth), **how))
    assert found.complete or found.stopped == f"the bound of depth {depth}", found.stopped
    return found


def violated(found):
    """What is violated, with depths."""
    return {f.property.name: f.depth for f in found.findings if f.verdict == VIOLATED}


def witnessed(found):
    """What is witnessed, with depths."""
    return {f.property.name: f.depth for f in found.findings if f.verdict == WITNESSED}


def explored(revision="kip-320", names=None, **settings):
    """What is violated, with depths, when everything is explored at TINY with these settings."""
    return violated(outcome(tiny(revision, **settings), revision, names))


def level_of(name, config, revision="kip-320"):
    """The level at which a property is violated first; None when it holds."""
    found = check(Request(KAFKA, revision, config, [PROPERTIES[name]], generic=True)).findings[0]
    return found.depth if found.verdict == VIOLATED else None


def safety(names):
    """Without the properties that are about reachability."""
    return {n: d for n, d in names.items() if PROPERTIES[n].kind != SOMETIMES}


def first(config, *names):
    """The level of the first violation of a named property, as {name: level}, in plain Python; {} for none."""
    return first_violation(KAFKA, config, names, PROPERTIES)


def unkept(config, *names, plain=False):
    """The properties of progress that are violated, of those that are named or of all that apply.

    `plain`: by the judge in plain Python, as it must be while functions of the model are replaced.
    """
    chosen = [p for p in progress_of(KAFKA) if p.of_progress and p.applies(config) and (not names or p.name in names)]
    assert chosen, names
    if not plain:
        found = check(Request(KAFKA, "kip-320", config, [], progress=chosen, generic=True))
        assert found.complete, found.stopped
        return set(violated(found))
    graph, fairness = judge.graph_of(KAFKA, config), judge.fairness_of(KAFKA)
    return {one.name for one in chosen if any(judge.stuck_states(graph, fairness, one, config).values())}


def states_of(config):
    """Every reachable state, as the compiled search finds it: where no engine is under test."""
    search = finished(compile_generic(KAFKA, config), exact=True)
    return [search.compiled.state_of(key) for shard in search.shards for key in shard.keys[: shard.count]]


@cache
def reachable(config, normal=True, deepest=None):
    """Every reachable plain state by its cells, in breadth-first order, with its level, down to a level.

    Without the normal form versions can grow for ever, so a level is needed where an ISR shrinks and grows.
    """
    return {cells(state): (state, depth) for depth, state in plain_reachable(KAFKA, config, normal, deepest)}


def settle(state, normal=True):
    """Rewrite the state to its normal form, if that is wanted."""
    if normal:
        KAFKA.normal_form(state)


steps_of = cache(KAFKA.steps)


def successors(state):
    """The normal forms of a state's successors, as a set of (label, cells)."""
    out = set()
    for action, arguments, successor in KAFKA.enabled(state, steps_of(state.config)):
        settle(successor)
        out.add((action.label(arguments), cells(successor)))
    return out


def renamed(state, order):
    """The state in which broker b is called order[b]."""
    return fill(state.copy(), renamed_cells(state, cells(state), order))


def renamed_cells(like, numbers, order):
    """The cells of a renamed state from its cells; `like` is a state of the same model and configuration."""

    def renamed_cell(kind, value):
        if isinstance(kind, MemberKind):
            return value if value == NO_BROKER else order[value]
        if isinstance(kind, MemberSet):
            return sum(1 << order[b] for b in range(len(order)) if value >> b & 1)
        return value

    return tuple(renamed_cell(kind, numbers[place]) for kind, place in moves(type(like), like.config, order))


@cache
def moves(record, config, order):
    """For each cell of a renamed state its kind, and the place where its value was before."""

    def array(kind, elements):
        places = order if kind.dimension == MEMBERS else range(len(elements))
        moved = sorted(zip(places, elements, strict=True), key=lambda pair: pair[0])
        return [cell for _, inner in moved for cell in inner]

    def joined(kind, fields):
        return [cell for inner in fields.values() for cell in inner]

    return fold(record, fill(record(config), itertools.count()), lambda kind, place: [(kind, place)], array, joined)


def orders(config):
    """Every renaming of the brokers."""
    return list(itertools.permutations(range(config.brokers)))
