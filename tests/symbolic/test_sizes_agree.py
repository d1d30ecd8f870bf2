"""At given sizes the conditions with quantifiers say what the unrolled ones say: two readers of one text."""


import pytest
import z3
from highwater.explorer.symbolic.any_size import AnySize
from highwater.explorer.symbolic.asking import facts_about
from highwater.explorer.symbolic.induction import RANGES
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.solving import BROKEN, PROVED, Questions
from highwater.explorer.symbolic.terms import as_term
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import assumable
from highwater.properties.property import STEP
from highwater.properties.registry import PUBLISHED

SIZES = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1}


def closed(any_size):
    """What makes a state of any size one of `SIZES`: how many members there are, and which number each size is."""
    shape = any_size.shape
    somebody = [z3.Const(f"member {number}", shape.members.sort) for number in range(SIZES["brokers"])]
    facts = [z3.Distinct(shape.members.nobody, *somebody), only_these(shape.members.sort, [shape.members.nobody, *somebody])]
    for order in {order.name: order for order in shape.orders.values()}.values():
        sizes = {name: SIZES[name] for name in SIZES if shape.orders.get(name) is order}
        numbers = [order.literal(number).term for number in range(order.least, max(sizes.values()) + 4)]
        facts.append(only_these(order.sort, numbers))
        facts += [shape.setting(name).term == order.literal(size).term for name, size in sizes.items()]
    return facts


def only_these(sort, terms):
    x = z3.Const("x", sort)
    return z3.ForAll([x], z3.Or([x == term for term in terms]))


def verdicts(revision, actions=None, names=None, known=None):
    """For each action and claim, with the claim alone assumed: what the two say, unrolled first.

    `known`: what was said of conditions with the same text, which revisions share.
    """
    known = {} if known is None else known
    config = PUBLISHED.config(**PUBLISHED.revisions[revision].settings)
    claims = [*assumable(PUBLISHED).values(), *(one for one in properties_of(PUBLISHED) if one.kind == STEP)]
    claims = [one for one in claims if names is None or one.name in names]
    any_size = AnySize(PUBLISHED, config, claims, timeout=20.0)
    relation = Relation(PUBLISHED, config.with_(**SIZES), claims)
    for action in any_size.actions:
        if actions is None or action.name in actions:
            step = any_size.step(action)
            for claim in claims:
                text = text_of(any_size.program, any_size.names[action.name], any_size.program.name_of(claim.function))
                if text not in known:
                    known[text] = unrolled(relation, action, claim), quantified(any_size, step, claim)
                yield action.name, claim.name, *known[text]


def text_of(program, *names):
    """All functions that these call, with the settings of the revision in place of their names."""
    return "\n".join(program.functions[name].python for name in program.called_by(names) if name in program.functions)


def unrolled(relation, action, claim):
    found = PROVED
    for instance in relation.instances():
        if instance.action.name == action.name:
            step = relation.step(instance)
            facts = [relation.domain, step.enabled, *(obligation.holds for obligation in step.obligations)]
            before = {} if claim.over_steps else {claim.name: relation.says(claim, relation.before)}
            goal = relation.says(claim, relation.before, step.after) if claim.over_steps else relation.says(claim, step.after)
            found = BROKEN if Questions(facts, before, 20.0).follows(goal).verdict == BROKEN else found
    return found


def quantified(any_size, step, claim):
    goal = any_size._said(claim, *([any_size.before, step.after] if claim.over_steps else [step.after]))
    before = [] if claim.over_steps else [any_size.assumed[claim.name]]
    solver = z3.SimpleSolver()
    given = [*step.enabled, *step.obligations.values(), any_size.assumed[RANGES], *before]
    formulas = [*closed(any_size), *map(as_term, given), z3.Not(as_term(goal))]
    solver.add(*facts_about(any_size.shape.facts.all(), formulas), *formulas)
    return {"sat": BROKEN, "unsat": PROVED}[str(solver.check())]


QUICK = ("hw_within_log", "leader_none_or_in_isr", "epochs_increase", "logs_match")


def test_some_conditions_agree():
    found = list(verdicts("kip-320", ("controller_shrink_isr", "follower_fetch"), QUICK))
    assert len(found) == 8 and {said for *_, said, _ in found} == {PROVED, BROKEN}
    assert [one for one in found if one[2] != one[3]] == []


@pytest.mark.long
def test_all_conditions_agree():
    known, count = {}, 0
    for revision in PUBLISHED.revisions:
        found = list(verdicts(revision, known=known))
        count += len(found)
        assert {said for *_, said, _ in found} == {PROVED, BROKEN}
        assert [one for one in found if one[2] != one[3]] == []
    assert count == 55 * 30  # actions of all revisions, and claims
