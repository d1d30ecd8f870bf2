"""What is proved of logs and commits in the Kafka model under KIP-320, and where the proof fails without a lemma or a repair."""

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.symbolic.solving import PROVED
from highwater.explorer.verdict import HOLDS
from highwater.properties.lemmas import known_for
from highwater.properties.lemmas_kafka import LOGS
from highwater.properties.registry import KAFKA

from .test_induction import assert_counterexamples_hold, attempt, broken_after, broken_at

OF_LOGS = [name for name, lemmas in KAFKA.proofs.items() if lemmas == LOGS]

FORGETS = {"lead_again": "forgets-ends"}
TINY = {**FORGETS, "brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1}
TWO = {**FORGETS, "brokers": 2}
THREE = FORGETS
SMALL = {**FORGETS, "cut_of_nothing": "dropped", "log_size": 1, "max_records": 1, "max_epoch": 1}
FAULTS = {"crashes": 1, "controller_changes": 1}
DROPS = {"cut_of_nothing": "dropped"}


@pytest.mark.parametrize(
    ("action", "lemma", "settings"),
    [
        ("become_leader", "leader_remembers_its_own_term", {"lead_again": "keeps-ends"}),
        ("fetch", "cached_epoch_starts_with_a_record", {"fenced_fetches": 0}),
        *(
            pytest.param(*one, marks=pytest.mark.long)
            for one in [
                ("answer_epoch_request", "follower_waits_for_its_leader", {"fenced": 0}),
                ("expand_isr", "committed_records_are_secure", {"admission": "high-watermark"}),
                ("become_follower", "strong_isr", {"truncation": "to-high-watermark"}),
            ]
        ),
    ],
)
def test_without_a_repair_the_proof_fails_at_its_action(action, lemma, settings):
    """The first is the finding: a leader that is elected again counts what it knew of its followers."""
    assert lemma in broken_after(KAFKA, "kip-320", OF_LOGS, action, **{**TINY, **settings})
    assert action != "become_leader" or broken_after(KAFKA, "kip-320", OF_LOGS, action, **TINY) == set()


@pytest.mark.parametrize(
    ("lemma", "action", "broken"),
    [
        ("committed_records_are_secure", "become_leader", "no_committed_data_loss"),
        *(
            pytest.param(*one, marks=pytest.mark.long)
            for one in [
                ("answer_keeps_what_is_shared", "truncate_to_answer", "log_prefix_convergence"),
                ("later_leaders_have_what_may_be_committed", "produce", "single_committable_leader"),
                ("follower_waits_for_its_leader", "become_leader", "log_prefix_convergence"),
                ("high_watermark_tells_of_commits", "become_leader", "weak_isr"),
                ("awaited_leader_learns_isr", "become_leader", "strong_isr"),
                ("records_epochs_are_cached", "become_follower", "weak_isr"),
                ("record_has_one_epoch", "answer_epoch_request", "committed_records_are_secure"),
            ]
        ),
    ],
)
def test_without_a_lemma_the_proof_fails(lemma, action, broken):
    assert broken in broken_after(KAFKA, "kip-320", OF_LOGS, action, [lemma], **TINY)


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [TINY, TWO, {**TWO, **FAULTS}, SMALL, THREE, {**THREE, **FAULTS}, {**THREE, **DROPS}],
    ids=["tiny", "two", "faults", "few", "three", "three-faults", "dropped"],
)
def test_logs_and_commits_are_proved(settings):
    proof = attempt(KAFKA, "kip-320", OF_LOGS, workers=2, **settings)
    assert len(proof.request.properties) == 6
    assert (proof.verdict, broken_at(proof)) == (PROVED, {})


@pytest.mark.long
def test_what_is_fetched_replaces_no_epoch_where_truncations_drop_those_without_records():
    settings = {**THREE, **DROPS}
    assert "late_start_is_shared" in broken_after(
        KAFKA, "kip-320", OF_LOGS, "fetch", ["fetching_follower_has_no_empty_epoch"], **settings
    )


@pytest.mark.long
@pytest.mark.parametrize("settings", [TWO, THREE], ids=["two", "three"])
def test_without_the_repair_only_one_action_breaks_anything(settings):
    proof = attempt(KAFKA, "kip-320", OF_LOGS, workers=2, **{**settings, "lead_again": "keeps-ends"})
    assert set(broken_at(proof)) == {"become_leader"}
    assert set(OF_LOGS) <= broken_at(proof)["become_leader"]
    assert_counterexamples_hold(proof)


OF_STALE_VERSIONS = {"leader_has_epoch_and_version", "used_command_has_version"}
"""The normal form, which proofs do not use, writes a version that nobody will compare as 0."""


@pytest.mark.long
@pytest.mark.parametrize("settings", [TWO, {**TWO, **FAULTS}, SMALL], ids=["two", "faults", "few"])
def test_every_lemma_holds_in_every_reached_state(settings):
    config = KAFKA.configure("kip-320", **settings)
    lemmas = [one for one in known_for(KAFKA, OF_LOGS) if one.applies(config) and one.name not in OF_STALE_VERSIONS]
    outcome = check(Request(KAFKA, "kip-320", config, lemmas, symmetry=True, keep_going=True, threads=2))
    assert outcome.complete and {one.property.name for one in outcome.findings if one.verdict != HOLDS} == set()
