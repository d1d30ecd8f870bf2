"""Hypothesis plays compiled models: it finds what is known to be violated, and nothing else; failures are kept and replayed."""

from dataclasses import replace
from itertools import product

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.request import Request
from highwater.explorer.stateful.corpus import Corpus, is_within
from highwater.explorer.stateful.machine import LABELS, MAX_EXTRA_STEPS, MAX_STEPS_AHEAD, FuzzMachine, Walkers, machine_for
from highwater.explorer.stateful.session import fuzz, how, smaller
from highwater.properties.catalogue import default_properties
from highwater.properties.registry import MODELS
from highwater.traces.replay import replay
from highwater.traces.text import read_file
from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test
from support.exploring import is_locally_shortest

VIOLATED = ["high-watermark", "kip-101", "kip-279"]


def request(model_name, revision, brokers=3, seconds=None):
    """All properties that are checked by default, with code for all configurations."""
    model = MODELS[model_name]
    config = model.configure(revision, brokers=brokers)
    properties = list(default_properties(model))
    return Request(model, revision, config, properties, generic=True, bounds=Bounds(seconds=seconds))


@pytest.mark.parametrize(("model_name", "revision"), [("published", "high-watermark"), *(("kafka", name) for name in VIOLATED)])
def test_a_known_violation_is_found_and_its_trace_violates_the_property_again(model_name, revision, tmp_path):
    corpus, asked = Corpus(tmp_path), request(model_name, revision)
    found = fuzz(asked, 5, corpus=corpus)
    assert found.violated and found.steps > 0 and not found.known
    trace, (one,) = read_file(found.trace_path), [p for p in asked.properties if p.name == found.violated]
    assert replay(trace, asked.model, [one]).broken == {one.name: len(trace.steps)}
    assert is_locally_shortest(trace, asked.model, one)
    again = fuzz(asked, 105, corpus=corpus)
    assert again.known and again.runs == 0 and again.trace_path == found.trace_path
    larger = replace(asked, config=asked.model.configure(revision, brokers=4))
    assert not list(corpus.failures(asked.model, revision, larger.config, asked.properties, smaller=False))
    assert any(corpus.failures(asked.model, revision, larger.config, asked.properties))


def test_a_past_failure_of_a_larger_cluster_or_of_another_design_is_not_replayed():
    model = MODELS["kafka"]
    largest = model.configure("kip-320", brokers=3, replicas=2, reassignments=1)
    for other, within in (
        ({}, True),
        ({"reassignments": 0}, True),
        ({"brokers": 4}, False),
        ({"crashes": 1}, False),
        ({"reassignment": "v3"}, False),
    ):
        assert is_within(largest.with_(**other), largest) == within, other


def kafka_machine(until):
    return machine_for(Walkers([request("kafka", "kip-320")]), {"runs": 0, "steps": 0}, 0, until)


def test_every_action_is_left_out_at_times(monkeypatch):
    """Kafka has more actions than 64."""
    begin, seen = FuzzMachine.begin, []

    def watched(self, configuration, start, left_out):
        seen.append(left_out)
        begin(self, configuration, start, left_out)

    monkeypatch.setattr(FuzzMachine, "begin", watched)
    machine = kafka_machine(until=0.0)
    run_state_machine_as_test(seed(1)(machine), settings=how(50, 1))
    actions = len(machine.walkers.of(0).compiled.base)
    assert actions > 64 and set.union(*seen) & set(range(64, actions))


def test_every_rule_draws_walks_of_its_own():
    player, drawn = kafka_machine(until=float("inf"))(), []
    player.begin(0, 0, set())
    player.walk = lambda steps, number, base: drawn.append(number) or MAX_STEPS_AHEAD
    for action, label, extra in product(range(len(player.base)), (0, 1, LABELS - 1), range(MAX_EXTRA_STEPS + 1)):
        player.step(action, label, extra)
    first, _, ahead = (drawn[place::3] for place in range(3))
    assert len(set(first)) == len(first) and len({*first, *ahead}) == 2 * len(first)


def test_the_same_seed_plays_the_same():
    one, other = (fuzz(request("published", "high-watermark"), 5) for _ in range(2))
    assert (one.trace, one.runs, one.steps) == (other.trace, other.runs, other.steps)
    assert fuzz(request("published", "high-watermark"), 6).steps != one.steps


def test_nothing_is_violated_where_nothing_can_be_and_the_budget_ends_it():
    counted = fuzz(request("published", "kip-320"), 1, runs=20)
    assert not counted.violated and counted.runs >= 20
    timed = fuzz(request("published", "kip-320", seconds=0.5), 1, runs=1_000_000)
    assert not timed.violated and timed.seconds < 30 and "0.5 seconds were over" in timed.notes[0]


def test_smaller_configurations_are_played_too():
    asked = request("published", "high-watermark")
    others = smaller(asked, 1)
    assert len({other.brokers for other in others}) > 1 and others != smaller(asked, 2)
    for other in others:
        assert is_within(other, asked.config)
    found = fuzz(asked, 1, vary=True)
    assert found.violated and replay(found.trace, asked.model).mismatch == ""


@pytest.mark.long
@pytest.mark.parametrize("revision", VIOLATED)
def test_it_finds_what_is_violated_with_every_seed(revision):
    assert [seed for seed in range(1, 21) if not fuzz(request("kafka", revision), seed).violated] == []


@pytest.mark.long
def test_it_finds_nothing_where_nothing_is_wrong():
    assert [seed for seed in range(1, 21) if fuzz(request("kafka", "kip-320"), seed, runs=200).violated] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("someone_can_be_elected", {"min_isr_changes": 1, "fences": 2}),
        ("eligible_replicas_are_replicas", {"brokers": 3, "replicas": 2, "reassignments": 1, "fences": 2}),
    ],
)
def test_it_finds_what_an_operator_breaks_under_kraft(name, settings):
    model = MODELS["kraft"]
    config = model.configure("4.4", **{"brokers": 2, "preferred_elections": 0, **settings})
    asked = Request(model, "4.4", config, [p for p in default_properties(model) if p.name == name], generic=True)
    found = fuzz(replace(asked, bounds=Bounds(seconds=120)), 3)
    assert found.violated == name
