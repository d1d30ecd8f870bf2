"""The prover reads every action and property: by default, and at each small size, where every rule is at work."""

import pytest
from highwater.explorer.symbolic.relation import Relation
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, MODELS

SIZES = [
    (model, revision, settings)
    for model in MODELS.values()
    for revision, settings in (*((revision, {}) for revision in model.revisions), *model.sizes)
]


def read(model, revision, settings):
    """All steps, and what all properties demand."""
    config = model.configure(revision, **settings)
    claims = [one for one in (*properties_of(model), *model.lemmas) if one.applies(config)]
    relation = Relation(model, config, claims)
    steps = [relation.step(instance) for instance in relation.instances()]
    assert steps and all(relation.says(one, relation.before, relation.following) is not None for one in claims)
    for claim in claims:
        relation.obligations_of(claim)


def test_v3_without_crashes():
    """Its brokers start in steps, of which nothing is kept when none can stop."""
    read(KAFKA, "v3", {})


def test_compaction():
    """Which records have the same key is a division."""
    read(KAFKA, "kip-320", {"brokers": 2, "max_epoch": 0, "compactions": 1, "keys": 2})


@pytest.mark.long
@pytest.mark.parametrize(("model", "revision", "settings"), SIZES)
def test_every_small_size(model, revision, settings):
    read(model, revision, settings)
