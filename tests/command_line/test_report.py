"""What people read of a check: the verdict first, then the counterexample, then the table; one word for a length."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from highwater.explorer.command_line.bench import print_figures, ratios
from support.elsewhere import output_of

SMALL = ["--model", "published", "--brokers", "2", "--generic"]
KAFKA = ["--revision", "kip-320", "--brokers", "2", "--session-expiries", "0", "--preferred-elections", "0", "--generic"]


def test_the_verdict_comes_first_then_the_trace_then_the_table(capsys):
    told = output_of(capsys, 12, ["check", *SMALL, "--revision", "high-watermark"]).out
    order = ("violated: weak_isr after", "highwater trace 1", "\n8 ", "property  ", "distinct states")
    places = [told.index(text) for text in order]
    assert places == sorted(places) and told.splitlines()[2].startswith("violated: ")


def test_a_ratio_that_one_model_lacks_leaves_its_place_empty(capsys):
    kafka, published = {"two_threads_cpu": 1.5, "cold_seconds": 3}, {"two_threads_cpu": 2}
    figures = {"models": [{"model": "kafka", **kafka}, {"model": "published", **published}]}
    print_figures({**figures, "machine": [{"cores": 2}], "ratios": ratios(figures)})
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["cores", "2"] in told and ["kafka", "published"] in told
    assert ["two", "threads,", "CPU", "to", "one", "1.5", "2"] in told and told[-1][-1] == "3"


def test_what_does_not_apply_is_told_to_those_who_ask(capsys):
    told = output_of(capsys, 0, ["check", *KAFKA]).out
    assert "not applicable" not in told and "consumer_stays_in_range" not in told
    # Without faults nothing starts, fails over or is elected: the settings say so. Only of an answer that is lost they do not.
    assert "actions that were never enabled: expand_isr\n" in told
    assert "consumer_stays_in_range (consumers = 1)" in output_of(capsys, 0, ["check", *KAFKA, "--verbose"]).out


def test_a_length_is_in_steps_everywhere(capsys):
    command = ["check", *SMALL, "--revision", "high-watermark"]
    told = output_of(capsys, 12, [*command, "--json", "x.json", "--junit", "x.xml", "--sarif", "x.sarif"]).out
    (line,) = [line for line in told.splitlines() if line.startswith("weak_isr  ")]
    assert line.split()[:4] == ["weak_isr", "always", "violated", "8"] and "weak_isr after 8 steps" in told
    (entry,) = [p for p in json.loads(Path("x.json").read_text())["properties"] if p["name"] == "weak_isr"]
    assert (entry["steps"], entry["depth"]) == (8, 9)
    root = ElementTree.parse("x.xml").getroot()
    (text,) = [case.find("failure").text for case in root.iter("testcase") if case.get("name") == "weak_isr"]
    assert "violated after 8 steps" in text and "highwater trace 1" in text and "weak_isr is false" in text
    assert float(root[0].get("time")) == sum(float(case.get("time")) for case in root.iter("testcase")) > 0
    assert {p.get("name") for p in root.iter("property")} >= {"seconds", "compile_seconds"}
    assert "is violated after 8 steps" in Path("x.sarif").read_text()
