"""Each repair of the catalogue against what it repairs: what is violated without it, and that nothing is with it.

R1 and R2 are in tests/model/test_variants.py, R6 and R8 in tests/properties/test_reassignment.py; R3 and R9 need three brokers,
and are golden traces.
"""

from dataclasses import dataclass

import pytest
from highwater.model.language.repairs import base_of
from highwater.model.repairs import NO_REPAIRS
from highwater.model.repairs import REPAIRS as CATALOGUE
from highwater.properties.registry import KAFKA
from support.kafka import PROPERTIES, explored, outcome, safety, tiny, violated, witnessed

BOUNDS = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2, "max_records": 2, "log_size": 2}
MOVE = {"replicas": 1, "reassignments": 1, "controller_changes": 1, "max_epoch": 2, "departed_end": "awaited"}
LOST_FILE = {**BOUNDS, "preferred_elections": 0, "crashes": 1, "lost_epoch_files": 1}


@dataclass(frozen=True)
class Row:
    """A repair's id, the setting without it, what is violated then and at which level."""

    row: str
    without: dict
    violates: dict
    sizes: dict
    revision: str = "kip-320"


REPAIRS = [
    Row("C3", {"led_before": "keeps-ends"}, {"weak_isr": 15, "strong_isr": 15, "isr_reaches_high_watermark": 15},
        {**BOUNDS, "brokers": 3, "max_records": 1, "log_size": 1}),
    Row("R4", {"admission": "bytes-as-meant"}, {"strong_isr": 4, "no_committed_data_loss": 7}, BOUNDS),
    Row("R5", {"fenced_controllers": 0}, {"no_committed_data_loss": 16}, MOVE),
    Row("R7", {"stale_commands": 1}, {"weak_isr": 12, "epochs_increase": 11}, {"crashes": 1, "max_epoch": 2}),
    Row("R10", {"leader_hw": "assigned"}, {"leader_hw_never_falls": 14, "no_committed_data_loss": 16}, BOUNDS, "high-watermark"),
    Row("R11", {"init": "per-broker"}, {"strong_isr": 13, "no_committed_data_loss": 15}, MOVE),
    Row("R12", {"lost_epoch_file": "empty"}, {"strong_isr": 12}, LOST_FILE, "kip-320-2.8"),
    Row("KAFKA-10432", {"lost_epoch_file": "without-first"}, {"strong_isr": 12}, LOST_FILE, "kip-320-2.8"),
    Row("R13", {"failed_epoch_request": "high-watermark"}, {"log_prefix_convergence": 13}, {**BOUNDS, "message_losses": 1},
        "kip-279-2.0.1"),
    Row("KAFKA-13141", {"diverging_fetch": "counted"}, {"weak_isr": 8, "no_committed_data_loss": 12}, BOUNDS, "kip-320-2.8"),
    Row("KAFKA-13207", {"late_truncation": "carried-out"}, {"leader_hw_never_falls": 12, "no_committed_data_loss": 12}, BOUNDS,
        "kip-320-2.8"),
    Row("KAFKA-12996", {"fetch_below_start": "diverging"}, {"append_in_order": 16}, {**BOUNDS, "retentions": 1}, "kip-320-2.8"),
]  # fmt: skip


def test_2_8_0_violates_what_its_revision_says():
    """Some of it needs a consumer, or brokers that are lost; consumers of followers have a trace of their own."""
    sizes = ({"consumers": 1}, {"lost_brokers": 1, "min_isr": 2})
    found = {name for more in sizes for name in safety(explored("kip-320-2.8.0", **BOUNDS, **more))}
    assert {name for name in found if PROPERTIES[name].by_default} == set(KAFKA.revisions["kip-320-2.8.0"].violates) - {
        "followers_show_committed"
    }


@pytest.mark.parametrize("repair", REPAIRS, ids=lambda r: r.row)
def test_what_is_violated_without_it_is_kept_with_it(repair):
    found = explored(repair.revision, **repair.sizes, **repair.without)
    assert {name: found.get(name) for name in repair.violates} == repair.violates
    kept = safety(explored(repair.revision, **repair.sizes))
    assert not set(kept) & set(repair.violates)


SMALL = {**BOUNDS, "brokers": 3, "max_records": 1, "log_size": 1}


@pytest.mark.parametrize(
    ("setting", "printed", "kafkas"), [("live_leader", "any-member", "stays"), ("expand", "any-replica", "fetching")]
)
def test_what_v3_leaves_open_violates_nothing_more(setting, printed, kafkas):
    """A.3.2: whether a live leader stays; G: whether who joins the ISR still fetches. More can happen than in Kafka's choice."""
    for revision in ("high-watermark", "kip-320"):
        more, less = (outcome(tiny(revision, **SMALL, **{setting: value}), revision) for value in (printed, kafkas))
        assert violated(more).keys() == violated(less).keys()
        assert set(witnessed(more)) == set(witnessed(less))
        assert more.distinct_states > less.distinct_states


def test_a_replica_that_does_not_fetch_joins_the_isr_in_v3():
    """V3 G, "for each replica r not in ISR": with atomic writes and clean elections it is this that violates `weak_isr` in V3."""
    size = {"store": "atomic", "unclean_elections": 0, "session_expiries": 1, "preferred_elections": 1, "max_epoch": 2}
    for value, expected in (("any-replica", {"weak_isr": 14}), ("fetching", {})):
        assert explored("v3", ["weak_isr"], **size, expand=value) == expected


UNCLEAN = {**BOUNDS, "unclean_elections": 1, "max_records": 1, "log_size": 1}
ADDING = [repair for repair in CATALOGUE if repair.only_adds]


@pytest.mark.parametrize("repair", ADDING, ids=lambda r: r.name)
@pytest.mark.parametrize("sizes", [BOUNDS, UNCLEAN], ids=["clean", "unclean"])
def test_a_repair_that_only_adds_steps_is_needed_by_no_claim_that_something_never_happens(repair, sizes):
    """What is violated without it is violated with it, and no later; what can be reached without it can be reached with it."""
    config = tiny("kip-101", **sizes)
    off = base_of(config.settings[repair.setting], [repair])
    without, with_it = outcome(config.with_(**{repair.setting: off}), "kip-101"), outcome(config, "kip-101")
    for found in (violated, witnessed):
        less, more = found(without), found(with_it)
        assert {name: depth for name, depth in less.items() if more.get(name, depth + 1) > depth} == {}


def test_every_setting_in_which_revisions_differ_is_in_the_catalogue_or_says_why_not():
    """No repair without a name, a source and a release: a row that has a value of its own for a setting names it here."""
    shown = [KAFKA.configure(name).shown() for name in KAFKA.revisions]
    differing = {setting for setting in shown[0] if len({str(values[setting]) for values in shown}) > 1}
    repaired = {repair.setting for repair in CATALOGUE}
    assert differing - repaired == set(NO_REPAIRS)
    assert not repaired & set(NO_REPAIRS)
