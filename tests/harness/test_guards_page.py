"""The pages of rules and their tables: each rule of the source has a row, and what the rows say is what exploring finds."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from highwater.explorer.command_line.guards import row_of, with_kept
from highwater.explorer.mutation.analysis import BY_CATALOGUE, KILLED, SAME_PROGRAM, MutantRuns, results_of
from highwater.explorer.mutation.mutants import break_all, explanation
from highwater.explorer.output.guards_page import command_in, page, rows_in, table
from highwater.properties.registry import MODELS
from support.elsewhere import PROGRAM, python

DOCS = Path(__file__).parents[2] / "docs"
PAGE, TABLE = DOCS / "guards.md", DOCS / "guards-table.md"
KAFKA = MODELS["kafka"]
OWN = ("kraft/", "broker/told.py")


def rows(name="guards"):
    """The rows of a table."""
    return rows_in((DOCS / f"{name}-table.md").read_text())


def rules(model, *folders):
    """What the source has."""
    return [(m.function, m.kind, m.text) for m in break_all(MODELS[model])[1] if m.place.startswith(folders or ("",))]


def test_each_rule_has_a_row_and_each_row_is_about_a_rule():
    """`highwater guards --function NAME --keep --markdown docs/guards.md` makes the rows of a function that has changed."""
    listed = sorted(row[:3] for row in rows())
    assert listed == sorted(rules("kafka"))
    assert sorted(row[:3] for row in rows("guards-kraft")) == sorted(rules("kraft", *OWN))
    assert {*rules("kraft")} - {*rules("kraft", *OWN)} <= {*listed}, "what both families have is on the page of ZooKeeper"


@pytest.mark.parametrize("name", ["guards", "guards-kraft"])
def test_the_page_is_about_what_the_table_lists(name):
    """It counts them, and says all that survive, and why: where the counts do not say it, a sentence does."""
    text, found = (DOCS / f"{name}.md").read_text(), rows(name)
    killed, by_catalogue = (sum(row.verdict in verdicts for row in found) for verdicts in (KILLED, BY_CATALOGUE))
    assert f"{killed} of these mutants are killed, {len(found) - killed} survive" in text
    assert f"The catalogue of properties (`highwater list properties`) kills {by_catalogue} of them." in text
    survivors = [row for row in found if row.verdict not in KILLED]
    assert [row[:3] for row in survivors if f"- `{row.function}`, " not in text or row.rule not in text] == []
    assert [row[:3] for row in found if not row.explained] == []


def test_each_rule_is_at_work_at_some_size():
    """But for questions to a setting alone, beside which the rest of the action asks the same, and for what is of KRaft."""
    same = [row for row in rows() if row.verdict == SAME_PROGRAM and not row.note]
    others = [row for row in same if not re.fullmatch(r"s\.config\.\w+ (==|!=|is|is not) [\w.]+", row.rule)]
    assert same and others == []
    assert [row for row in rows("guards-kraft") if row.verdict == SAME_PROGRAM] == []


@pytest.mark.parametrize(("model", "name", "folder"), [("kafka", "guards", ""), ("kraft", "guards-kraft", "kraft/")])
def test_no_sentence_is_about_a_rule_that_is_killed(model, name, folder):
    told = defaultdict(set)
    for row in rows(name):
        told[row[:3]].add(row.verdict)
    explained = [mutant for mutant in break_all(MODELS[model])[1] if mutant.place.startswith(folder) and explanation(mutant)]
    assert [m.label for m in explained if (verdicts := told[m.function, m.kind, m.text]) and verdicts <= {*KILLED}] == []


def test_a_page_keeps_the_rows_of_other_rules():
    text = TABLE.read_text()
    assert table("kafka", rows(), PAGE.name) == text
    old = rows()
    new = old[5]._replace(verdict="open", detail="", note="")
    gone = old[-1]._replace(rule="a rule that is no more")
    assert with_kept([new], [*old[:-1], gone], break_all(KAFKA)[1]) == [*old[:5], new, *old[6:-1]]
    assert command_in(PAGE.read_text()) == "docs/guards.md"


def said_of(function, kind):
    """The rows about some rules, which a small size decided."""
    found = [row for row in rows() if row[:2] == (function, kind)]
    assert found and all(row.size == 0 for row in found)
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
    assert [entry["rule"] for entry in found] == [row.rule for row in said]
    for entry, row in zip(found, said, strict=True):
        assert row.outcome == f"violated: {entry['property']} after {entry['steps']} step{'' if entry['steps'] == 1 else 's'}"
        assert f"{entry['function']}: {entry['rule']}: {row.outcome}" in printed


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
    wanted = [[*row[:3], row.outcome] for one in chosen for row in said_of(*one)]
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
    assert all(row.explained for row in found)
