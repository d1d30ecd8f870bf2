"""A model with more to it is another model: nothing else changes, and two variants do not meet."""

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.explorer.request import Request
from highwater.model.language import Revision, UsageError, switch
from highwater.model.language.steps import FAULT, STRONG, WEAK
from highwater.model.truncation import by_leader_epoch, to_high_watermark
from highwater.properties.catalogue import claims_of, properties_of
from highwater.properties.explain import comparable, explain
from highwater.properties.extended import extended
from highwater.properties.plugins import models_with, with_plugin
from highwater.properties.property import always, eventually, recoverable, step
from highwater.properties.registry import KAFKA, MODELS
from support.toys import COUNTERS, no_step_to_two

TWICE = {"truncation": {"twice": {"begin_truncation": by_leader_epoch.begin}}}
OTHER = {"truncation": {"twice": {"begin_truncation": to_high_watermark.begin}}}
CHOSEN = {"truncation": "twice"}


def no_claim(s):
    """A property of states."""
    return True


def never_by_two(s, t, counter):
    """No counter goes on by two."""
    return t.count[counter] < s.count[counter] + 2


def skips(s, counter):
    """Where the switch is on, a counter goes on by two."""
    if s.config.skipping == 0 or s.count[counter] + 2 > s.config.top:
        return False

    s.count[counter] += 2
    return True


def counts_by_ones(s, counter):
    """No counter stands at two."""
    return s.count[counter] != 2


def skipping(models):
    """A plugin."""
    return [
        extended(
            COUNTERS,
            switches={"skipping": switch("counters may go on by two")},
            actions=[skips],
            revisions=[Revision("fast", "counters may go on by two", {"skipping": 1}, like="only", violates=("counts_by_ones",))],
            properties=[always(counts_by_ones, "only")],
        )
    ]


def shrinking(models):
    """Another."""
    return [extended(models["kafka"], rules=TWICE, revisions=[Revision("shrinks", "a rule of its own", CHOSEN)])]


def of_its_own(models):
    """A third, which has a part of the same name."""
    return [extended(models["kafka"], rules=OTHER, revisions=[Revision("other", "another rule", CHOSEN)])]


def lacking(models):
    """One that changes nothing."""
    return []


HERE = __name__


def test_the_model_itself_stays_what_it_is():
    before = KAFKA.config.settings["truncation"].names, list(KAFKA.revisions), properties_of(KAFKA), list(MODELS)
    models = models_with((f"{HERE}:shrinking", f"{HERE}:skipping"))
    assert models["kafka"].config.settings["truncation"].names == (*before[0], "twice") and "shrinks" in models["kafka"].revisions
    assert models["kafka"].plugins == (f"{HERE}:shrinking",) and models["counters"].plugins == (f"{HERE}:skipping",)
    assert before == (KAFKA.config.settings["truncation"].names, list(KAFKA.revisions), properties_of(KAFKA), list(MODELS))
    with pytest.raises(UsageError, match="truncation must be one of"):
        KAFKA.configure("kip-320", truncation="twice")


def test_a_rule_is_a_version_in_the_extended_model_alone():
    kafka = models_with((f"{HERE}:shrinking",))["kafka"]
    config = kafka.configure("shrinks")
    assert kafka.action("answer_epoch_request").exists(kafka.configure("kip-101"))
    assert not kafka.action("answer_epoch_request").exists(config)
    state = kafka.initial_states(config)[0]
    assert any(True for _ in kafka.enabled(state))


def test_two_plugins_with_parts_of_one_name_are_known_beside_each_other_but_not_together():
    mine, other = models_with((f"{HERE}:shrinking",))["kafka"], models_with((f"{HERE}:of_its_own",))["kafka"]
    assert "shrinks" in mine.revisions and "shrinks" not in other.revisions and "other" in other.revisions
    with pytest.raises(UsageError, match="there is a value 'twice' of truncation already"):
        models_with((f"{HERE}:shrinking", f"{HERE}:of_its_own"))


def test_one_plugin_gives_the_same_models_each_time():
    names = (f"{HERE}:skipping",)
    assert models_with(names)["counters"] is models_with(names)["counters"]
    assert models_with((*names, f"{HERE}:lacking"))["counters"] is models_with(names)["counters"]
    with pytest.raises(UsageError, match="there is a model 'counters' already"):
        with_plugin(models_with(names), f"{HERE}:skipping")


def test_a_switch_and_its_action_are_explored_compiled_and_plain():
    model = models_with((f"{HERE}:skipping",))["counters"]
    (claim,) = claims_of(model).values()
    assert claim.expected_to_hold("only", model) and not claim.expected_to_hold("fast", model)
    for revision, depth, last in (("only", 3, "count_up"), ("fast", 2, "skips")):
        config = model.configure(revision, counters=1, top=2)
        finding = check(Request(model, revision, config, [claim])).findings[0]
        assert (finding.depth, finding.trace.steps[-1].action) == (depth, last)
        plain = ((level, action) for level, _, action, _, state in breadth_first(model, config) if not claim.holds(state))
        level, action = next(plain)
        assert (level, action.name) == (depth, last)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"switches": {"crashes": switch("again")}}, "cannot have a setting 'crashes'"),
        ({"weak": [skips]}, "weak names 'skips', which is not among the actions that are added"),
        ({"actions": [skips], "weak": [skips], "faults": [skips]}, "the action skips is in weak and in faults"),
        ({"switches": {"mine": 3}}, "the switch mine must be made by switch, choice, size or budget, not 3"),
        ({"revisions": [Revision(3, "a number", {})]}, "a revision has a name, which is text, not 3"),
        ({"properties": [always(no_claim, "v3", needs=3)]}, "needs 3: give text such as 'crashes > 0', or a function"),
        ({"rules": {"truncatoin": {"mine": {}}}}, "no setting 'truncatoin' that chooses among rules"),
        ({"rules": {"truncation": {"mine": {"begin": by_leader_epoch.begin}}}}, "no rule 'begin'; known are begin_truncation"),
        ({"rules": {"truncation": {"mine": {"answer_epoch_request": skips}}}}, "a version of answer_epoch_request takes s, "),
        ({"revisions": [Revision("v3", "again", {})]}, "has a revision 'v3' already"),
        ({"revisions": [Revision("mine", "like none", {}, like="kip-32")]}, "like 'kip-32', which is not a revision of kafka"),
        ({"revisions": [Revision("mine", "breaks", {}, violates=("stronk_isr",))]}, "violate 'stronk_isr', which is not a "),
        ({"revisions": [Revision("mine", "unknown", {"truncaton": "mixed"})]}, "there is no setting 'truncaton'"),
    ],
)
def test_parts_that_do_not_fit_are_refused_in_a_sentence(parts, said):
    with pytest.raises(UsageError) as refused:
        extended(KAFKA, **parts)
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", [always, recoverable, eventually])
def test_a_property_of_states_takes_one_and_one_of_steps_takes_two(kind):
    with pytest.raises(UsageError, match="must be a function of one state, s"):
        kind(no_step_to_two, "only")
    with pytest.raises(UsageError, match="must be a function of two states, s and t"):
        step(counts_by_ones, "only")


def test_a_violation_is_compared_with_the_revision_that_a_plugins_is_like():
    """Not with the next one in the list, which is another plugin's and may violate the property itself."""
    other = Revision("other", "another change", {"skipping": 1, "counters": 2}, like="only")
    switches = {"skipping": switch("counters may go on by two")}
    fast = Revision("fast", "counters may go on by two", {"skipping": 1}, like="only", violates=("never_by_two",))
    claims = [step(never_by_two, "only")]
    model = extended(COUNTERS, switches=switches, actions=[skips], revisions=[fast, other], properties=claims)
    assert [comparable(model, one) for one in ("only", "fast", "other")] == [["fast", "other"], ["only"], ["only"]]
    claim = claims_of(model)["never_by_two"]
    found = check(Request(model, "fast", model.configure("fast"), [claim])).findings[0]
    lines = list(explain(found.trace, model, claim).lines())
    assert any(line.startswith("not violated under only, which fast is like (skipping = 0)") for line in lines), lines


DECLARED = [({}, ""), ({"weak": [skips]}, WEAK), ({"strong": [skips]}, STRONG), ({"faults": [skips]}, FAULT)]


@pytest.mark.parametrize(("fairness", "word"), DECLARED)
def test_an_added_action_is_as_fair_as_it_is_declared(fairness, word):
    model = extended(COUNTERS, switches={"skipping": switch("by two")}, actions=[skips], **fairness)
    assert model.actions[-1].fairness == word
    assert [action.fairness for action in model.actions[:-1]] == [action.fairness for action in COUNTERS.actions]
