"""Code that several configurations share finds what the code of each alone finds."""

import pytest
from highwater.explorer.compiling.shared import Shared, laid_out_alike
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, PUBLISHED
from support import toys
from support.exploring import told


def configs_of(model, **settings):
    """A configuration for each revision."""
    return {revision: model.configure(revision, **settings) for revision in model.revisions}


def test_configurations_share_code_whose_states_are_the_same_bytes():
    releases = configs_of(KAFKA)
    assert sorted(map(len, laid_out_alike(KAFKA, list(releases.values())))) == [1, len(releases) - 1]  # v3 has two brokers
    wide = [toys.COUNTERS.configure("only", top=top) for top in (1, 3)]
    assert [[c.top for c in group] for group in laid_out_alike(toys.COUNTERS, wide)] == [[1, 3]]


def test_what_is_known_is_what_is_the_same():
    known = Shared([toys.COUNTERS.configure("only", top=top, counters=2) for top in (1, 3)])
    assert known.counters == 2 and not hasattr(known, "top")


@pytest.mark.parametrize(("model", "settings"), [(PUBLISHED, {"brokers": 2, "log_size": 2, "max_epoch": 2})])
def test_the_same_is_found_as_with_the_code_of_each(model, settings):
    configs = configs_of(model, **settings)
    shared = tuple(configs.values())
    for revision, config in configs.items():
        request = Request(model, revision, config, list(properties_of(model)), keep_going=True, shared=shared)
        alone = Request(model, revision, config, list(properties_of(model)), keep_going=True, generic=True)
        assert told(check(request)) == told(check(alone)), revision
