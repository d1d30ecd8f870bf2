"""Without a lemma, or without a guard, kip-320 is not proved for any size: some step leads out of the claims at a small size.

Each lemma and each guard is taken away, and the question is asked that then has a countermodel, which the plain model repeats.
"""

import pytest
from highwater.explorer.mutation.mutants import GUARD, mutated
from highwater.explorer.symbolic.induction import RANGES, Induction
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.solving import BROKEN, PROVED, Questions
from highwater.explorer.symbolic.state import plain
from highwater.model.language.kinds import walk
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import known_for
from highwater.properties.registry import PUBLISHED

HARD = ("weak_isr", "strong_isr", "log_prefix_convergence")
SIZES = {"brokers": 3, "log_size": 2, "max_records": 2, "max_epoch": 2}
"""Those at which each question of any size is asked first."""


def induction(model=PUBLISHED, **settings):
    config = model.config(**PUBLISHED.revisions["kip-320"].settings, **SIZES, **settings)
    claims = {claim.name: claim for claim in [*properties_of(PUBLISHED), *known_for(PUBLISHED, list(HARD))]}
    names = [*HARD, *(claim.name for claim in known_for(PUBLISHED, list(HARD)) if claim.name not in HARD)]
    chosen = [claims[name] for name in names]
    return Induction(Relation(model, config, chosen), chosen, (), 60.0)


def refuted(all_claims, action, goals=None, without=""):
    """The first of these claims, or of all, that an action does not preserve, or its index that leaves its array, or nothing."""
    relation = all_claims.relation
    assumed = {name: truth for name, truth in all_claims.assumed.items() if name != without}
    for instance in relation.instances():
        if instance.action.name == action:
            step = relation.step(instance)
            if goals is None and (broken := [goal.name for goal in all_claims._bounds(step)[0] if goal.verdict == BROKEN]):
                return broken[0]
            inside = [obligation.holds for obligation in step.obligations]
            questions = Questions([relation.domain, step.enabled, *inside], assumed, 20.0)
            for name, truth in all_claims._after(step):
                if name != without and (goals is None or name in goals):
                    answer = questions.follows(truth)
                    if answer.verdict == BROKEN:
                        repeat(all_claims, step, name, answer.solved, without)
                        return name
    return ""


def repeat(all_claims, step, name, solved, without):
    """The plain model takes the step from a state in which all claims hold into one in which this one does not."""
    relation, instance = all_claims.relation, step.instance
    before = plain(relation.before, solved)
    assert all(claim.holds(before) for claim in all_claims.claims if claim.name != without)
    after = before.copy()
    assert instance.action.version(relation.config)(after, *instance.arguments)
    if name == RANGES:
        assert not all(kind.legal(number, after.config) for _, kind, number in walk(type(after), after))
    else:
        assert not next(claim for claim in all_claims.claims if claim.name == name).holds(after)


NEEDED = {
    "requests_reach_quorum_epoch": ("controller_shrink_isr", "obeyed_request_was_sent"),
    "outsider_blocks_leader": ("controller_elect_leader", "later_request_blocks_leader"),
    "outsider_blocks_awaited_leader": ("controller_elect_leader", "later_request_blocks_awaited_leader"),
    "request_leader_in_request_isr": ("become_leader", "leader_in_own_isr"),
    "isr_is_requested_until_leader_arrives": ("become_leader", "true_leader_knows_isr"),
    "records_of_arrived_leaders": ("become_leader", "leader_has_all_of_its_epoch"),
    "later_request_blocks_awaited_leader": ("become_leader", "later_request_blocks_leader"),
    "leader_is_first_in_its_epoch": ("become_leader", "follower_holds_prefix_of_leader"),
    "committed_in_some_epoch": ("become_leader", "weak_isr"),
    "no_record_beyond_own_epoch": ("leader_write", "epochs_grow_along_log"),
    "leader_has_all_of_its_epoch": ("leader_write", "logs_match"),
    "logs_match": ("become_follower", "follower_holds_prefix_of_leader"),
    "follower_holds_prefix_of_leader": ("leader_expand_isr", "weak_isr"),
    "later_request_blocks_leader": ("leader_advance_high_watermark", "committed_in_some_epoch"),
}
"""For each lemma an action, and a claim that it does not preserve without that lemma."""

FOLLOWING = (
    "obeyed_request_was_sent", "leader_obeyed_a_request", "leader_none_or_in_isr", "hw_within_log", "one_leader_per_epoch",
)  # fmt: skip
"""Lemmas that follow from the others."""

NOT_ALONE = (
    "quorum_leader_is_last_requested", "follows_leader_of_its_epoch", "true_leader_knows_isr", "leader_in_own_isr",
    "epochs_grow_along_log",
)  # fmt: skip
"""Lemmas without any one of which the others, with the properties, are inductive at sizes of 2 and of 3."""


@pytest.fixture(scope="module")
def all_claims():
    return induction()


@pytest.mark.parametrize(
    "lemma", [name if name == "outsider_blocks_leader" else pytest.param(name, marks=pytest.mark.long) for name in NEEDED]
)
def test_without_a_lemma_a_step_leads_out_of_the_claims(all_claims, lemma):
    action, claim = NEEDED[lemma]
    assert refuted(all_claims, action, [claim], without=lemma) == claim


def test_the_other_lemmas_follow_or_are_not_needed_alone(all_claims):
    names = {claim.name for claim in all_claims.claims} - set(HARD)
    assert names == {*NEEDED, *FOLLOWING, *NOT_ALONE}
    for name in FOLLOWING:
        others = {other: truth for other, truth in all_claims.assumed.items() if other != name}
        assert Questions([all_claims.relation.domain], others, 20.0).follows(all_claims.assumed[name]).verdict == PROVED


HARMLESS = {
    ("controller_shrink_isr", "s.quorum.leader != broker and (not contains(s.quorum.isr, broker))"),
    ("controller_elect_leader", "s.quorum.leader == broker"),
    ("become_leader", "epoch >= s.next_leader_epoch"),
    ("become_follower", "not presumes(s, leader)"),
    ("leader_shrink_isr", "leader == follower"),
    ("leader_shrink_isr", "not contains(s.replica[leader].isr, follower)"),
    ("leader_shrink_isr", "are_in_one_epoch(s, leader, follower) and s.replica[follower].leo >= s.replica[leader].leo"),
    ("leader_expand_isr", "contains(s.replica[leader].isr, follower)"),
    ("leader_advance_high_watermark", "me.hw >= me.leo"),
}
"""Guards without which the claims are still inductive: a step is taken that changes nothing, or that is only not useful."""

MUTATED = mutated(PUBLISHED)
ACTION_OF = {
    action.version(config).__name__: action.name
    for config in [PUBLISHED.config(**PUBLISHED.revisions["kip-320"].settings)]
    for action in PUBLISHED.actions
    if action.exists(config)
}
GUARDS = {(ACTION_OF[m.function], m.text): m for m in MUTATED[1] if m.kind == GUARD and m.function in ACTION_OF}


@pytest.mark.parametrize(
    "guard",
    [
        guard if guard[1] == "not contains(s.quorum.isr, broker)" else pytest.param(guard, marks=pytest.mark.long)
        for guard in sorted(GUARDS.keys() - HARMLESS)
    ],
    ids=" ".join,
)
def test_without_a_guard_a_step_leads_out_of_the_claims(guard):
    """Each mutant is the model with one guard that never refuses, chosen by settings; only the action it is in is asked about."""
    assert refuted(induction(MUTATED[0], **GUARDS[guard].settings), guard[0])


def test_there_are_no_other_guards():
    assert GUARDS.keys() >= HARMLESS and len(GUARDS) == 29
