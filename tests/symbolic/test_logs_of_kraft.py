"""What is proved of logs and commits in the family `kraft`, and where the proof fails without a lemma, a rule or the repair."""

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.symbolic.solving import PROVED
from highwater.explorer.verdict import HOLDS
from highwater.properties.lemmas import known_for
from highwater.properties.lemmas_kraft import LOGS
from highwater.properties.registry import MODELS

from .test_induction import attempt, broken_after, broken_at

KRAFT = MODELS["kraft"]
OF_LOGS = [name for name, lemmas in KRAFT.proofs.items() if lemmas == LOGS]

FORGETS = {"lead_again": "forgets-ends"}
TINY = {**FORGETS, "brokers": 2, "max_epoch": 1, "preferred_elections": 0}
TWO = {**FORGETS, "brokers": 2}
TWO_RECORDS = {**TWO, "log_size": 2, "max_records": 2}
CRASHES = {**TWO, "crashes": 1}
THREE = FORGETS


@pytest.mark.parametrize(
    ("action", "lemma", "settings"),
    [
        ("apply_metadata", "leader_remembers_its_own_term", {"lead_again": "keeps-ends"}),
        *(
            pytest.param(*one, marks=pytest.mark.long)
            for one in [
                ("fetch", "leader_remembers_its_own_term", {"fenced_fetches": 0}),
                ("expand_isr", "committed_records_are_secure", {"admission": "high-watermark"}),
            ]
        ),
    ],
)
def test_without_a_repair_the_proof_fails_at_its_action(action, lemma, settings):
    """The first is the finding: a leader that is elected again counts what it knew of its followers."""
    assert lemma in broken_after(KRAFT, "4.4", OF_LOGS, action, **{**TINY, **settings})


@pytest.mark.parametrize(
    ("lemma", "action", "broken"),
    [
        ("later_leaders_have_what_news_lets_commit", "learn_isr_write", "strong_isr"),
        *(
            pytest.param(*one, marks=pytest.mark.long)
            for one in [
                ("committed_records_are_secure", "apply_metadata", "no_committed_data_loss"),
                ("news_is_of_fewer_members", "apply_metadata", "single_committable_leader"),
                ("later_leaders_have_what_news_lets_commit", "apply_metadata", "eligible_replicas_have_committed"),
                ("epoch_starts_with_its_first_record", "truncate_on_divergence", "records_epochs_are_cached"),
            ]
        ),
    ],
)
def test_without_a_lemma_the_proof_fails(lemma, action, broken):
    sizes = {"log_size": 2, "max_records": 2} if action == "truncate_on_divergence" else {}
    assert broken in broken_after(KRAFT, "4.4", OF_LOGS, action, [lemma], **TINY, **sizes)


@pytest.mark.long
@pytest.mark.parametrize("settings", [TWO, TWO_RECORDS, CRASHES, THREE], ids=["two", "records", "crashes", "three"])
def test_logs_and_commits_are_proved(settings):
    proof = attempt(KRAFT, "4.4", OF_LOGS, workers=2, **settings)
    assert len(proof.request.properties) == 7
    assert (proof.verdict, broken_at(proof)) == (PROVED, {})


@pytest.mark.long
def test_without_the_repair_only_one_action_breaks_anything():
    proof = attempt(KRAFT, "4.4", OF_LOGS, workers=2, **{**TWO, "lead_again": "keeps-ends"})
    assert set(broken_at(proof)) == {"apply_metadata"}


@pytest.mark.long
@pytest.mark.parametrize("settings", [TWO, TWO_RECORDS, CRASHES], ids=["two", "records", "crashes"])
def test_every_lemma_holds_in_every_reached_state(settings):
    config = KRAFT.configure("4.4", **settings)
    lemmas = [one for one in known_for(KRAFT, OF_LOGS) if one.applies(config)]
    outcome = check(Request(KRAFT, "4.4", config, lemmas, symmetry=True, keep_going=True, threads=2))
    assert outcome.complete and {one.property.name for one in outcome.findings if one.verdict != HOLDS} == set()
