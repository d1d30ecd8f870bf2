"""The published model written for Spin: the same states and transitions, where Spin is installed; a sentence where it is not."""

import shutil

import pytest
from highwater.explorer.bench.spin import explore_with_spin, promela
from highwater.explorer.plain.explore import explore_plain
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from support.elsewhere import refused

INVARIANTS = [claim for claim in properties_of(PUBLISHED) if claim.name in ("weak_isr", "strong_isr", "hw_within_log")]


@pytest.mark.skipif(not shutil.which("spin") or not shutil.which("gcc"), reason="Spin or a C compiler is not installed")
@pytest.mark.parametrize("revision", ["high-watermark", "kip-279", "kip-320"])
def test_spin_counts_the_same(revision):
    config = PUBLISHED.configure(revision, brokers=2, log_size=2, max_records=2, max_epoch=1)
    plain, spin = explore_plain(PUBLISHED, config), explore_with_spin(PUBLISHED, config, INVARIANTS)
    assert (spin.states, spin.transitions) == (plain.states, plain.transitions)


@pytest.mark.parametrize("revision", PUBLISHED.revisions)
def test_every_instance_of_an_action_is_a_transition(revision):
    config = PUBLISHED.configure(revision, brokers=2)
    text = promela(PUBLISHED, config, INVARIANTS)
    for action in PUBLISHED.actions:
        label = f"can_{action.name}"
        instances = sum(line.count(label) for line in text.splitlines() if line.startswith("  :: d_step"))
        assert instances in (0, len(list(action.instances(config)))), action.name
    assert text.count("  :: d_step") > 20


def test_without_spin_it_says_so(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nonexistent")
    said = refused(capsys, "bench", "--against", "spin", "--quick")
    assert "spin is not installed, so there is nothing to measure against" in said


def test_spark_is_not_measured_beside_it(capsys):
    assert "leave out --engine spark" in refused(capsys, "bench", "--against", "spin", "--engine", "spark")
