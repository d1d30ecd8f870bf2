"""Compiled code of our own looks up in arrays without a check: here stands the proof that every index lies inside.

An obligation is proved in every state within the declared ranges that satisfies the lemmas which `test_induction` proves to
hold in every reachable state (`-m long`: here, too, in every revision). Where writes to the store are answered, the lemmas are
not inductive, because none says what a request on its way holds. There the indices rest on `highwater guards`, which explores
small sizes with bounds checks. What is not our own is checked while it runs.
"""

import pytest
from highwater.explorer.symbolic.induction import by_place
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.solving import PROVED, Questions
from highwater.explorer.symbolic.state import domain
from highwater.model.config import ANSWERED_STORE
from highwater.model.next import KAFKA
from highwater.model.published.next import PUBLISHED
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import PROOFS, lemmas_of
from highwater.properties.property import always

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


def lemmas_for(model, config):
    own = [always(newest_server_is_a_broker, None)] if model is KAFKA else []
    return [one for one in (*lemmas_of(model.name), *own) if one.applies(config)]


@pytest.mark.parametrize(("model", "revision", "settings"), PARTLY_LONG)
def test_every_index_of_every_action_and_property_lies_inside_its_array(model, revision, settings):
    config = model.configure(revision, **settings)
    properties = [one for one in properties_of(model) if one.applies(config)]
    lemmas = lemmas_for(model, config)
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
    for one in (*properties, *lemmas):
        for place, inside in by_place(relation.demands(one)).items():
            asked += 1
            if questions.follows(inside).verdict != PROVED:
                unproved.add((one.name, place))
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


@pytest.mark.long
@pytest.mark.parametrize(("model", "revision", "settings"), CASES.values(), ids=CASES)
def test_the_lemmas_hold_in_every_reachable_state(model, revision, settings):
    config = model.configure(revision, **settings)
    if model is KAFKA and config.store == ANSWERED_STORE:
        pytest.skip("not inductive: no lemma says what a request on its way holds")
    names = {name for lemmas in PROOFS[model.name].values() for name in lemmas}
    known = {one.name: one for one in (*properties_of(model), *lemmas_for(model, config))}
    chosen = [known[name] for name in sorted({*names, "newest_server_is_a_broker"} & set(known)) if known[name].applies(config)]
    proof = prove(ProofRequest(model, revision, config, chosen[:1], chosen[1:], workers=2, timeout=120.0))
    assert proof.verdict == PROVED
