"""`docs/spark.md`: its table follows from its constants, its flags exist, its example runs."""

import re
from pathlib import Path

import pytest
from highwater.explorer.command_line import main

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()
CORES, LEVELS = 4, 60
SIZES = {"10^8": 1e8, "10^9": 1e9, "10^10": 1e10}


def rows_between(name):
    part = PAGE.split(f"<!-- {name} -->")[1].split(f"<!-- end of {name} -->")[0]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in part.strip().splitlines()]


def constants():
    """Those of the larger run, where it has them."""
    rows = {name: values for name, *values in rows_between("constants")[2:]}
    return {name: float(next(value for value in reversed(values) if value != "-")) for name, values in rows.items()}


def shown(seconds):
    """As the table shows a time."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def expected():
    """The rows of the table."""
    known = constants()
    for name, states in SIZES.items():
        transitions = states * known["transitions per state"]
        row = [name, f"{known['transitions per state']} * {name}"]
        for executors in (4, 20, 100):
            cpu = transitions * known["CPU microseconds per transition on Spark"] / 1e6
            row.append(shown(cpu / (executors * CORES) + LEVELS * known["seconds per level on Spark, beyond its states"]))
        stored, sent = states * known["bytes stored per state"], transitions * known["bytes sent per transition"]
        yield [*row, size(stored), size(sent), size(2 * sent * known["part of the transitions that the widest level has"])]


def size(count):
    """As the table shows bytes."""
    return f"{count / 1e9:,.0f} GB"


def test_the_table_follows_from_the_constants():
    assert rows_between("table")[2:] == list(expected())


@pytest.mark.parametrize("command", ["check", "stats", "bench"])
def test_the_flags_exist(command, capsys):
    assert main([command, "--help"]) == 0
    told = capsys.readouterr().out
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
