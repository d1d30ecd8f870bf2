"""`docs/spark.md`: its constants are those of estimates, its flags exist, its example runs."""

import re
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.estimate.costs import Costs
from support.elsewhere import output_of

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()


def rows_between(name):
    part = PAGE.split(f"<!-- {name} -->")[1].split(f"<!-- end of {name} -->")[0]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in part.strip().splitlines()]


def constants():
    """Those of the larger run, where it has them."""
    rows = {name: values for name, *values in rows_between("constants")[2:]}
    return {name: float(next(value for value in reversed(values) if value != "-")) for name, values in rows.items()}


def test_estimates_use_these_constants():
    known, costs = constants(), Costs()
    assert costs.local == known["CPU microseconds per transition, one local thread"]
    assert costs.spark == known["CPU microseconds per transition on Spark"]
    assert costs.level == known["seconds per level on Spark, beyond its states"]
    assert costs.disk_on_spark == known["bytes stored per state"] and costs.sent == known["bytes sent per transition"]


@pytest.mark.parametrize("command", ["check", "stats", "bench"])
def test_the_flags_exist(command, capsys):
    told = output_of(capsys, 0, [command, "--help"]).out
    lines = [line for line in PAGE.splitlines() if re.search(rf"(highwater|run\.py) {command} ", line)]
    flags = {flag for line in lines for flag in re.findall(r"(?<= )--[a-z-]+", line.split(f" {command} ", 1)[1])}
    assert lines and flags <= set(re.findall(r"--[a-z-]+", told))


def test_flags_in_the_text_exist(capsys):
    assert main(["check", "--help"]) == 0
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) | {"--py-files", "--conf", "--glob", "--plugin", "--csv"}
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) <= known


def test_the_example_of_the_library_runs(spark):
    example = re.search(r"^    from highwater\.explorer\.request.*?OnSpark\(shards=2\)\)$", PAGE, re.M | re.S)[0]
    names = {"spark": spark}
    exec(re.sub(r"^    ", "", example, flags=re.M), names)
    assert names["outcome"].engine == "spark" and names["outcome"].distinct_states > 1000
