"""Actions, rules and models as engines see them."""

import pytest
from highwater.model.language.lines import actions
from highwater.model.language.steps import Rule, never, parameters_of
from highwater.properties.registry import KAFKA, PUBLISHED
from support import toys


def double(s, number):
    """Twice.

    Design: a test (C5).   Kafka: Test.double.
    Modifies: nothing, and
    nobody.
    """
    return 2 * number


def triple(s, number):
    """Three times."""
    return 3 * number


class Stub:
    def __init__(self, version):
        self.config = type("Config", (), {"version": version})()


def test_a_rule_runs_the_version_that_the_setting_chooses():
    rule = Rule("multiply", "version", [double, triple, None])
    assert [rule(Stub(version), 5) for version in range(3)] == [10, 15, False]
    assert [rule.of(Stub(version).config) for version in range(3)] == [double, triple, never]
    assert rule.parameters == parameters_of(rule) == ("number",)


def test_an_action_that_a_revision_lacks():
    action = PUBLISHED.action("follower_truncate")
    exists = {name: action.exists(PUBLISHED.configure(name)) for name in PUBLISHED.revisions}
    assert [name for name, there in exists.items() if there] == ["kip-320-first-try"]


def test_instances_run_over_the_dimensions():
    config = PUBLISHED.configure("kip-279", brokers=3, max_epoch=1)
    action = PUBLISHED.action("become_follower")
    assert action.parameters == ("follower", "epoch")
    assert list(action.instances(config)) == [(f, e) for f in range(3) for e in range(2)]


def test_label():
    action = PUBLISHED.action("become_follower")
    assert action.label((2, 1)) == "become_follower follower=2 epoch=1"
    assert toys.JUGS.actions[0].label(()) == "fill_small"


def test_sections_of_a_docstring():
    (action,) = actions({"number": "counters"}, [double])
    assert action.section("Design") == "a test (C5)"
    assert action.section("Kafka") == "Test.double"
    assert action.section("Modifies") == "nothing, and nobody"
    assert action.section("Nothing") == ""
    assert action.summary() == "Twice."


def test_an_action_by_name():
    assert KAFKA.action("fetch").name == "fetch"
    with pytest.raises(KeyError):
        KAFKA.action("teleport")


def test_enabled_leaves_the_state_as_it_was():
    config = PUBLISHED.configure("kip-320", brokers=2)
    (state,) = PUBLISHED.initial_states(config)
    before = state.copy()
    steps = [(action.label(arguments), after) for action, arguments, after in PUBLISHED.enabled(state)]
    assert state == before
    assert [label for label, _ in steps] == [
        "controller_shrink_isr broker=0",
        "controller_shrink_isr broker=1",
        "controller_elect_leader broker=0",
        "controller_elect_leader broker=1",
    ]
    assert len({id(after) for _, after in steps}) == 4
    assert all(after != before for _, after in steps)
