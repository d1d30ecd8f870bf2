"""A guard is redundant when the claims and the other guards imply it."""

from highwater.explorer.symbolic.needless import NEEDED, REDUNDANT, guards_of, merged, weigh
from highwater.explorer.symbolic.relation import Instance, Relation
from highwater.model.language import Model, actions
from highwater.properties.property import always
from support.toys import COUNTERS


def count_carefully(s, counter):
    """A counter goes one further; two of the reasons to refuse say the same, and one can never be met.

    Modifies: count.
    """
    if s.count[counter] >= s.config.top or s.count[counter] == s.config.top:
        return False
    if s.count[counter] < 0:
        return False
    if s.count[0] == 1:
        return False

    s.count[counter] += 1
    return True


def first_is_never_one(s):
    """The first counter does not stand at one."""
    return s.count[0] != 1


def weighed(lemmas):
    """The verdict on each guard of the toy, by its test."""
    domains = {"counter": "members"}
    model = Model("careful", "", COUNTERS.state, COUNTERS.config, actions(domains, [count_carefully]),
                  COUNTERS.initial_states, COUNTERS.revisions, COUNTERS.capacities)  # fmt: skip
    config = COUNTERS.config(top=3)
    relation = Relation(model, config, lemmas)
    instances = list(relation.instances())
    assumed = {lemma.name: relation.says(lemma, relation.before) for lemma in lemmas}
    found = merged(weigh(relation, instance, assumed, 10.0) for instance in instances)
    return {guard.test: verdict for guard, verdict in found.items()}


def test_each_operand_of_an_or_is_a_guard():
    assert list(weighed([])) == ["s.count[counter] >= 3", "s.count[counter] == 3", "s.count[counter] < 0", "s.count[0] == 1"]


def test_a_guard_that_another_implies_or_that_is_never_met_is_redundant():
    assert weighed([]) == {
        "s.count[counter] >= 3": REDUNDANT,
        "s.count[counter] == 3": REDUNDANT,
        "s.count[counter] < 0": REDUNDANT,
        "s.count[0] == 1": NEEDED,
    }


def test_a_lemma_makes_a_guard_redundant():
    assert weighed([always(first_is_never_one, since=None)])["s.count[0] == 1"] == REDUNDANT


def test_guards_refuse_exactly_when_the_action_does():
    """Of the real models: an instance is enabled if none of its guards refuses, as far as guards are all that refuses."""
    from highwater.properties.registry import PUBLISHED

    config = PUBLISHED.configure("kip-320", brokers=2)
    relation = Relation(PUBLISHED, config)
    instance = Instance(PUBLISHED.action("leader_expand_isr"), (0, 1))
    assert next(guard.test for guard in guards_of(relation, instance)) == "contains(s.replica[leader].isr, follower)"
    assert len(guards_of(relation, instance)) == 5
