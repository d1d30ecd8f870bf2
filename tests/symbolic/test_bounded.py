"""Bounded search agrees with breadth-first search, to the depth to which it goes."""

import pytest
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.symbolic.bounded import check_bounded
from highwater.explorer.symbolic.relation import Relation
from highwater.model.language.kinds import cells
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, PUBLISHED


def bounded(model, revision, name, steps, **settings):
    """Search so many steps for what breaks the named property."""
    config = model.configure(revision, **settings)
    one = {p.name: p for p in properties_of(model)}[name]
    return check_bounded(Relation(model, config, [one]), one, steps, 100.0), config, one


@pytest.mark.parametrize(
    ("model", "revision", "name", "steps", "settings"),
    [
        (PUBLISHED, "kip-320", "isr_never_empty", 4, {"brokers": 2}),
        (PUBLISHED, "kip-101", "weak_isr", 5, {"brokers": 2}),
        pytest.param(
            KAFKA, "high-watermark", "no_committed_data_loss", 4, {"brokers": 2, "log_size": 1, "max_records": 1},
            marks=pytest.mark.long,
        ),
        (KAFKA, "kip-320", "epochs_increase", 3, {"brokers": 2, "stale_commands": 1}),
    ],
)
def test_agrees_with_breadth_first_search(model, revision, name, steps, settings):
    found, config, one = bounded(model, revision, name, steps, **settings)
    plain = explore_plain(model, config, [one], most_states=800)
    depth = plain.found.get(name)
    assert len(plain.levels) > steps, "the plain search must go as deep"
    assert found.depth == (depth if depth is not None and depth <= steps + 1 else None)
    assert found.complete == (found.depth - 1 if found.depth else steps + 1)


@pytest.mark.long
def test_finds_tlcs_shortest_counterexample_where_breadth_first_search_would_not_finish():
    """Truncation to the high watermark with logs of 8 and epochs 0..4: WeakIsr is violated on level 9, as with TLC."""
    found, config, claim = bounded(PUBLISHED, "high-watermark", "weak_isr", 8, brokers=2, log_size=8, max_records=4, max_epoch=4)
    assert found.depth == 9 and len(found.taken) == 8
    for instance, before, after in zip(found.taken, found.states, found.states[1:], strict=False):
        replayed = before.copy()
        assert instance.action.version(config)(replayed, *instance.arguments)
        assert cells(replayed) == cells(after)
    assert [claim.holds(state) for state in found.states] == [True] * 8 + [False]
