"""Every violation says why: the sentence that names the witnesses, from the property's false returns."""

import gc
import re
from dataclasses import replace
from pathlib import Path

import pytest
from highwater.model.language.errors import UsageError
from highwater.properties.catalogue import claims_of, properties_of
from highwater.properties.explain import comparison_lines, explain, nearest
from highwater.properties.property import quantified, sometimes
from highwater.properties.registry import MODELS
from highwater.traces.compared import compare_revisions
from highwater.traces.evidence import gather
from highwater.traces.replay import replay
from highwater.traces.shrink import plain_states
from highwater.traces.trace import Step, Trace
from highwater.traces.why import why
from support.toys import COUNTER_PROPERTIES, COUNTERS, JUG_PROPERTIES, JUGS

from .golden_table import GOLDEN, golden


def explained(name, about=None):
    trace = golden(name)
    model = MODELS[trace.model]
    return explain(trace, model, claims_of(model)[about or trace.property])


SENTENCES = {
    ("s1_silent_divergence.kip-101", "log_prefix_convergence"): (
        "broker 0 (follower in epoch 2) has c of epoch 1 at offset 2, leader 1 has b of epoch 0"
    ),
    ("s3_truncation_loses_data.high-watermark", "no_committed_data_loss"): (
        "leader 1 (epoch 1) has nothing at offset 1 (its log ends at 1), where b was committed in epoch 0"
    ),
    ("s3_truncation_loses_data.high-watermark", "weak_isr"): (
        "leader 0 (epoch 0) has b of epoch 0 at offset 1, broker 1 (follower in epoch 0) has nothing (its log ends at 1);"
        " offset 1 lies below the high watermark of broker 0 (2); broker 1 is in broker 0's ISR {0 1}"
    ),
    ("s6_stale_leader_answers.kip-279", "no_committed_data_loss"): (
        "leader 2 (epoch 3) has a of epoch 0 at offset 0, where b was committed in epoch 2"
    ),
    ("s6_stale_leader_answers.kip-279", "strong_isr"): (
        "leader 1 (epoch 2) has b of epoch 2 at offset 0, broker 2 (follower in epoch 2) has a of epoch 0;"
        " offset 0 lies below the high watermark of broker 1 (1); broker 2 is in the published ISR {1 2}"
    ),
    ("reassignment_by_older_text.kip-320", "leader_none_or_in_isr"): "the published leader is 0, the published ISR is {1 2}",
    ("zombie_commits_what_all_have.kip-320", "single_committable_leader_strict"): (
        "leader 0 (epoch 0): broker 0's high watermark is 0 before the step and 1 after it"
    ),
    ("r6_command_sent_again.kip-320", "single_committable_leader"): (
        "leader 1 (epoch 1), whose high watermark rises from 0 to 1, has a of epoch 1 at offset 0,"
        " leader 0 (epoch 2) has nothing (its log ends at 0)"
    ),
    ("m9_uncommitted_value.kip-320", "last_values_are_kept"): (
        "leader 0 (epoch 0) has a hole where compaction has deleted a of epoch 0 at offset 0, where a was committed in epoch 0"
    ),
    ("m3_rolling_restart.kip-320", "shutdown_keeps_leaders"): (
        "the published leader is 0, broker 0 is down, broker 1 runs, broker 1 stays, the published ISR is {0 1}"
    ),
    ("t8_fetch_below_start.kip-320-2.8.0", "append_in_order"): "broker 0's fetcher has failed",
    ("acks_leader_loses_data.kip-320", "acknowledged_records_survive"): (
        "leader 1 (epoch 1) has nothing at offset 0 (its log ends at 0), where a was acknowledged"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "about"), SENTENCES)
def test_the_sentence_names_the_witnesses_and_the_line(name, about):
    found = explained(name, about).why
    assert found.sentence.startswith(f"{about} is false: {SENTENCES[name, about]} (properties/")
    assert found.step == GOLDEN[name].broken[about]
    line = Path(found.file).read_text().splitlines()[found.line - 1]
    assert line.strip().startswith(("return ", "if "))


@pytest.mark.parametrize("name", GOLDEN)
def test_every_violation_of_a_golden_trace_has_a_sentence_in_words(name):
    trace = golden(name)
    model = MODELS[trace.model]
    config = model.configure(trace.revision, **trace.settings)
    claims = {p.name: p for p in properties_of(model) if p.applies(config)}
    result = replay(trace, model, claims.values())
    for about, step in result.broken.items():
        found = why(claims[about], model, result.states, step)
        assert "`" not in found.sentence and "[" not in found.sentence, found.sentence
        assert set(claims[about].parameters) < set(found.witness) and 0 < found.since <= step


def test_a_collection_of_garbage_meanwhile_is_no_part_of_the_evidence():
    """What `gc.callbacks` has may be called between any two calls: Hypothesis measures collections so."""
    expected, threshold = explained("s1_silent_divergence.kip-101").why, gc.get_threshold()
    gc.callbacks.append(noted := lambda phase, info: None)
    gc.set_threshold(1)
    try:
        assert explained("s1_silent_divergence.kip-101").why == expected
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(noted)


def test_a_report_says_the_steps_the_scenario_and_the_repair():
    sentence, *lines = explained("s1_silent_divergence.kip-101").lines()
    assert sentence.startswith("log_prefix_convergence is false")
    text = "\n".join(lines)
    assert "the last step that mattered is step 17, truncate_to_answer partition=0 follower=0" in text
    assert "Design: 279 motivation (T1, T8). Kafka: ReplicaFetcherThread.maybeTruncate (0.11)." in text
    assert "(model/truncation/by_leader_epoch.py:" in text
    assert "nearest known scenario: s1_silent_divergence.kip-101 (S1, KAFKA-6361" in text
    assert "first kept by kip-279-2.0.1: " in text and "all 1,560,831 states were checked with these settings" in text
    assert "kip-279 violates it with these settings too, after 15 steps" in text, "these steps end well there, others do not"
    assert "the same steps: under kip-279-2.0.1" in text


def test_of_several_settings_those_that_are_enough_alone_are_named():
    text = "\n".join(explained("s1_silent_divergence.kip-101").lines())
    assert "; for these steps truncation = by-common-epoch is enough; all " in text


def test_a_setting_beyond_the_revision_is_named_as_the_cause():
    text = "\n".join(explained("restarted_leader_by_epoch_start.kip-320").lines())
    assert "kip-320 is expected to keep it at the default sizes; this is with admission = epoch-start, crashes = 1" in text


def test_a_fault_that_was_added_is_named_before_the_revision_that_keeps_the_property():
    text = "\n".join(explained("r1_lost_answer.kip-320").lines())
    assert "this is with store = answered, lost_answers = 1; " in text


def test_beside_another_revision_the_refusing_guard_is_quoted():
    trace = golden("first_try_stale_leader.kip-320-first-try")
    model = MODELS[trace.model]
    claim = {p.name: p for p in properties_of(model)}[trace.property]
    first, enabled, verdict = comparison_lines(trace, model, claim, "kip-320")
    assert re.search(r"\d steps run as they do here; step \d+, \w+ .*, is not enabled there: the guard `.+` refuses it", first)
    assert re.search(r"\(broker/\w+\.py:\d+\)$", first)
    assert enabled.startswith("enabled there: ") and "not violated there" in verdict
    with pytest.raises(UsageError, match="did you mean kip-320"):
        list(comparison_lines(trace, model, claim, "kip-32"))


def test_beside_another_revision_the_trace_keeps_its_sizes_and_faults():
    """V3's own are two brokers and unclean elections: a third broker that never fetches would keep every property."""
    trace = golden("q14_deleted_records_come_back.v3")
    there = compare_revisions(trace, MODELS["kafka"], plain_states(trace, MODELS["kafka"]), "high-watermark")
    config = MODELS["kafka"].configure(there.trace.revision, **there.trace.settings)
    own = MODELS["kafka"].configure(trace.revision, **trace.settings)
    assert (config.brokers, config.unclean_elections, config.store) == (own.brokers, own.unclean_elections, 0)
    assert config.brokers == 2 != MODELS["kafka"].defaults("high-watermark").brokers


def test_worlds_that_begin_differently_are_said_to():
    trace = golden("s3_truncation_loses_data.high-watermark")
    there = compare_revisions(trace, MODELS["kafka"], plain_states(trace, MODELS["kafka"]), "kip-101")
    assert there.begins == "broker 0 epochs none" and there.parts == 9
    assert compare_revisions(trace, MODELS["kafka"], plain_states(trace, MODELS["kafka"]), trace.revision).begins == ""


def test_what_is_missing_there_is_not_said_to_have_ended():
    """H1's request exists in V3 alone."""
    trace = golden("h1_request_first.v3")
    there = compare_revisions(trace, MODELS["kafka"], plain_states(trace, MODELS["kafka"]), "high-watermark")
    assert "zookeeper has no partition" in there.change and "deleted" not in there.change


def test_the_nearest_scenario_violates_what_it_is_about():
    for name in GOLDEN:
        trace = golden(name)
        near, _ = nearest(trace, MODELS[trace.model], trace.property)
        assert not near or GOLDEN[near.split(" ")[0]].broken, name


def test_a_violation_of_progress_says_for_whom():
    found = explained("l1_replaced_controller.high-watermark").why
    assert found.sentence.startswith("follower_joins is violated for partition 0, broker 0: after 11 steps")
    assert found.witness == {"partition": 0, "broker": 0}


def toy_trace(model, revision, steps, about):
    return Trace(model.name, "0", revision, {}, 0, tuple(steps), about)


def test_a_users_own_property_needs_no_word_from_him():
    (claim,) = quantified(JUG_PROPERTIES, JUGS.domains)
    names = ["fill_big", "big_to_small", "empty_small", "big_to_small", "fill_big", "big_to_small"]
    trace = toy_trace(JUGS, "only", [Step(name, ()) for name in names], claim.name)
    found = why(claim, JUGS, plain_states(trace, JUGS), 6)
    assert found.sentence.startswith("not_four_gallons is false: `s.in_big != 4` is false with s.in_big = 4; in_big is 4 (")
    assert found.witness == {"in_big": 4} and found.since == 6


def test_helpers_and_steps_are_followed():
    below, step = quantified([p for p in COUNTER_PROPERTIES if p.kind != "sometimes"], {})
    steps = [Step("count_up", (("counter", number // 3),)) for number in range(7)]
    states = plain_states(toy_trace(COUNTERS, "only", steps, below.name), COUNTERS)
    assert "`total(s) < 7` is false with total(s) = 7" in why(below, COUNTERS, states, 7).sentence
    found = why(step, COUNTERS, states, 2)
    assert "`s.count[counter] == 1 and t.count[counter] == 2` is true" in found.sentence
    assert found.witness == {"before count[0]": 1, "after count[0]": 2}


def outer(s):
    return s.count[0] < 9 and not denied(s)


def denied(s):
    if s.count[1] > 0:
        return False
    return s.count[0] >= 1


def test_a_denied_helper_is_followed_into_its_comparison():
    state = COUNTERS.initial_states(COUNTERS.config())[0]
    state.count[0] = 2
    found = gather(outer, [state], ())
    assert [place.function for place in found.places] == ["outer", "denied"] and found.places[-1].text == "s.count[0] >= 1"
    assert found.read == {(0, "count[0]"): 2} and found.answer


def by_a_name(s, counter):
    enough = s.count[counter] < 2 and s.count[0] < 9
    return enough if counter < 2 else True


def test_a_condition_that_has_a_name_is_looked_up():
    state = COUNTERS.initial_states(COUNTERS.config())[0]
    state.count[1] = 2
    found = gather(by_a_name, [state], (1,))
    assert found.places[-1].text == "s.count[counter] < 2" and found.operands == {"s.count[counter]": 2} and not found.answer


def test_a_function_without_source_has_its_values_all_the_same():
    scope = {}
    exec("def unreadable(s, counter):\n    return s.count[counter] > 5\n", scope)
    claim = replace(sometimes(scope["unreadable"], None), kind="always", dimensions=("counters",))
    found = why(claim, COUNTERS, COUNTERS.initial_states(COUNTERS.config()), 0)
    assert found.sentence.startswith("unreadable is false: counter 0") and found.witness["counter"] == 0


def test_a_trace_that_violates_nothing_says_so():
    found = explained("s1_silent_divergence.kip-279")
    assert found.why.sentence == "log_prefix_convergence is not violated by this trace"


def test_a_trace_beside_its_own_revision_runs_without_its_switches_and_others_name_them():
    trace = golden("restarted_leader_by_epoch_start.kip-320")
    model = MODELS["kafka"]
    own = compare_revisions(trace, model, plain_states(trace, model), "kip-320")
    assert own.kept == "" and own.states[0].config.shown()["admission"] == model.defaults("kip-320").shown()["admission"]
    other = compare_revisions(trace, model, plain_states(trace, model), "kip-320-2.8")
    assert other.sentence.startswith("under kip-320-2.8 with admission = epoch-start ")
