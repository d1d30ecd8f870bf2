"""The published model for Spin and in C: the same states and transitions, where these are installed; a sentence where not."""

import json
import shutil

import pytest
from highwater.explorer.bench.beside import Measured, measure_beside
from highwater.explorer.bench.in_c import INVARIANTS as IN_C
from highwater.explorer.bench.in_c import explore_in_c
from highwater.explorer.bench.spin import explore_with_spin, promela
from highwater.explorer.command_line import main
from highwater.explorer.plain.explore import explore_plain
from highwater.model.language import UsageError
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


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
@pytest.mark.parametrize("sizes", [(1, 3, 3, 2), (2, 3, 2, 1), (2, 1, 3, 2), (3, 2, 2, 0), (3, 1, 1, 1)])
def test_the_program_in_c_counts_the_same(sizes):
    """And finds the same violated."""
    config = PUBLISHED.configure("kip-279", **dict(zip(("brokers", "log_size", "max_records", "max_epoch"), sizes, strict=True)))
    plain, c = explore_plain(PUBLISHED, config, INVARIANTS), explore_in_c(PUBLISHED, config, INVARIANTS)
    assert (c.states, c.transitions) == (plain.states, plain.transitions)
    assert c.violated == [name for name in IN_C if name in plain.found]


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_the_ratio_to_c_is_of_one_run(capsys):
    assert main(["bench", "--against", "c", "--quick", "--repeat", "1", "--json", "-"]) == 0
    [row] = json.loads(capsys.readouterr().out)["beside C"]
    assert row["distinct_states"] > 1000 and {"c_cpu_seconds", "highwater_cpu_seconds", "times_c"} <= set(row)


def test_programs_that_differ_are_not_compared():
    with pytest.raises(UsageError, match=r"C finds 1 states and 2 transitions, Highwater .* one of them is wrong"):
        measure_beside("C", lambda *_: Measured(1, 2, 3.0), PUBLISHED, {"brokers": 2}, INVARIANTS, 1)


@pytest.mark.parametrize(("name", "said"), [("spin", "spin is not installed, so there"), ("c", "no C compiler `cc`, so there")])
def test_without_the_other_program_it_says_so(monkeypatch, capsys, name, said):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert f"{said} is nothing to measure against" in refused(capsys, "bench", "--against", name, "--quick")


def test_spark_is_not_measured_beside_it(capsys):
    assert "leave out --engine spark" in refused(capsys, "bench", "--against", "spin", "--engine", "spark")
