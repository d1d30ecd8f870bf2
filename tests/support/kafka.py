"""Small configurations of the Kafka model, and walks over their states in plain Python."""

import itertools
from functools import cache

from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import VIOLATED, WITNESSED
from highwater.model.language import cells
from highwater.model.language.kinds import Kind, Many, MemberSet, One, Row
from highwater.model.language.kinds import Member as MemberKind
from highwater.model.members import NO_BROKER
from highwater.model.next import KAFKA
from highwater.properties.catalogue import properties_of
from highwater.properties.property import SOMETIMES

TINY = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1, "session_expiries": 0, "preferred_elections": 0}
"""Two brokers, one record, one epoch to elect in, and no fault: the ground on which one thing is tried."""

PROPERTIES = {p.name: p for p in properties_of("kafka")}


def tiny(revision="kip-320", **settings):
    """The configuration TINY with some settings changed."""
    return KAFKA.configure(revision, **{**TINY, **settings})


def outcome(config, revision="kip-320", names=None, **how):
    """What the compiled engine finds when it explores everything; all properties unless some are named."""
    chosen = [PROPERTIES[n] for n in names] if names else list(PROPERTIES.values())
    found = check(Request(KAFKA, revision, config, chosen, keep_going=True, generic=True, bounds=Bounds(), **how))
    assert found.complete
    return found


def falls(found):
    """What is violated, with depths."""
    return {f.property.name: f.depth for f in found.findings if f.verdict == VIOLATED}


def witnessed(found):
    """What is witnessed, with depths."""
    return {f.property.name: f.depth for f in found.findings if f.verdict == WITNESSED}


def safety(names):
    """Without the properties that are about reachability."""
    return {n: d for n, d in names.items() if PROPERTIES[n].kind != SOMETIMES}


@cache
def reachable(config, normal=True, deepest=99):
    """Every reachable plain state by its cells, in breadth-first order, with its level, down to a level.

    Without the normal form versions can grow for ever, so a level is needed where an ISR shrinks and grows.
    """
    level, found = [], {}
    for state in KAFKA.initial_states(config):
        settle(state, normal)
        if cells(state) not in found:
            found[cells(state)] = (state, 1)
            level.append(state)
    depth = 1
    while level and depth < deepest:
        depth, following = depth + 1, []
        for state in level:
            for _, _, successor in KAFKA.enabled(state):
                settle(successor, normal)
                if cells(successor) not in found:
                    found[cells(successor)] = (successor, depth)
                    following.append(successor)
        level = following
    return found


def settle(state, normal=True):
    """Rewrite the state to its normal form, if that is wanted."""
    if normal:
        KAFKA.normal_form(state)


def successors(state):
    """The normal forms of a state's successors, as a set of (label, cells)."""
    out = set()
    for action, arguments, successor in KAFKA.enabled(state):
        settle(successor)
        out.add((action.label(arguments), cells(successor)))
    return out


def renamed(state, order):
    """The state in which broker b is called order[b]."""
    twin = state.copy()
    _rename(type(state), twin, order)
    return twin


def _rename(kind, value, order):
    """Rename in place what hangs under a record; new values are given to its fields."""
    for name, field in kind.fields.items():
        setattr(value, name, _image(field, getattr(value, name), order))


def _image(kind, value, order):
    """The image of one field's value."""
    if isinstance(kind, Many):
        images = [_image(kind.element, v, order) for v in value]
        if kind.dimension == "members":
            images = [image for _, image in sorted(zip(order, images, strict=True), key=lambda pair: pair[0])]
        return Row(images)
    if isinstance(kind, MemberKind):
        return value if value == NO_BROKER else order[value]
    if isinstance(kind, MemberSet):
        return sum(1 << order[b] for b in range(len(order)) if value >> b & 1)
    if isinstance(kind, Kind):
        return value
    _rename(kind.element if isinstance(kind, One) else kind, value, order)
    return value


def orders(config):
    """Every renaming of the brokers."""
    return list(itertools.permutations(range(config.brokers)))
