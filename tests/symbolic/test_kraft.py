"""What is proved of the family `kraft` by induction (KR1, KR3): at any depth, at two and three brokers, with its lemmas."""

import pytest
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.solving import BROKEN, PROVED
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import assumable
from highwater.properties.lemmas_kraft import BASICS, KRAFT_PROOFS, LOGS
from highwater.properties.registry import MODELS

KRAFT = MODELS["kraft"]
TWO = {"brokers": 2, "preferred_elections": 0}
MOVES = {"brokers": 2, "replicas": 1, "min_isr": 1, "reassignments": 1, "cancelled_moves": 1}


def attempt(revision, names, lemmas, **settings):
    """A proof of these properties, as far as they apply, with these lemmas."""
    config = KRAFT.configure(revision, **settings)
    goals = [claim for claim in properties_of(KRAFT) if claim.name in names and claim.applies(config)]
    known = [claim for name, claim in assumable(KRAFT).items() if name in lemmas and claim.applies(config)]
    return prove(ProofRequest(KRAFT, revision, config, goals, known, workers=2, timeout=120.0))


CASES = [
    ("4.4", TWO),
    *(
        pytest.param(revision, settings, marks=pytest.mark.long)
        for revision, settings in [
            ("4.4", {"brokers": 3}), ("4.4", {**TWO, "crashes": 1}), ("4.4", {**TWO, "controlled_shutdowns": 1}),
            ("4.4", {**TWO, "fetch": "in-flight"}), ("4.4", {**TWO, "log_size": 2, "max_records": 2}),
            ("4.0", TWO), ("3.9", TWO), ("3.6", TWO), ("3.3", TWO), ("3.2", TWO), ("4.4", MOVES), ("4.1", MOVES), ("3.9", MOVES),
            ("3.6", MOVES), ("3.3", MOVES), ("4.4", {"brokers": 3, "replicas": 2, "reassignments": 1}),
        ]
    ),
]  # fmt: skip


@pytest.mark.parametrize(("revision", "settings"), CASES, ids=str)
def test_everything_that_has_lemmas_is_proved(revision, settings):
    kept = [name for name, lemmas in KRAFT_PROOFS.items() if lemmas != LOGS and name not in KRAFT.revisions[revision].violates]
    if "inactive_brokers_are_in_no_isr" not in kept:
        kept = [name for name in kept if KRAFT_PROOFS[name] == BASICS]
    lemmas = {lemma for name in kept for lemma in KRAFT_PROOFS[name]}
    assert attempt(revision, kept, lemmas, **settings).verdict == PROVED


NEEDED = ["epochs_end_with_the_log", *(
    pytest.param(name, marks=pytest.mark.long) for name in ("epochs_have_one_leader", "changes_of_an_epoch_agree")
)]  # fmt: skip


@pytest.mark.parametrize("name", NEEDED)
def test_without_one_of_them_that_epochs_have_one_leader_is_not_inductive(name):
    assert attempt("4.4", ["metadata_agree"], [basic for basic in BASICS if basic != name], **TWO).verdict == BROKEN
