"""Every report of a violation says why: JSON, JUnit, SARIF, the terminal, and a failing test item."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from support.elsewhere import output_of, refused

VIOLATES = ["check", "--model", "published", "--brokers", "2", "--generic", "--revision", "high-watermark"]
SENTENCE = "weak_isr is false: leader 1 (epoch 0) has a of epoch 0 at offset 0, broker 0 (follower in epoch 1) has nothing"
S3 = "s3_truncation_loses_data"


def test_every_form_of_a_violation_begins_with_the_sentence(capsys):
    files = ["--json", "o.json", "--junit", "o.xml", "--sarif", "o.sarif"]
    out = output_of(capsys, 12, [*VIOLATES, *files, "--beside", "KIP-101"]).out
    assert out.index(SENTENCE) < out.index("highwater trace 1") < out.index("strong_isr")
    assert "compared: under kip-101 step 8, become_follower, ends differently" in out
    assert re.search(r"\nbecome_follower +Design: published specification, ", out)
    entry = next(p for p in json.loads(Path("o.json").read_text())["properties"] if p["verdict"] == "violated")
    assert entry["why"].startswith(SENTENCE) and entry["witness"]["offset"] == 0 and entry["violated_at"] == 8
    assert next(iter(entry["actions"])) == "controller_elect_leader" and entry["explanation"]
    assert any(re.match("not violated under kip-101: .*not checked: highwater check", line) for line in entry["explanation"])
    failure = ElementTree.parse("o.xml").find(".//failure")
    assert failure.get("message").startswith(SENTENCE) and "the last step that mattered is step 8" in failure.text
    result = json.loads(Path("o.sarif").read_text())["runs"][0]["results"][0]
    assert result["message"]["text"].startswith(SENTENCE) and result["properties"]["witness"]["broker"] == 0


def test_every_violation_of_a_run_has_its_sentence(capsys):
    out = output_of(capsys, 12, [*VIOLATES, "--keep-going", "--quiet", "--json", "o.json"]).out
    violated = [p for p in json.loads(Path("o.json").read_text())["properties"] if p["verdict"] == "violated"]
    assert len(violated) > 1 and all(p["why"] in out for p in violated)


def test_a_replayed_trace_says_it_too(capsys):
    out = output_of(capsys, 12, ["replay", S3, "--json", "o.json"]).out
    sentence = "no_committed_data_loss is false: leader 1 (epoch 1) has nothing at offset 1"
    assert sentence in out and "first kept by kip-101" in out
    document = json.loads(Path("o.json").read_text())
    assert document["why"].startswith(sentence) and document["witness"]["leader"] == 1


@pytest.mark.parametrize("command", [VIOLATES, ["replay", S3]])
def test_another_revision_that_there_is_not_is_refused_before_anything_runs(command, capsys):
    assert "has no revision 'kip-1001'; did you mean kip-101?" in refused(capsys, *command, "--beside", "kip-1001")
