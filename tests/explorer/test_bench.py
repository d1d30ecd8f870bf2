"""`highwater bench`: the published model in C has the same states; docs/performance.md has what was measured last."""

import json
import shutil
from pathlib import Path

import pytest
from highwater.explorer.bench import in_c
from highwater.explorer.bench.in_c import INVARIANTS as IN_C
from highwater.explorer.bench.in_c import Measured, explore_in_c, measure_in_c
from highwater.explorer.bench.measure_local import seconds_of
from highwater.explorer.command_line import bench, main
from highwater.explorer.plain.explore import explore_plain
from highwater.model.language import UsageError
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from support.elsewhere import output_of, refused
from support.pages import is_written

INVARIANTS = [claim for claim in properties_of(PUBLISHED) if claim.name in IN_C]
RECORDED = json.loads(Path(__file__).with_name("bench.json").read_text())
"""What `highwater bench --json tests/explorer/bench.json` wrote."""


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
@pytest.mark.parametrize("sizes", [(1, 3, 3, 2), (2, 3, 2, 1), (2, 1, 3, 2), (3, 2, 2, 0), (3, 1, 1, 1)])
def test_the_program_in_c_counts_the_same(sizes):
    """And finds the same violated."""
    config = PUBLISHED.configure("kip-279", **dict(zip(("brokers", "log_size", "max_records", "max_epoch"), sizes, strict=True)))
    plain, c = explore_plain(PUBLISHED, config, INVARIANTS), explore_in_c(config)
    assert (c.states, c.transitions) == (plain.states, plain.transitions)
    assert c.violated == [name for name in IN_C if name in plain.found]


def test_programs_that_differ_are_not_compared(monkeypatch):
    monkeypatch.setattr(in_c, "explore_in_c", lambda config: Measured(1, 2, 3.0, []))
    monkeypatch.setattr(in_c, "validate_compiler", lambda: None)
    with pytest.raises(UsageError, match=r"C finds 1 states and 2 transitions, Highwater .* one of them is wrong"):
        measure_in_c(PUBLISHED, {"brokers": 2}, INVARIANTS, 1)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_the_ratios_of_a_part_are_of_one_run(capsys):
    assert main(["bench", "--only", "c", "--only", "copy", "--quick", "--repeat", "1", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    [row], [copy], ratios = told["beside C"], told["a copy"], told["ratios"]
    assert row["distinct_states"] > 1000 and row["cpu_to_c"] > 0 and copy["copy_rate"] > 0
    assert {"measured": "CPU of one thread to the C program", "published": row["cpu_to_c"]} in ratios and len(ratios) == 4


def test_what_cannot_be_measured_says_why(monkeypatch, capsys):
    said = "no C compiler `cc`, so there is nothing to measure against"
    monkeypatch.setenv("PATH", "/nonexistent")
    assert said in refused(capsys, "bench", "--only", "c", "--quick")
    monkeypatch.setattr(bench, "PARTS", {"c": bench.PARTS["c"]})
    assert f"c: not measured: there is {said}" in output_of(capsys, 0, ["bench", "--quick"]).out


@pytest.mark.long
def test_every_part_has_its_ratios(capsys):
    told = json.loads(output_of(capsys, 0, ["bench", "--quick", "--repeat", "1", "--json", "-"]).out)["ratios"]
    assert {row["measured"] for row in told} == set(bench.RATIOS.values())


def test_the_page_has_the_recorded_ratios(request):
    rows = [row for row in RECORDED["ratios"] if "not_measured" not in row]
    columns = ["published", "kafka", "small", "all"]
    cells_of = ([row["measured"], *(bench.shown(row.get(name, "")) for name in columns)] for row in rows)
    table = [["", *columns], ["---"] * 5, *cells_of]
    lines = "\n".join(f"| {' | '.join(cells)} |" for cells in table)
    [machine] = RECORDED["machine"]
    said = ", ".join(f"{name} {value}" for name, value in machine.items())
    assert is_written("docs/performance.md", "ratios", f"Measured on: {said}.\n\n{lines}", request)


def test_a_command_that_fails_is_no_measurement(tmp_path):
    with pytest.raises(UsageError, match=r"`highwater check` ended with code 2: .*no-such\.py"):
        seconds_of(["check", "no-such.py"], str(tmp_path))
