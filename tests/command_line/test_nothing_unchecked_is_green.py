"""A property that means nothing at the sizes is refused; no output shows success for what was not checked."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import NOTHING_CHECKED
from support import toys
from support.elsewhere import refused

GOLDEN = Path(__file__).parents[2] / "traces" / "golden"
TINY = ["--revision", "kip-320", "--brokers", "2", "--log-size", "1", "--max-records", "1", "--max-epoch", "1", "--generic"]
ABSENT = ["--property", "consumer_stays_in_range"]
SAYS = "consumer_stays_in_range does not apply under this configuration: it needs consumers = 1"


@pytest.mark.parametrize("command", ["check", "walk", "play", "prove", "graph"])
def test_a_named_property_that_does_not_apply_is_refused(capsys, tmp_path, command):
    sizes = TINY[:-1] if command in ("play", "prove", "graph") else TINY
    assert SAYS in refused(capsys, command, *sizes, *ABSENT)
    assert list(tmp_path.iterdir()) == []


def test_explore_refuses_it_before_java_starts(capsys, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert SAYS in refused(capsys, "explore", *TINY, *ABSENT)


def test_one_of_several_that_does_not_apply_is_refused_too(capsys):
    assert SAYS in refused(capsys, "check", *TINY, *ABSENT, "--property", "strong_isr")


def test_with_its_sizes_it_is_checked(capsys):
    assert main(["check", *TINY[:-1], *ABSENT, "--consumers", "1", "--quiet"]) == 0


def test_a_configuration_file_names_properties_too(capsys, tmp_path):
    (tmp_path / "h.toml").write_text('revision = "kip-320"\nproperties = ["consumer_stays_in_range"]\n')
    assert SAYS in refused(capsys, "check", "--config", "h.toml")


NOTHING_APPLIES = """
from highwater.properties.extended import extended
from highwater.properties.property import always
from support.toys import COUNTERS

def never_here(s):
    '''A claim about configurations that there are not.'''
    return True

def register(models):
    claim = always(never_here, "only", needs=lambda config: config.top > 99, where="top > 99")
    return [extended(COUNTERS, properties=[claim])]
"""


@pytest.mark.parametrize("command", ["check", "walk", "play"])
def test_where_no_property_applies_nothing_is_checked(here, command):
    arguments = [command, "--model", "counters", "--revision", "only"]
    code, out, error = here(*arguments, plugin=NOTHING_APPLIES)
    assert (code, out) == (2, "")
    assert "no property of the model counters applies under this configuration" in error
    assert "never_here needs top > 99" in error
    if command == "check":
        told = here(*arguments, "--deadlock", "--top", "1", plugin=NOTHING_APPLIES)
        assert told[0] == 11, "deadlock is something to check"


def test_a_matrix_of_nothing_is_not_as_expected(here):
    code, out, _ = here("matrix", "--model", "counters", plugin=NOTHING_APPLIES)
    assert code == 2 and "every verdict is as expected" not in out
    assert "nothing checked: no property of the model counters applies" in out


def test_an_exploration_without_properties_does_not_hold():
    outcome = check(Request(toys.COUNTERS, "only", toys.COUNTERS.configure("only"), []))
    assert outcome.complete and outcome.distinct_states == 64
    assert outcome.verdict == NOTHING_CHECKED and outcome.exit_code() == 20


COUNTED = """
from highwater.properties.extended import extended
from highwater.properties.property import always, recoverable
from support.toys import COUNTERS

def at_end(s):
    '''The first counter is at its end.'''
    return s.count[0] == s.config.top

def register(models):
    return [extended(COUNTERS, properties=[CLAIMS])]
"""


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ("recoverable(at_end, since='only')", "the states are counted, and --progress checks at_end"),
        ("always(at_end, since=None)", "the states are counted, and no property is checked unless it is named"),
        ("", "the states are counted, and there is no property"),
    ],
)
def test_a_model_with_nothing_to_check_is_counted(here, claims, said):
    """It is no success, unless that is asked for; with a bound too."""
    command = ("check", "--model", "counters", "--revision", "only", "--top", "1", "--json", "o.json")
    plugin = COUNTED.replace("CLAIMS", claims)
    code, out, error = here(*command, plugin=plugin)
    assert code == 20 and f"nothing checked: everything reachable at these sizes was explored; {said}" in out, error
    found = json.loads(Path("o.json").read_text())
    assert (found["verdict"], found["distinct_states"], found["complete"]) == ("nothing checked", 8, True)
    assert here(*command, "--allow-incomplete", "--quiet", plugin=plugin)[0] == 0
    code, out, error = here(*command, "--depth", "2", plugin=plugin)
    assert code == 20 and "the bound of depth 2 ended the exploration" in out and said in out
    if "recoverable" in claims:
        assert here(*command, "--progress", "--quiet", plugin=plugin)[0] == 0


def test_a_trace_about_what_does_not_apply_is_refused(capsys, tmp_path):
    golden = (GOLDEN / "s3_truncation_loses_data.high-watermark.trace").read_text()
    trace = tmp_path / "other.trace"
    trace.write_text(re.sub(r"(?m)^property: .*$", "property: consumer_stays_in_range", golden))
    said = refused(capsys, "replay", str(trace))
    assert "is about consumer_stays_in_range" in said and "consumers = 1" in said


def test_no_form_of_output_shows_success_for_what_was_not_checked(capsys, tmp_path):
    outputs = ["--json", "c.json", "--junit", "c.xml", "--sarif", "c.sarif"]
    assert main(["check", *TINY, "--quiet", *outputs]) in (0, 15)
    found = json.loads((tmp_path / "c.json").read_text())
    verdicts = {p["name"]: p["verdict"] for p in found["properties"]}
    assert verdicts["consumer_stays_in_range"] == "not applicable"
    cases = {case.get("name"): case for case in ElementTree.parse(tmp_path / "c.xml").getroot().iter("testcase")}
    assert cases["consumer_stays_in_range"].find("skipped").get("message").startswith("not applicable")
    run = json.loads((tmp_path / "c.sarif").read_text())["runs"][0]
    assert "consumer_stays_in_range" not in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    notes = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert any("consumer_stays_in_range was not checked" in note and "consumers = 1" in note for note in notes)


SPARE = """
from dataclasses import replace
from highwater.model.language import size
from highwater.properties.extended import extended
from highwater.properties.property import always, sometimes
from support.toys import COUNTERS

def spare_is_wrong(s, spare):
    '''No spare is right; without spares this would be true.'''
    return False

def spare_is_there(s, spare):
    '''There is a spare.'''
    return True

def fine(s):
    '''Fine.'''
    return True

def register(models):
    wider = extended(COUNTERS, switches={"spares": size(0, 0, 3, "spares, if there are any")})
    claims = [always(spare_is_wrong, "only"), sometimes(spare_is_there, "only"), always(fine, "only")]
    return [extended(replace(wider, domains={**wider.domains, "spare": "spares"}), properties=claims)]
"""
OF_SPARES = ["--model", "counters", "--revision", "only"]
NO_SPARE = "spare_is_wrong does not apply under this configuration: it needs spares > 0"


@pytest.mark.parametrize("command", ["check", "prove", "walk", "play", "graph", "sweep"])
def test_a_claim_about_members_of_which_there_are_none_does_not_apply(here, command):
    more = ["--vary", "top=1,2"] if command == "sweep" else []
    code, out, error = here(command, *OF_SPARES, *more, "--property", "spare_is_wrong", plugin=SPARE)
    assert (code, out) == (2, "") and NO_SPARE in error


def test_with_a_member_it_is_checked_and_without_it_is_left_out(here, tmp_path):
    how = ["check", *OF_SPARES, "--quiet"]
    assert here(*how, "--property", "spare_is_wrong", "--spares", "1", plugin=SPARE)[0] == 12
    code, out, _ = here(*how, "--verbose", "--json", "c.json", plugin=SPARE)
    assert code == 0 and "not applicable here: spare_is_wrong (spares > 0), spare_is_there (spares > 0)" in out
    verdicts = {claim["name"]: claim["verdict"] for claim in json.loads((tmp_path / "c.json").read_text())["properties"]}
    absent = {"spare_is_wrong": "not applicable", "spare_is_there": "not applicable", "fine": "holds"}
    assert absent.items() <= verdicts.items()
