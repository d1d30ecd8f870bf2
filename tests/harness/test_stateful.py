"""Hypothesis plays compiled models: it finds what is known to fall, and nothing else; failures are kept and replayed."""

import pytest
from highwater.explorer.stateful.corpus import Corpus, is_within
from highwater.explorer.stateful.session import play
from highwater.model.registry import model_named
from highwater.properties.catalogue import default_properties
from highwater.traces.replay import replay
from highwater.traces.text import read_file

SEEDS = range(1, 21)


def played(model_name, revision, seed, **named):
    """A run on the default budget, or what `named` says, at three brokers or the size given."""
    model = model_named(model_name)
    config = model.configure(revision, brokers=named.pop("brokers", 3))
    properties = [p for p in default_properties(model_name) if p.applies(config)]
    return play(model, revision, [config], properties, seed, **named)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_known_violation_is_found_and_its_trace_breaks_the_property_again(seed, tmp_path):
    corpus = Corpus(tmp_path)
    found = played("published", "high-watermark", seed, brokers=2, corpus=corpus)
    assert found.fallen and found.steps > 0 and not found.known
    trace = read_file(found.trace_path)
    model = model_named("published")
    assert found.fallen in replay(trace, model, [p for p in default_properties("published") if p.name == found.fallen]).broken
    again = played("published", "high-watermark", seed + 100, brokers=2, corpus=corpus)
    assert again.known and again.runs == 0 and again.trace_path == found.trace_path


def test_a_past_failure_of_a_larger_cluster_or_of_another_design_is_not_replayed():
    model = model_named("kafka")
    largest = model.configure("kip-320", brokers=3, replicas=2, reassignments=1)
    for other, within in (
        ({}, True),
        ({"reassignments": 0}, True),
        ({"brokers": 4}, False),
        ({"crashes": 1}, False),
        ({"reassignment": "v3"}, False),
    ):
        assert is_within(largest.with_(**other), largest) == within, other


def test_the_same_seed_plays_the_same():
    runs = [played("published", "high-watermark", 5, brokers=2) for _ in range(2)]
    assert runs[0].trace == runs[1].trace and runs[0].steps == runs[1].steps


def test_nothing_falls_where_nothing_can_and_the_budget_ends_it():
    counted = played("published", "kip-320", 1, brokers=2, runs=20)
    assert not counted.fallen and counted.runs >= 20
    timed = played("published", "kip-320", 1, brokers=2, seconds=0.5)
    assert not timed.fallen and timed.seconds < 30 and "0.5 seconds were over" in timed.notes[0]


@pytest.mark.long
@pytest.mark.parametrize("revision", ["high-watermark", "kip-101", "kip-279"])
def test_it_bites(revision):
    """In at least 19 of 20 seeds, within the default budget."""
    assert sum(bool(played("kafka", revision, seed).fallen) for seed in SEEDS) >= 19


@pytest.mark.long
def test_it_does_not_bite_where_nothing_is_wrong():
    assert [seed for seed in SEEDS if played("kafka", "kip-320", seed).fallen] == []


@pytest.mark.long
def test_it_takes_twenty_thousand_steps_a_second():
    played("kafka", "kip-320", 1, runs=1)  # compiles
    run = played("kafka", "kip-320", 1, runs=100)
    assert run.steps / run.seconds >= 20_000
