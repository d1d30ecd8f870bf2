"""docs/guards.md: it lists the rules that the source has, and what it says of them is what exploring finds."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from highwater.explorer.command_line.guards import is_explained, page
from highwater.explorer.mutation.analysis import BOUND, FALLS, MISSED, Laboratory, all_fates
from highwater.explorer.mutation.mutants import break_all
from highwater.model.registry import model_named
from highwater.properties.guard_notes import notes_of
from highwater.properties.small_sizes import small_sizes

PAGE = Path(__file__).parents[2] / "docs" / "guards.md"
KAFKA = model_named("kafka")
MAIN = "import sys; from highwater.explorer.command_line import main; sys.exit(main(sys.argv[1:]))"
ROW = re.compile(r"^\| `(\w+)` \| (guard|constant|least or greatest|effect) `(.*)` \| (\S.*) \| (\d+|all) \|$", re.M)


def rows():
    """The rows of the page: function, kind, rule, what happens without it, size."""
    return [(*found[:2], found[2].replace(r"\|", "|"), *found[3:]) for found in ROW.findall(PAGE.read_text())]


def test_the_page_lists_the_rules_that_the_source_has():
    assert [row[:3] for row in rows()] == [(m.function, m.kind, m.text) for m in break_all(KAFKA)[1]]


def test_nearly_every_rule_falls_or_is_explained():
    unexplained = PAGE.read_text().split("## Unexplained")[1].count("\n- ")
    assert unexplained <= len(rows()) * 5 // 100


def test_no_sentence_is_about_a_rule_that_falls_or_is_gone():
    silent = {(f, rule) for f, _, rule, told, _ in rows() if told.split(":")[0].split(".")[0] not in (FALLS, MISSED, BOUND)}
    assert set(notes_of("kafka")) <= silent


@pytest.mark.parametrize(
    ("function", "kind"),
    [("advance_high_watermark", "least or greatest"), ("write_leader_and_isr", "constant"), ("expire_session", "constant")],
)
def test_a_rule_that_falls_at_the_first_size_is_decided_again(function, kind, tmp_path):
    """Without compiling: some hundred states are explored sooner than the mutants are compiled."""
    said = [row for row in rows() if row[:2] == (function, kind)]
    assert said and all(row[4] == "1" for row in said)
    out = tmp_path / "out.json"
    command = [sys.executable, "-c", MAIN, "guards", "--function", function, "--kind", kind, "--json", str(out)]
    done = subprocess.run(command, env={**os.environ, "HIGHWATER_COMPILE": "no"}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert [entry["rule"] for entry in found] == [row[2] for row in said]
    for entry, row in zip(found, said, strict=True):
        assert row[3] == f"falls: {entry['property']} after {entry['steps']} step{'' if entry['steps'] == 1 else 's'}"
        assert f"{entry['function']}: {entry['rule']}: {row[3]}" in done.stdout


@pytest.mark.long
def test_the_page_is_what_exploring_finds(request):
    laboratory = Laboratory(KAFKA, small_sizes("kafka"))
    fates = all_fates(laboratory, laboratory.mutants)
    wanted = page("kafka", fates, small_sizes("kafka"), laboratory.left_out)
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(wanted)
    assert PAGE.read_text() == wanted
    assert sum(not is_explained(fate, "kafka") for fate in fates) * 100 <= 5 * len(fates)
