"""What a reviewer sees of scenarios and checks: annotations, the step summary, SARIF; also what cannot run."""

import json
import re

import pytest
from support.scenarios import TWO, pytest_in

FAILING = TWO.replace('expect = { weak_isr = "violated" }', "")

BROKEN = '''
"""A plugin that cannot be loaded."""

from highwater.model.language import Revision


def register(models):
    return [Revision("x", "y", {})][1]
'''

OF_PLUGIN = """
    [[scenario]]
    name = "with a plugin"
    model = "published"
    revision = "kip-320"
    properties = ["weak_isr"]
    plugins = ["raising"]
"""

BOUNDED = OF_PLUGIN.replace('plugins = ["raising"]', "allow_incomplete = true\n    bounds = { states = 100 }")

A_TEST = '''
"""A test with the fixture."""

from highwater.properties.registry import PUBLISHED


def test_published(highwater):
    highwater.check(PUBLISHED, "high-watermark", brokers=2)
'''


@pytest.fixture
def on_github(tmp_path, monkeypatch):
    """A run of pytest in a workflow: its exit code, its annotations, the summary, and SARIF's one run."""

    def run(text, *flags):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        code, out = pytest_in(tmp_path, text, "--highwater-sarif", "out.sarif", *flags)
        notes = re.findall(r"^::(error|notice) file=([^,]*),line=(\d+),title=([^:]*)::(.*)$", out, re.M)
        log = json.loads((tmp_path / "out.sarif").read_text())
        return code, notes, (tmp_path / "summary.md").read_text(), log["runs"][0]

    return run


def test_a_violation_is_a_result_of_sarif_at_the_same_line_as_its_annotation(on_github):
    code, notes, summary, log = on_github(FAILING)
    assert "```mermaid" in summary and "before-truncation-weak_isr.html`" in summary
    assert code == 1 and [claim[1:4:2] for claim in notes] == [("highwater.toml", "before truncation%3A weak_isr")]
    assert "### Highwater: 1 failed, 3 passed" in summary and "before-truncation-weak_isr.trace`, `" in summary
    (result,) = log["results"]
    assert log["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "weak_isr" and result["codeFlows"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (notes[0][1], int(notes[0][2]))
    assert result["properties"]["trace"].endswith("weak_isr.trace")
    assert {rule["id"] for rule in log["tool"]["driver"]["rules"]} == {"weak_isr", "strong_isr", "hw_within_log"}


def test_a_plugin_that_raises_is_annotated_at_its_line(on_github, tmp_path):
    (tmp_path / "raising.py").write_text(BROKEN)
    code, notes, summary, log = on_github(OF_PLUGIN)
    assert code == 1 and [claim[:4] for claim in notes] == [("error", "raising.py", "8", notes[0][3])], notes
    assert "IndexError" in notes[0][4] and "1 could not run" in summary
    (note,) = log["invocations"][0]["toolExecutionNotifications"]
    assert note["level"] == "error" and note["locations"][0]["physicalLocation"]["region"]["startLine"] == 8
    assert not log["invocations"][0]["executionSuccessful"] and log["results"] == []


def test_a_plugin_that_is_refused_is_annotated_at_its_line(on_github, tmp_path):
    (tmp_path / "refused.py").write_text('def register(models):\n    return models["kafak"]\n')
    code, notes, _, _ = on_github(OF_PLUGIN.replace("raising", "refused"))
    assert code == 1 and notes[0][1:3] == ("refused.py", "2") and "there is no model 'kafak'" in notes[0][4], notes


@pytest.mark.parametrize(
    ("wrong", "right"), [("[[scenario]", "[[scenario]]"), ('"weak_isrr"', '"weak_isr"'), ("colour = 1", "brokers = 2")]
)  # fmt: skip
def test_what_cannot_be_collected_is_annotated_at_its_line(on_github, wrong, right):
    head, tail = TWO[: TWO.index("[[scenario]]", 20)], TWO[TWO.index("[[scenario]]", 20) :]
    code, notes, summary, _ = on_github(head + tail.replace(right, wrong, 1))
    assert code != 0 and [claim[1:3] for claim in notes] == [("highwater.toml", "10")], notes
    assert "1 could not run" in summary


MISPLACED = """
    [[scenario]]
    name = "one"
    model = "published"
    revision = "kip-320"

    [[scenario]]
    name = "another"
    model = "published"
    revision = "kip-320"
    [scenario.bounds]
    seconds = 5
    engine = "walk"
"""


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (MISPLACED, "13", "scenario 2, bounds: engine is a key of the scenario: write it above [scenario.bounds] (line 13"),
        (MISPLACED.replace("engine", "minutes"), "13", "unknown key 'minutes'"),
        (MISPLACED.replace('    engine = "walk"\n', "").replace("= 5", '= "5"'), "12", "bounds.seconds must be a number"),
    ],
)
def test_a_wrong_key_is_annotated_at_its_line_with_its_scenario(on_github, text, line, said):
    code, notes, _, _ = on_github(text)
    where = "highwater.toml", line
    assert code != 0 and [claim[1:3] for claim in notes] == [where] and said in notes[0][4] and "'another'" in notes[0][4], notes


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("def register(models):\n    return [\n        1\n\nx = 1\n", "2", "SyntaxError: '[' was never closed (wrong_{}.py:2)"),
        (
            "from highwater.model.language import switch\nfrom highwater.properties.extended import extended\n\n\n"
            "def mine(s):\n    return True\n\n\ndef register(models):\n    model = models['kafka']\n"
            "    how = {'a': {'has_caught_up': mine}}\n    return [extended(model, switches={'a': switch('b')}, replaces=how)]\n",
            "5", "mine does not (wrong_{}.py:5)",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_plugin_is_annotated_where_it_is_mended(on_github, tmp_path, text, line, said):
    (tmp_path / f"wrong_{line}.py").write_text(text)
    code, notes, _, _ = on_github(OF_PLUGIN.replace("raising", f"wrong_{line}"))
    assert code == 1 and notes[0][1:3] == (f"wrong_{line}.py", line) and said.format(line) in notes[0][4], notes


def test_a_check_of_the_fixture_is_annotated_and_has_a_page(on_github, tmp_path):
    (tmp_path / "test_mine.py").write_text(A_TEST)
    code, notes, summary, log = on_github("", "test_mine.py")
    assert code == 1 and notes[0][1:4] == ("test_mine.py", "7", "test_published%3A weak_isr"), notes
    assert "| test_published: weak_isr | weak_isr is false: leader" in summary
    assert [result["ruleId"] for result in log["results"]][:1] == ["weak_isr"]
    assert len(list((tmp_path / "highwater-traces").glob("*.html"))) == 1


def test_an_allowed_incomplete_run_says_how_far_it_came(on_github):
    code, notes, summary, log = on_github(BOUNDED)
    said = r"the bound of 100 states ended the exploration at depth \d+, after \d+ distinct states, those of the level that it"
    assert code == 0 and notes[0][0] == "notice" and "1 not decided" in summary and re.search(said, summary)
    assert [note["level"] for note in log["invocations"][0]["toolExecutionNotifications"]] == ["warning"]


def test_without_github_an_allowed_incomplete_run_is_told_in_the_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out = pytest_in(tmp_path, BOUNDED, "--junitxml=out.xml")
    assert code == 0 and "Highwater: not decided, as allowed" in out and "::notice" not in out
    assert "at depth" in out and "1 not decided" in out and "passed" not in out.splitlines()[-1]
    assert '<property name="not_decided" value="the bound of 100 states' in (tmp_path / "out.xml").read_text()


def test_an_expected_violation_that_is_missed_names_the_sizes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out = pytest_in(tmp_path, TWO.replace('"high-watermark"', '"kip-320"'), "-k", "weak_isr and before")
    assert code == 1 and "was expected to be violated, and is not, at brokers 2, " in out
    assert "if sizes or budgets are smaller" in out


def test_the_report_for_ci_has_no_tuple_of_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest_in(tmp_path, FAILING, "--junitxml=out.xml", "-k", "weak_isr")
    text = (tmp_path / "out.xml").read_text()
    assert "('" not in text and "<failure" in text


def test_a_folder_that_is_missing_is_not_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out = pytest_in(tmp_path, TWO, "--highwater-sarif", "not/there.sarif")
    assert code == 4 and "there is no folder" in out and not (tmp_path / "not").exists()
