"""What CI reads: SARIF, workflow annotations, a step summary."""

import ast
import inspect
import json
from dataclasses import replace
from pathlib import Path

from highwater.explorer.command_line import main
from highwater.explorer.config_files import ScenarioTable
from highwater.explorer.harness.annotations import field, message
from highwater.explorer.harness.changed_code import spot_of_finding
from highwater.explorer.harness.places import for_reviewers, place_of_revision
from highwater.properties.catalogue import claims_of
from highwater.properties.plugins import models_with
from highwater.properties.registry import PUBLISHED
from highwater.traces.trace import Step, Trace
from support.pages import is_written

ROOT = Path(__file__).parents[2]
VIOLATES = ["check", "--model", "published", "--brokers", "2", "--generic", "--revision", "high-watermark"]
HOLDS = [*VIOLATES[:-1], "kip-320"]


def sarif_of(arguments):
    code = main([*arguments, "--quiet", "--sarif", "out.sarif"])
    return code, json.loads(Path("out.sarif").read_text())


def test_a_violation_is_a_result_with_its_steps_as_a_code_flow(monkeypatch):
    """In Highwater's own repository its files are those of the reader."""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(ROOT))
    code, log = sarif_of(VIOLATES)
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


SCENARIOS = """
[[scenario]]
name = "another"
model = "published"
revision = "kip-320"

[[scenario]]
name = "this one"
model = "published"
revision = "high-watermark"
"""


def test_in_a_users_repository_every_place_is_a_file_of_his():
    """Without any file of his there is no place; with a scenario of the revision its line is the place."""
    result = sarif_of(VIOLATES)[1]["runs"][0]["results"][0]
    assert "locations" not in result
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(steps) == 8 and all(set(step["location"]) == {"message"} for step in steps)
    Path("highwater.toml").write_text(SCENARIOS)
    result = sarif_of(VIOLATES)[1]["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "highwater.toml", "uriBaseId": "SOURCE"}, "region": {"startLine": 7}}


def test_a_plugins_property_has_its_own_line(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("def first(s):\n    return True\n\n\ndef second(s):\n    return True\n")
    monkeypatch.syspath_prepend(tmp_path)
    from mine import second

    assert spot_of_finding(second, PUBLISHED, "kip-320").place == ("mine.py", 5)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    assert spot_of_finding(second, PUBLISHED, "kip-320").place is None


def test_where_everything_holds_there_are_rules_and_no_results():
    code, log = sarif_of(HOLDS)
    assert code == 0 and log["runs"][0]["results"] == []
    assert "strong_isr" in {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}


def test_an_expected_violation_of_the_matrix_is_no_result():
    assert main(["matrix", "--model", "published", "--quiet", "--sarif", "m.sarif"]) == 0
    assert json.loads(Path("m.sarif").read_text())["runs"][0]["results"] == []


def test_what_is_special_to_workflow_commands_is_escaped():
    assert message("50%\nmore") == "50%25%0Amore"
    assert field("a: b, c") == "a%3A b%2C c"


PLUGIN = """
from dataclasses import replace
from highwater.model.language import Revision


def register(models):
    model = models["published"]
    row = Revision(
        "mine", "no truncation at all", {"truncation": 0}, like="kip-320",
    )
    return [replace(model, revisions={**model.revisions, "mine": row})]
"""


def test_a_plugins_revision_has_its_own_line(tmp_path, monkeypatch):
    (tmp_path / "my_row.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    __import__("my_row")
    model = replace(PUBLISHED, plugins=("my_row",))
    assert place_of_revision(model, "mine") == ("my_row.py", 8)
    assert place_of_revision(model, "kip-101") is None and place_of_revision(PUBLISHED, "mine") is None
    assert spot_of_finding(place_of_revision, model, "mine").place == ("my_row.py", 8)


NEARLY = """
from highwater.model.broker.isr import has_caught_up
from highwater.model.language import Revision, switch
from highwater.properties.extended import extended


def has_nearly_caught_up(s, partition, leader, end):
    return has_caught_up(s, partition, leader, end + 1)


def register(models):
    row = Revision("nearly", "a follower may lack a record", {"nearly": 1}, like="kip-320")
    how = {"switches": {"nearly": switch("it may")}, "replaces": {"nearly": {"has_caught_up": has_nearly_caught_up}}}
    return [extended(models["kafka"], **how, revisions=[row])]
"""

LEADER_AND_FOLLOWER = (("partition", 0), ("leader", 1), ("follower", 0))


def test_a_function_that_stands_for_one_of_the_models_is_the_place_of_what_it_breaks(tmp_path, monkeypatch):
    """The step that ends otherwise without it is named, and the revision is a related place."""
    (tmp_path / "nearly_there.py").write_text(NEARLY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    model = models_with(("nearly_there",))["kafka"]
    produced = Step("produce", (("partition", 0), ("leader", 1), ("batch", 0)))
    steps = (produced, *(Step(name, LEADER_AND_FOLLOWER) for name in ("shrink_isr", "expand_isr")))
    trace = Trace("kafka", "", "nearly", {"brokers": 2, "session_expiries": 0}, 1, steps, "strong_isr")
    spot = spot_of_finding(claims_of(model)["strong_isr"].function, model, "nearly", trace)
    assert spot.place == ("nearly_there.py", 7) and spot.related == ((("nearly_there.py", 12), "the revision nearly"),)
    assert spot.ran == "step 3 ran nearly_there.has_nearly_caught_up (nearly_there.py:7) in place of has_caught_up"
    assert spot_of_finding(None, model, "nearly", trace.with_steps(steps[:2])).place == ("nearly_there.py", 12)


def test_a_file_in_a_text_is_one_of_the_repository_or_says_whose_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    said = for_reviewers("it is false (properties/isr.py:46), see mine/isr.py:3 and model/none.py:1")
    assert said == "it is false (highwater/properties/isr.py:46), see mine/isr.py:3 and model/none.py:1"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(ROOT))
    assert for_reviewers("(properties/isr.py:46)") == "(properties/isr.py:46)"


def test_the_page_has_the_keys_of_a_scenario(request):
    body = ast.parse(inspect.getsource(ScenarioTable)).body[0].body[1:]
    rows = [f"| `{field.target.id}` | {said.value.value} |" for field, said in zip(body[::2], body[1::2], strict=True)]
    assert len(rows) == len(ScenarioTable.__struct_fields__)
    assert is_written("docs/ci.md", "keys", "| key | meaning |\n| --- | --- |\n" + "\n".join(rows), request)
