"""A trace runs as recorded, or the first step that does not fit is named, with the guard and what is enabled."""

from dataclasses import replace
from pathlib import Path

import pytest
from highwater.model.language.errors import UsageError
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, PUBLISHED
from highwater.traces.replay import MAX_LABELS, replay, start
from highwater.traces.text import read

from .golden_table import golden

S1 = golden("s1_silent_divergence.kip-101")


def trace(steps, settings="brokers=2", revision="kip-320", model="kafka 0", initial=0):
    text = f"highwater trace 1\nmodel: {model}\nrevision: {revision}\nsettings: {settings}\ninitial: {initial}\n"
    return read(text + "".join(f"{number} {step}\n" for number, step in enumerate(steps, 1)))


def mismatch(steps, **about):
    return replay(trace(steps, **about), KAFKA).mismatch


def test_runs_and_notes_what_falls_first_where():
    claims = [p for p in properties_of(KAFKA) if p.name in ("log_prefix_convergence", "commits_record")]
    result = replay(S1, KAFKA, claims)
    assert (result.mismatch, len(result.states)) == ("", len(S1.steps) + 1)
    assert (result.broken, result.witnessed) == ({"log_prefix_convergence": 17}, {"commits_record": 11})


def test_a_step_that_is_not_enabled_is_named_with_its_guard_and_what_is_enabled():
    said = mismatch(["produce partition=0 leader=0 batch=0", "fetch partition=0 follower=0 leader=1"])
    assert said.startswith("step 2, `fetch partition=0 follower=0 leader=1`, is not enabled here: the guard `")
    assert "not is_fetching_from(s, partition, follower, leader)" in said
    source = (Path(__file__).parents[2] / "model" / "broker" / "fetch.py").read_text(encoding="utf-8").split("\n")
    line = next(n for n, text in enumerate(source, 1) if "if not is_fetching_from" in text)
    assert f"(broker/fetch.py:{line + 1})" in said
    assert "; enabled: expire_session broker=0, " in said
    assert "fetch partition=0 follower=1 leader=0" in said
    assert said.endswith("recorded under another revision or configuration")


def test_an_action_that_the_revision_does_not_have_is_told_as_such():
    said = mismatch(["truncate_on_divergence partition=0 follower=1 leader=0"])
    assert "this revision has no such action" in said


def test_many_enabled_actions_are_cut_short():
    settings = "brokers=9 partitions=6 log_size=64 max_records=100 max_batch=8"
    said = mismatch(["start_broker broker=0"], settings=settings)
    assert said.count("=") < 6 * MAX_LABELS
    assert ", and more; this usually means" in said


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("explode broker=0", "is no action of the model kafka; its actions: expire_session, "),
        ("crash", "does not have the parameters of crash: broker"),
        ("crash broker=0 offset=1", "does not have the parameters of crash: broker"),
        ("crash leader=0", "does not have the parameters of crash: broker"),
        ("crash broker=2", "has broker=2 outside 0..1"),
        ("crash broker=-1", "has broker=-1 outside 0..1"),
        ("crash broker=999999", "has broker=999999 outside 0..1"),
        ("remove_controller now=1", "does not have the parameters of remove_controller: none"),
    ],
)
def test_a_step_that_the_model_cannot_have_is_a_mismatch(step, said):
    assert f"step 1, `{step}`, {said}" in mismatch([step], settings="brokers=2 crashes=1")


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"revision": "kip-999"}, "the model kafka has no revision 'kip-999'; it has v3, high-watermark"),
        ({"model": "paxos 0"}, "the trace is of the model 'paxos', not of kafka"),
        ({"initial": 7}, "begins at initial state 7, and there are only"),
        ({"settings": "brokers=99999999999999999999"}, "brokers must lie between 1 and 9"),
        ({"settings": "brokers=0"}, "brokers must lie between 1 and 9, not 0"),
        ({"settings": "brokers=two"}, "brokers must be a whole number"),
        ({"settings": "truncation=never"}, "truncation must be one of to-high-watermark"),
        ({"settings": "brokers=2 replicas=3"}, "replicas = 3 is more than brokers = 2"),
        ({"settings": "brokres=2"}, "a setting 'brokres', which the model kafka does not have"),
        ({"settings": "self=1"}, "a setting 'self', which the model kafka does not have"),
        ({"settings": "revision=1"}, "a setting 'revision', which the model kafka does not have"),
    ],
)
def test_a_trace_that_no_configuration_fits_is_refused(about, said):
    with pytest.raises(UsageError) as refusal:
        replay(trace([], **about), KAFKA)
    assert said in str(refusal.value)


def test_another_state_than_recorded_is_a_mismatch():
    spoilt = replace(S1.steps[1], digest="0" * 12)
    result = replay(S1.with_steps([S1.steps[0], spoilt, *S1.steps[2:]]), KAFKA)
    assert "step 2, `fetch partition=0 follower=0 leader=1`, leads to another state than recorded" in result.mismatch
    assert len(result.states) == 2


def test_another_initial_state_than_recorded_is_a_mismatch():
    result = replay(replace(S1, start_digest="0" * 12), KAFKA)
    assert "the initial state is not the recorded one" in result.mismatch


def test_the_published_model_replays_by_the_same_rules():
    about = {"model": "published 0", "revision": "kip-279"}
    config, _ = start(trace([], settings="", **about), PUBLISHED)
    assert config.members >= 2
    result = replay(trace(["no_such_step"], settings="", **about), PUBLISHED)
    assert "is no action of the model published" in result.mismatch
