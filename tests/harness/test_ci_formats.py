"""What CI reads: SARIF, workflow annotations, a step summary."""

import json
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.command_line.github import field, message

ROOT = Path(__file__).parents[2]
FALLS = ["check", "--model", "published", "--brokers", "2", "--generic", "--revision", "high-watermark"]
HOLDS = [*FALLS[:-1], "kip-320"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def sarif_of(arguments):
    code = main([*arguments, "--quiet", "--sarif", "out.sarif"])
    return code, json.loads(Path("out.sarif").read_text())


def test_a_violation_is_a_result_with_its_steps_as_a_code_flow():
    code, log = sarif_of(FALLS)
    assert code == 12 and log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    run = log["runs"][0]
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "weak_isr"
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [s["executionOrder"] for s in steps] == list(range(1, 9))
    for step in steps:
        place = step["location"]["physicalLocation"]
        lines = (ROOT / place["artifactLocation"]["uri"]).read_text().splitlines()
        action = step["location"]["message"]["text"].split()[1]
        assert lines[place["region"]["startLine"] - 1].startswith("def "), action
    assert run["invocations"][0]["exitCode"] == 12


def test_where_everything_holds_there_are_rules_and_no_results():
    code, log = sarif_of(HOLDS)
    assert code == 0 and log["runs"][0]["results"] == []
    assert "strong_isr" in {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}


def test_an_expected_violation_of_the_matrix_is_no_result(capsys):
    assert main(["matrix", "--model", "published", "--quiet", "--sarif", "m.sarif", "--github"]) == 0
    assert json.loads(Path("m.sarif").read_text())["runs"][0]["results"] == []
    assert "::error" not in capsys.readouterr().out


def test_annotations_and_summary(capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert main([*FALLS, "--quiet", "--github"]) == 12
    error = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("::error"))
    assert error.startswith("::error file=properties/published.py,line=") and "weak_isr is violated" in error
    summary = Path("summary.md").read_text()
    assert summary.startswith("### published high-watermark: violated") and "| weak_isr | ❌ violated | 8 |" in summary


def test_what_is_special_to_workflow_commands_is_escaped():
    assert message("50%\nmore") == "50%25%0Amore"
    assert field("a: b, c") == "a%3A b%2C c"
