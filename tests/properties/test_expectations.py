"""What the catalogue says of revisions: where a property is expected to hold, and what is checked by default."""

from highwater.properties.catalogue import default_properties, properties_of
from support.kafka import KAFKA, PROPERTIES


def expected(name):
    """The revisions in which the property is expected to hold at the default sizes."""
    return [r for r in KAFKA.revisions if PROPERTIES[name].expected_to_hold(r, KAFKA)]


def test_expectations_follow_the_revisions():
    """From its first revision on, but for those in which it is violated all the same."""
    assert expected("weak_isr") == ["kip-320", "kip-320-2.5.0", "kip-320-2.8"]
    lost = ("v3", "high-watermark", "kip-101", "kip-279", "kip-320-2.8.0")
    assert expected("no_committed_data_loss") == [r for r in KAFKA.revisions if r not in lost]
    assert expected("leader_hw_never_falls") == [r for r in KAFKA.revisions if r not in ("v3", "kip-320-2.8.0")]
    assert expected("single_committable_leader_strict") == []


def test_by_default_only_what_some_revision_keeps():
    """The last revision under ZooKeeper keeps every property at the default sizes: there these two are not asked."""
    kept = {p.name for p in default_properties(KAFKA) if p.expected_to_hold("kip-320-2.8", KAFKA)}
    assert {p.name for p in default_properties(KAFKA)} - kept == {"followers_show_committed", "inactive_brokers_join_no_isr"}
    left_out = {p.name for p in properties_of(KAFKA)} - {p.name for p in default_properties(KAFKA)}
    strict = {"single_committable_leader_strict", "single_controller_strict", "acknowledged_records_survive"}
    strict |= {"producers_are_told_of_their_records"}
    assert left_out == strict | {"recreated_topics_begin_empty", "deleted_records_are_gone"}


def test_what_is_needed_is_a_test_of_the_settings_in_words():
    claim = PROPERTIES["writes_need_min_isr"]
    assert claim.where == "acks = all, min_isr > 1"
    for settings, applies in (({"min_isr": 2}, True), ({}, False), ({"min_isr": 2, "acks": "leader"}, False)):
        assert claim.applies(KAFKA.configure("kip-320", **settings)) == applies
