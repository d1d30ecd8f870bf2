"""Proofs by induction: what is proved, what is not and why, and that counterexamples are what they claim to be."""

import os
import signal
from functools import cache
from itertools import combinations
from threading import Timer

import pytest
import z3
from highwater.explorer.symbolic import solving
from highwater.explorer.symbolic.induction import RANGES, Induction
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.solving import BROKEN, PROVED, UNKNOWN
from highwater.model.language.kinds import cells
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import assumable, known_for
from highwater.properties.lemmas_kafka import LOGS
from highwater.properties.registry import KAFKA, PUBLISHED

LARGE = {"brokers": 3, "log_size": 4, "max_records": 4, "max_epoch": 4}
"""Larger than exhaustive search finishes."""

BASICS = ["hw_within_log", "leader_none_or_in_isr", "isr_within_assignment", "one_leader_per_epoch", "epochs_increase"]


def attempt(model, revision, names, lemmas=None, workers=1, timeout=300.0, **settings):
    """A proof of the named properties with the named lemmas, or with those that are known."""
    config = model.configure(revision, **settings)
    properties = [p for p in properties_of(model) if p.name in names]
    known = assumable(model)
    chosen = known_for(model, names) if lemmas is None else [known[name] for name in lemmas]
    chosen = [claim for claim in chosen if claim.applies(config)]
    return prove(ProofRequest(model, revision, config, properties, chosen, workers=workers, timeout=timeout))


def broken_at(proof):
    """For each action that breaks something, what it breaks."""
    return {action.name: set(action.broken) for action in proof.actions if action.broken}


def broken_after(model, revision, names, action, without=(), **settings):
    """What one action breaks of the named properties and their lemmas, but for those `without` which it is tried."""
    config = model.configure(revision, **settings)
    lemmas = [one for one in known_for(model, names) if one.applies(config) and one.name not in without]
    properties = [one for one in properties_of(model) if one.name in names]
    induction = Induction(Relation(model, config, [*properties, *lemmas]), properties, lemmas)
    checked = [induction.check(one) for one in induction.relation.instances() if one.action.name == action]
    assert BROKEN in {one.possible for one in checked}
    return {goal.name for one in checked for goal in one.goals if goal.verdict != PROVED}


@cache
def proof_of_basics(revision):
    return attempt(PUBLISHED, revision, BASICS, workers=2, **LARGE)


@pytest.mark.parametrize("revision", PUBLISHED.revisions)
def test_proves_the_basics_of_the_published_model_beyond_exhaustive_search(revision):
    proof = proof_of_basics(revision)
    assert (proof.verdict, proof.exit_code, broken_at(proof)) == (PROVED, 0, {})
    assert set(proof.bounds.values()) == {PROVED}
    assert proof.vacuous == []


def test_proves_the_isr_invariants_and_convergence_of_kip_320():
    names = ["strong_isr", "weak_isr", "log_prefix_convergence"]
    proof = attempt(PUBLISHED, "kip-320", names, brokers=2, log_size=2, max_records=2, max_epoch=2)
    assert (proof.verdict, broken_at(proof), proof.vacuous) == (PROVED, {}, [])


@pytest.mark.long
def test_proves_strong_isr_of_kip_320_at_the_large_size():
    proof = attempt(PUBLISHED, "kip-320", ["strong_isr", "log_prefix_convergence"], timeout=600, **LARGE)
    assert (proof.verdict, broken_at(proof)) == (PROVED, {})


EXPECTED = {
    "high-watermark": {"become_follower", "follower_fetch", "leader_expand_isr", "leader_advance_high_watermark"},
    "kip-101": {"become_follower", "follower_fetch", "leader_expand_isr", "leader_advance_high_watermark"},
    "kip-279": {"become_follower", "follower_fetch", "leader_expand_isr", "leader_advance_high_watermark"},
    "kip-320-first-try": {"become_follower", "follower_fetch"},
    "kip-320-unfenced": {"become_follower"},
}


LIKE_KIP_101 = ("high-watermark", "kip-279")


@pytest.mark.parametrize("revision", [pytest.param(r, marks=[pytest.mark.long] * (r in LIKE_KIP_101)) for r in EXPECTED])
def test_the_same_lemmas_fail_before_kip_320_at_the_expected_actions(revision):
    """The counterexample is confirmed by the model itself: the claims hold before the step, and one of them not after."""
    proof = attempt(PUBLISHED, revision, ["strong_isr"], workers=2, brokers=2, max_epoch=1, max_records=1, log_size=1)
    assert proof.exit_code == 16
    assert set(broken_at(proof)) <= EXPECTED[revision] and "become_follower" in broken_at(proof)
    assert "leader_is_first_in_its_epoch" in broken_at(proof)["become_follower"]
    assert_counterexamples_hold(proof)


def assert_counterexamples_hold(proof):
    """Replay each counterexample to induction in plain Python."""
    request = proof.request
    relation = Relation(request.model, request.config)
    claims = {p.name: p for p in (*request.properties, *request.lemmas)}
    assert proof.counterexamples
    for counterexample in proof.counterexamples:
        before = relation.state_of(counterexample.before)
        assert all(p.holds(before) for p in claims.values() if not p.over_steps)
        after = before.copy()
        step = request.model.action(counterexample.action).version(request.config)
        if not counterexample.after:
            with pytest.raises(IndexError):
                step(after, *counterexample.arguments)
            continue
        assert step(after, *counterexample.arguments) and cells(after) == counterexample.after
        if counterexample.goal != RANGES:
            broken = claims[counterexample.goal]
            assert not (broken.holds(before, after) if broken.over_steps else broken.holds(after))


def test_a_high_watermark_alone_is_not_inductive_and_the_counterexample_says_why():
    proof = attempt(PUBLISHED, "kip-279", ["hw_within_log"], lemmas=[], **LARGE)
    assert broken_at(proof) == {"leader_write": {RANGES}, "leader_advance_high_watermark": {"hw_within_log"}}
    assert_counterexamples_hold(proof)
    assert (proof.verdict, proof.exit_code) == (BROKEN, 16)


def test_an_index_without_lemmas_may_go_out_of_bounds_and_does_in_the_state_that_is_shown():
    proof = attempt(KAFKA, "kip-320", ["hw_within_log"], lemmas=[], **EVERYTHING)
    assert BROKEN in proof.bounds.values() and proof.verdict == BROKEN
    assert any(not counterexample.after for counterexample in proof.counterexamples)
    assert_counterexamples_hold(proof)


def test_names_the_lemmas_that_a_proof_needs():
    proof = attempt(PUBLISHED, "kip-279", ["hw_within_log"], **LARGE)
    advance = next(a for a in proof.actions if a.name == "leader_advance_high_watermark")
    assert "leader_in_own_isr" in advance.used
    write = next(a for a in proof.actions if a.name == "leader_write")
    assert "leader_obeyed_a_request" in write.used and "request_leader_in_request_isr" not in write.used


@pytest.mark.parametrize(
    "name", ["leader_obeyed_a_request", "leader_in_own_isr", "request_leader_in_request_isr", "leader_none_or_in_isr"]
)
def test_a_lemma_that_is_missed_leaves_a_hole(name):
    lemmas = [one for one in PUBLISHED.proofs["hw_within_log"] if one != name]
    assert attempt(PUBLISHED, "kip-279", ["hw_within_log"], lemmas=lemmas, **LARGE).verdict == BROKEN


def test_says_that_it_does_not_know_when_time_is_up():
    lemmas = PUBLISHED.proofs["strong_isr"]
    proof = attempt(PUBLISHED, "kip-320", ["strong_isr"], lemmas, workers=2, timeout=0.002, brokers=2, max_epoch=1, log_size=1)
    assert (proof.verdict, proof.exit_code) == (UNKNOWN, 20)


def test_a_question_that_begins_again_has_the_same_answer(monkeypatch):
    """The first attempts have no time to find anything: a later one, by another solver, proves or finds the same."""

    def found():
        proof = attempt(PUBLISHED, "kip-101", ["strong_isr"], brokers=2, max_epoch=1, max_records=1, log_size=1)
        return proof.verdict, broken_at(proof), [str(counterexample) for counterexample in proof.counterexamples]

    before = found()
    monkeypatch.setattr(solving, "FIRST_SECONDS", 0.004)
    assert before == found()
    assert before[0] == BROKEN


def pigeons(holes):
    """One pigeon more than holes, and none shares a hole: Z3 needs minutes for eleven."""
    at = [[z3.Bool(f"{pigeon} in {hole}") for hole in range(holes)] for pigeon in range(holes + 1)]
    solver = z3.Solver()
    solver.add(*map(z3.Or, at))
    solver.add(*(z3.Not(z3.And(a[hole], b[hole])) for a, b in combinations(at, 2) for hole in range(holes)))
    return solver


def test_an_interrupt_ends_a_question_and_a_clock_does_not():
    assert solving.check(pigeons(11), 0.2) == z3.unknown
    Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        solving.check(pigeons(11), 60.0)


def test_one_instance_of_each_kind_is_as_good_as_all():
    config = PUBLISHED.configure("kip-320", **LARGE)
    properties = [p for p in properties_of(PUBLISHED) if p.name in BASICS]
    lemmas = known_for(PUBLISHED, BASICS)
    few = proof_of_basics("kip-320")
    many = prove(ProofRequest(PUBLISHED, "kip-320", config, properties, lemmas, workers=2, all_instances=True))
    assert few.verdict == many.verdict == PROVED
    assert sum(len(a.instances) for a in many.actions) > 2 * sum(len(a.instances) for a in few.actions)


CRASHES = {"crashes": 1, "controller_changes": 1, "topic_deletions": 1, "deletion": "at-once", "min_isr": 2}

EVERYTHING = {
    "brokers": 2, "start": "empty", "fetch": "in-flight", "max_batch": 2,
    "topic_deletions": 1, "deletion": "at-once", "crashes": 1, "controller_changes": 1, "unclean_elections": 1,
    "lost_epoch_files": 1, "power_losses": 1, "preferred_elections": 0, "max_epoch": 1, "min_isr": 2,
}  # fmt: skip


CUTS = {name: {"hw_within_log"} for name in ("become_follower", "truncate_to_answer", "start_broker")}
"""What cuts the log leaves the high watermark where it was (`cut_high_watermark`), from 0.11 to 2.3."""


@pytest.mark.parametrize(
    ("revision", "faults", "broken"),
    [
        pytest.param("kip-101", CRASHES, CUTS, marks=pytest.mark.long),
        pytest.param("kip-320", CRASHES, {}, marks=pytest.mark.long), ("kip-320", EVERYTHING, {}),
        pytest.param("kip-320", EVERYTHING | {"partitions": 2}, {}, marks=pytest.mark.long),
    ],
    ids=["old", "new", "all", "two-partitions"],
)
def test_proves_what_is_known_of_the_kafka_model(revision, faults, broken):
    proof = attempt(KAFKA, revision, [name for name in KAFKA.proofs if KAFKA.proofs[name] != LOGS], **faults)
    assert len(proof.request.properties) == 13
    assert (proof.verdict, broken_at(proof), set(proof.vacuous)) == (BROKEN if broken else PROVED, broken, set())
    assert set(proof.bounds.values()) == {PROVED}


@pytest.mark.parametrize("model", [PUBLISHED, KAFKA], ids=lambda m: m.name)
def test_every_known_proof_names_what_exists(model):
    known = assumable(model)
    properties = {p.name for p in properties_of(model)}
    for name, lemmas in model.proofs.items():
        assert name in properties and set(lemmas) <= set(known)
    assert all((lemma.function.__doc__ or "").strip() for lemma in model.lemmas)
