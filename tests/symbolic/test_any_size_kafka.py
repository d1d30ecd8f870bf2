"""The Kafka model and the family kraft, for any number of brokers, partitions, offsets and epochs: what is proved of which."""

import pytest
from highwater.explorer.symbolic.any_size import AnySize, prove_any_size
from highwater.explorer.symbolic.induction import RANGES
from highwater.explorer.symbolic.proof import ProofRequest
from highwater.explorer.symbolic.solving import BROKEN, PROVED
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import known_for
from highwater.properties.lemmas_kafka import BASICS, KAFKA_PROOFS
from highwater.properties.registry import MODELS

KAFKA, KRAFT = MODELS["kafka"], MODELS["kraft"]
OF_BASICS = [name for name, lemmas in KAFKA_PROOFS.items() if lemmas == BASICS]


def request(model, revision, names, without=(), **settings):
    config = model.configure(revision, **settings)
    properties = [claim for claim in properties_of(model) if claim.name in names and claim.applies(config)]
    lemmas = [one for one in known_for(model, list(names)) if one.name not in (*names, *without) and one.applies(config)]
    return ProofRequest(model, revision, config, properties, lemmas, timeout=60.0, workers=2)


def of(asked):
    return AnySize(asked.model, asked.config, [*asked.properties, *asked.lemmas], asked.timeout)


@pytest.mark.parametrize(
    ("model", "revision", "names"),
    [
        (KRAFT, "4.4", ["metadata_agree", "leader_none_or_in_isr"]),
        *(pytest.param(KAFKA, name, OF_BASICS, marks=pytest.mark.long) for name in ("high-watermark", "kip-101", "kip-320")),
    ],
)
def test_the_claims_hold_in_the_initial_states_of_any_size(model, revision, names):
    found = list(of(request(model, revision, names)).initial())
    assert RANGES in {one.name for one in found} and {one.verdict for one in found} == {PROVED}


@pytest.mark.long
def test_what_needs_no_log_of_records_is_proved_for_any_size():
    proof = prove_any_size(request(KAFKA, "kip-320", OF_BASICS, command_order="any"))
    assert proof.verdict == PROVED and not proof.vacuous
    assert set(proof.bounds.values()) == {PROVED} and proof.unread and proof.cutoff is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("lemma", "action"), [("leader_of_present_version", "shrink_isr"), ("command_leader_in_command_isr", "become_leader")]
)
def test_without_a_lemma_a_small_state_shows_that_nothing_is_proved(lemma, action):
    """And what a small size refutes, the question of any size does not prove by itself."""
    any_size = of(request(KAFKA, "kip-320", OF_BASICS, without=[lemma]))
    (chosen,) = [one for one in any_size.actions if one.name == action]
    small, step = any_size.unrolled(chosen), any_size.step(chosen)
    assert small.broken and BROKEN in {goal.verdict for goal in any_size.action(chosen).goals}
    for name in small.broken:
        if name == RANGES or name in {claim.name for claim in any_size.claims}:
            assert any_size.preserved(name, step, small).verdict != PROVED
