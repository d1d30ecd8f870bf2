"""The published model in C: the same states and transitions, where there is a compiler; a sentence where not."""

import json
import shutil

import pytest
from highwater.explorer.bench import in_c
from highwater.explorer.bench.in_c import INVARIANTS as IN_C
from highwater.explorer.bench.in_c import Measured, explore_in_c, measure_in_c
from highwater.explorer.command_line import main
from highwater.explorer.plain.explore import explore_plain
from highwater.model.language import UsageError
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from support.elsewhere import refused

INVARIANTS = [claim for claim in properties_of(PUBLISHED) if claim.name in ("weak_isr", "strong_isr", "hw_within_log")]


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
@pytest.mark.parametrize("sizes", [(1, 3, 3, 2), (2, 3, 2, 1), (2, 1, 3, 2), (3, 2, 2, 0), (3, 1, 1, 1)])
def test_the_program_in_c_counts_the_same(sizes):
    """And finds the same violated."""
    config = PUBLISHED.configure("kip-279", **dict(zip(("brokers", "log_size", "max_records", "max_epoch"), sizes, strict=True)))
    plain, c = explore_plain(PUBLISHED, config, INVARIANTS), explore_in_c(config)
    assert (c.states, c.transitions) == (plain.states, plain.transitions)
    assert c.violated == [name for name in IN_C if name in plain.found]


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_the_ratio_to_c_is_of_one_run(capsys):
    assert main(["bench", "--against", "c", "--quick", "--repeat", "1", "--json", "-"]) == 0
    [row] = json.loads(capsys.readouterr().out)["beside C"]
    assert row["distinct_states"] > 1000 and {"c_cpu_seconds", "highwater_cpu_seconds", "times_c"} <= set(row)


def test_programs_that_differ_are_not_compared(monkeypatch):
    monkeypatch.setattr(in_c, "explore_in_c", lambda config: Measured(1, 2, 3.0, []))
    with pytest.raises(UsageError, match=r"C finds 1 states and 2 transitions, Highwater .* one of them is wrong"):
        measure_in_c(PUBLISHED, {"brokers": 2}, INVARIANTS, 1)


def test_without_the_other_program_it_says_so(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nonexistent")
    said = "no C compiler `cc`, so there is nothing to measure against"
    assert said in refused(capsys, "bench", "--against", "c", "--quick")


def test_spark_is_not_measured_beside_it(capsys):
    assert "leave out --engine spark" in refused(capsys, "bench", "--against", "c", "--engine", "spark")
