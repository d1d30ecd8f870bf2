"""Compiled code of our own looks up in arrays without a check: here stands the proof that every index lies inside.

An obligation is proved in every state within the declared ranges that satisfies the lemmas which `test_induction` proves to
hold in every reachable state (`-m long`: here, too, in every revision), and which the normal form keeps, because compiled code
runs on normal forms. Where writes to the store are answered, the lemmas are not inductive: none says what a request on its way
holds. There `-m long` explores with bounds checks. What is not our own is checked while it runs.
"""

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.explorer.request import Request
from highwater.explorer.symbolic.induction import by_place
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.solving import PROVED, Questions
from highwater.explorer.symbolic.state import domain
from highwater.model.choices import Store
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import known_for
from highwater.properties.lemmas_kafka import FIRST, LOGS, leads_or_led
from highwater.properties.property import always, quantified
from highwater.properties.registry import KAFKA, PUBLISHED
from highwater.traces.replay import shows
from support.cases import TINY

from .test_induction import BASICS

EVERY_FAULT = {
    "brokers": 3, "replicas": 2, "partitions": 2, "store": "answered", "fetch": "in-flight", "max_batch": 2,
    "topic_deletions": 1, "crashes": 1, "controller_changes": 1, "unclean_elections": 1, "lost_epoch_files": 1,
    "power_losses": 1, "message_losses": 1, "consumers": 1, "reassignments": 1, "scheduled_elections": 1, "deletion": "at-once",
}  # fmt: skip
EMPTY = {"brokers": 2, "start": "empty", "acks": "leader", "min_isr": 2, "controller_changes": 1, "fenced_controllers": 1}

SIZES = {"kafka": {"default": {}, "every fault": EVERY_FAULT, "from nothing": EMPTY}, "published": {"default": {}}}
CASES = {
    f"{model.name} {revision} {name}": (model, revision, settings)
    for model in (KAFKA, PUBLISHED)
    for revision in model.revisions
    for name, settings in SIZES[model.name].items()
}
QUICK = ("kafka high-watermark default", "kafka kip-101 from nothing", "kafka kip-320 every fault", "published kip-320 default")
PARTLY_LONG = [pytest.param(*case, id=n, marks=[] if n in QUICK else [pytest.mark.long]) for n, case in CASES.items()]


def newest_server_is_a_broker(s):
    """Once a leader has served, history names it: two properties look up at that place."""
    for partition in range(s.config.partitions):
        if s.history[partition].served >= 0 and s.history[partition].server >= s.config.members:
            return False
    return True


def leader_has_epoch(s, partition, broker):
    """Who leads does so in an epoch: what the normal form leaves of `leader_has_epoch_and_version`."""
    return not leads_or_led(s, partition, broker) or s.replica[partition][broker].leader_epoch >= 0


OF_EACH_REVISION = {
    "kafka": tuple(name for name, lemmas in KAFKA.proofs.items() if lemmas != LOGS), "published": tuple(BASICS),
}  # fmt: skip
"""The properties whose lemmas hold in each revision: those of `strong_isr` hold in the published KIP-320 alone."""

FORGOTTEN = {"leader_has_epoch_and_version", "used_command_has_version", "command_of_present_version"}
"""Lemmas that are false in normal forms, which forget versions: no index may rest on them."""


def lemmas_for(model, config):
    """What holds in every reachable state."""
    own = [always(newest_server_is_a_broker, None), always(leader_has_epoch, None)] if model is KAFKA else []
    of_all = [lemma for lemma in model.lemmas if lemma.since == FIRST]
    known = of_all if model is KAFKA else known_for(model, list(OF_EACH_REVISION[model.name]))
    return [claim for claim in (*known, *quantified(own, model.domains)) if claim.applies(config)]


def false_in(model, config, states):
    """The lemmas that are false in one of the first so many states that are explored."""
    lemmas, found, seen = lemmas_for(model, config), set(), 0
    for edge in breadth_first(model, config):
        if edge.action is None:
            found |= {lemma.name for lemma in lemmas if shows(lemma, None, edge.after)}
            seen += 1
            if seen == states:
                break
    return found


@pytest.mark.parametrize(("model", "revision", "settings"), PARTLY_LONG)
def test_what_the_proof_assumes_is_true_of_the_states_that_are_explored(model, revision, settings):
    assert false_in(model, model.configure(revision, **settings), 1000) <= FORGOTTEN


@pytest.mark.parametrize(("model", "revision", "settings"), PARTLY_LONG)
def test_every_index_of_every_action_and_property_lies_inside_its_array(model, revision, settings):
    config = model.configure(revision, **settings)
    properties = [one for one in properties_of(model) if one.applies(config)]
    lemmas = [lemma for lemma in lemmas_for(model, config) if lemma.name not in FORGOTTEN]
    relation = Relation(model, config, [*properties, *lemmas])
    holds = [relation.domain, *(relation.says(lemma, relation.before) for lemma in lemmas)]
    questions, unproved, asked = Questions(holds, {}, 60.0), set(), 0
    for instance in relation.instances():
        for place, inside in by_place(relation.step(instance).obligations).items():
            asked += 1
            if questions.follows(inside).verdict != PROVED:
                unproved.add((instance.label, place))
    holds += [domain(relation.following), *(relation.says(lemma, relation.following) for lemma in lemmas)]
    questions = Questions(holds, {}, 60.0)
    for claim in (*properties, *lemmas):
        for place, inside in by_place(relation.obligations_of(claim)).items():
            asked += 1
            if questions.follows(inside).verdict != PROVED:
                unproved.add((claim.name, place))
    assert unproved == set() and asked


def test_an_index_that_may_lie_outside_is_found():
    """Without the lemmas some obligations do not follow: the test above can fail."""
    config = KAFKA.configure("kip-320")
    relation = Relation(KAFKA, config)
    questions = Questions([relation.domain], {}, 60.0)
    found = [
        place
        for instance in relation.instances()
        for place, inside in by_place(relation.step(instance).obligations).items()
        if questions.follows(inside).verdict != PROVED
    ]
    assert any("epoch_start" in place for place in found)


ANSWERED = {
    name for name, (model, revision, settings) in CASES.items()
    if model is KAFKA and model.configure(revision, **settings).store is Store.ANSWERED
}  # fmt: skip
ATOMIC = [name for name in CASES if name not in ANSWERED]


IN_CI = pytest.param(KAFKA, "kip-279-2.0.1", TINY, id="kafka kip-279-2.0.1 tiny")
"""A revision in which a follower's high watermark may lie beyond its log."""


@pytest.mark.parametrize(
    ("model", "revision", "settings"),
    [IN_CI, *(pytest.param(*CASES[name], id=name, marks=pytest.mark.long) for name in ATOMIC)],
)
def test_the_lemmas_hold_in_every_reachable_state(model, revision, settings):
    config = model.configure(revision, **settings)
    names = {name for goal in OF_EACH_REVISION[model.name] for name in model.proofs[goal]}
    known = {claim.name: claim for claim in (*properties_of(model), *lemmas_for(model, config))}
    chosen = [known[name] for name in sorted({*names, "newest_server_is_a_broker"} & set(known)) if known[name].applies(config)]
    proof = prove(ProofRequest(model, revision, config, chosen[:1], chosen[1:], workers=2, timeout=120.0))
    assert proof.verdict == PROVED


@pytest.mark.long
@pytest.mark.parametrize("case", sorted(ANSWERED))
def test_where_they_are_not_inductive_no_index_lies_outside(case, monkeypatch):
    """As far as a minute goes: an index outside its array ends the exploration with an IndexError."""
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "checked")
    model, revision, settings = CASES[case]
    config = model.configure(revision, **settings)
    claims = [claim for claim in properties_of(model) if claim.applies(config)]
    outcome = check(Request(model, revision, config, claims, keep_going=True, bounds=Bounds(seconds=60)))
    assert outcome.complete or sum(outcome.levels) > 100_000
