"""docs/guards.md and its table: they list the rules that the source has, and what they say of them is what exploring finds."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from highwater.explorer.command_line.guards import row_of
from highwater.explorer.mutation.analysis import BY_CATALOGUE, FEWER, KILLED, SAME_PROGRAM, MutantRuns, results_of
from highwater.explorer.mutation.mutants import break_all, explanation
from highwater.explorer.output.guards_page import page, table
from highwater.properties.registry import MODELS
from support.elsewhere import PROGRAM, python

DOCS = Path(__file__).parents[2] / "docs"
PAGE, TABLE = DOCS / "guards.md", DOCS / "guards-table.md"
KAFKA = MODELS["kafka"]
ROW = re.compile(r"^\| `(\w+)` \| (guard|constant|least or greatest|effect) `(.*)` \| (\S.*) \| (\d+|all) \|$", re.M)


def rows():
    """The rows of the table: function, kind, rule, what happens without it, size."""
    return [(*found[:2], found[2].replace(r"\|", "|"), *found[3:]) for found in ROW.findall(TABLE.read_text())]


def test_nearly_every_rule_of_the_source_is_listed():
    """All of them, when the page is made; a later change of the model may touch some before it is made again."""
    listed, there = {row[:3] for row in rows()}, {(m.function, m.kind, m.text) for m in break_all(KAFKA)[1]}
    assert len(there - listed) <= len(there) // 5 and len(listed - there) <= len(there) // 10


def test_nearly_every_rule_is_killed_or_explained():
    assert PAGE.read_text().count("no explanation yet") <= len(rows()) * 5 // 100


def test_the_page_of_kraft_lists_each_of_the_familys_own_rules_and_explains_those_that_survive():
    page_of_kraft, table_of_kraft = ((DOCS / f"guards-kraft{part}.md").read_text() for part in ("", "-table"))
    found = [(*row[:2], row[2].replace(r"\|", "|"), row[3]) for row in ROW.findall(table_of_kraft)]
    own = ("kraft/", "broker/told.py")
    there = [(m.function, m.kind, m.text) for m in break_all(MODELS["kraft"])[1] if m.place.startswith(own)]
    assert sorted(row[:3] for row in found) == sorted(there)
    killed = sum(verdict_of(row) in KILLED for row in found)
    assert f"{killed} of these mutants are killed, {len(found) - killed} survive" in page_of_kraft
    assert "no explanation yet" not in page_of_kraft
    survivors = [row for row in found if verdict_of(row) not in KILLED]
    assert [row[:3] for row in survivors if f"- `{row[0]}`, " not in page_of_kraft or row[2] not in page_of_kraft] == []


def verdict_of(row):
    """`violated`, `equivalent`, ..."""
    return row[3].split(":")[0].split(".")[0]


def test_the_page_counts_what_the_table_lists():
    told = [verdict_of(row) for row in rows()]
    killed, by_catalogue = (sum(word in verdicts for word in told) for verdicts in (KILLED, BY_CATALOGUE))
    assert f"{killed} of these mutants are killed, {len(told) - killed} survive" in PAGE.read_text()
    assert f"The catalogue of properties (`highwater list properties`) kills {by_catalogue} of them." in PAGE.read_text()
    assert by_catalogue >= 150


def test_each_rule_is_at_work_at_some_size():
    """But for questions to a setting alone, beside which the rest of the action asks the same, and for what is of KRaft."""
    same = [row for row in rows() if verdict_of(row) == SAME_PROGRAM and "Without it" not in row[3]]
    others = [row for row in same if not re.fullmatch(r"s\.config\.\w+ (==|!=|is|is not) [\w.]+", row[2])]
    assert same and others == []


def test_what_makes_less_happen_is_killed_or_explained():
    """`fewer` without a sentence: no explanation of what the rule makes happen."""
    assert [row for row in rows() if verdict_of(row) == FEWER and "Without it" not in row[3]] == []


def test_no_sentence_is_about_a_rule_that_is_killed():
    told = defaultdict(set)
    for row in rows():
        told[row[:3]].add(verdict_of(row))
    explained = [mutant for mutant in break_all(KAFKA)[1] if explanation(mutant)]
    assert [m.label for m in explained if (verdicts := told[m.function, m.kind, m.text]) and verdicts <= {*KILLED}] == []


def said_of(function, kind):
    """The rows about some rules, which a small size decided."""
    found = [row for row in rows() if row[:2] == (function, kind)]
    assert found and all(row[4] == "1" for row in found)
    return found


def uncompiled(*command):
    """A process without compiling: some hundred states are explored sooner than the mutants are compiled."""
    code, out, error = python(".", "-c", *command, seconds=600, HIGHWATER_COMPILE="no")
    assert code == 0, error
    return out


@pytest.mark.long
def test_a_rule_is_decided_again_by_the_command(tmp_path):
    function, kind = "write_leader_and_isr", "constant"
    said, out = said_of(function, kind), tmp_path / "out.json"
    printed = uncompiled(PROGRAM, "guards", "--function", function, "--kind", kind, "--json", str(out))
    found = json.loads(out.read_text())
    assert [entry["rule"] for entry in found] == [row[2] for row in said]
    for entry, row in zip(found, said, strict=True):
        assert row[3] == f"violated: {entry['property']} after {entry['steps']} step{'' if entry['steps'] == 1 else 's'}"
        assert f"{entry['function']}: {entry['rule']}: {row[3]}" in printed


AGAIN = """
import json
from highwater.explorer.command_line.guards import row_of
from highwater.explorer.mutation.analysis import MutantRuns, results_of
from highwater.properties.registry import MODELS
runs = MutantRuns(MODELS["kafka"], MODELS["kafka"].sizes)
chosen = [one for one in runs.mutants if [one.function, one.kind] in CHOSEN]
print(json.dumps([[row.function, row.kind, row.rule, row.outcome] for row in map(row_of, results_of(runs, chosen))]))
"""


@pytest.mark.long
def test_other_rules_are_decided_again():
    """In one process, which explores the unbroken model once."""
    chosen = [["fire_brokers_watch", "constant"], ["produce", "constant"]]
    found = json.loads(uncompiled(AGAIN.replace("CHOSEN", repr(chosen))))
    wanted = [list(row[:4]) for one in chosen for row in said_of(*one)]
    assert sorted(found) == sorted(wanted)


@pytest.mark.long
def test_the_page_is_what_exploring_finds(request):
    sizes = MODELS["kafka"].sizes
    runs = MutantRuns(KAFKA, sizes)
    found = [row_of(result) for result in results_of(runs, runs.mutants, jobs=2)]
    wanted = {PAGE: page("kafka", found, sizes, runs.left_out, TABLE.name, runs.enough), TABLE: table("kafka", found, PAGE.name)}
    for path, text in wanted.items():
        if request.config.getoption("--rewrite-golden"):
            path.write_text(text)
        assert path.read_text() == text
    assert sum(not row.explained for row in found) * 100 <= 5 * len(found)
