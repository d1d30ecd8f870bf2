"""T9: brokers are upgraded one by one, in every order; which rolling upgrades are no worse than the releases on both sides?"""

from pathlib import Path

import pytest
from highwater.explorer.plain.breadth_first import breadth_first
from support.kafka import KAFKA, PROPERTIES, tiny

FINDINGS = Path(__file__).parents[2] / "docs" / "findings.md"
ASKED = ("no_committed_data_loss", "log_prefix_convergence", "weak_isr")
SIZE = {"crashes": 2, "failed_epoch_request": "high-watermark"}
"""Each of two brokers restarts once, at any time; elections are clean."""

T0, T1, T2 = "to-high-watermark", "by-leader-epoch", "by-common-epoch"
LOSES = {"no_committed_data_loss", "log_prefix_convergence", "weak_isr"}
CUTS = {"no_committed_data_loss", "weak_isr"}
UPGRADES = {
    "high-watermark to kip-101": ((T0, T1, 0), {"older-side": LOSES, "asking-side": LOSES, "refused": LOSES}),
    "kip-101 to kip-279": ((T1, T2, 0), {"older-side": set(), "asking-side": set(), "refused": CUTS}),
    "kip-279 to kip-320": ((T2, T2, 1), {"older-side": set(), "asking-side": set(), "refused": CUTS}),
    "high-watermark to kip-320": ((T0, T2, 1), {"older-side": LOSES, "asking-side": LOSES, "refused": LOSES}),
}
ALONE = {T0: LOSES, T1: set(), T2: set()}


def violated(**settings):
    """What is violated in some state, of the properties asked about."""
    config, found = tiny(**SIZE, **settings), set()
    for _, _, _, _, state in breadth_first(KAFKA, config):
        found |= {name for name in ASKED if name not in found and not PROPERTIES[name].holds(state)}
        if len(found) == len(ASKED):
            break
    return found


@pytest.mark.long
@pytest.mark.parametrize("rule", ALONE)
def test_a_release_alone(rule):
    """Restarts alone lose what is committed only where a follower cuts to its high watermark."""
    assert violated(truncation=rule, fenced=0) == ALONE[rule]


@pytest.mark.long
@pytest.mark.parametrize("versions", ["older-side", "asking-side", "refused"])
@pytest.mark.parametrize("upgrade", UPGRADES)
def test_all_orders_of_a_rolling_upgrade(upgrade, versions):
    """Every broker is upgraded by its restart; what the pairs speak meanwhile decides, not the order."""
    (older, newer, fenced), found = UPGRADES[upgrade]
    settings = {"upgraded_from": older, "upgraded_to": newer, "fenced": fenced, "versions": versions}
    assert violated(truncation="mixed", **settings) == found[versions]


def test_the_table_of_the_documents_is_this_one():
    """docs/findings.md says of each upgrade whether it is worse than the release that it begins with."""
    text = FINDINGS.read_text()
    for upgrade, ((older, _, _), found) in UPGRADES.items():
        words = [word(ALONE[older], found[versions]) for versions in ("older-side", "asking-side", "refused")]
        assert f"| {upgrade} | {' | '.join(words)} |" in text


def word(alone, mixed):
    """A verdict in words."""
    if mixed <= alone:
        return "as the old release" if alone else "safe"
    return "**loses** committed records"
