"""Scenarios as pytest items, in a pytest run of their own."""

import re
import textwrap
import xml.etree.ElementTree as ElementTree

import pytest
from highwater.explorer.harness.collected import speaks_of_highwater
from highwater.explorer.harness.scenarios import read_scenarios
from support.elsewhere import highwater
from support.scenarios import TWO, pytest_beside, pytest_in


@pytest.mark.parametrize("name", ["highwater.toml", "other.toml"])
def test_pytest_collects_no_garbage_as_it_ends_where_there_are_scenarios(tmp_path, name):
    """Others are left alone."""
    (tmp_path / "conftest.py").write_text("import atexit, gc\natexit.register(lambda: print(gc.get_freeze_count() > 10_000))\n")
    _, out = pytest_beside(tmp_path, TWO, "--collect-only", name=name)
    assert out.splitlines()[-1] == str(name == "highwater.toml"), out


def test_each_scenario_and_property_is_an_item_with_a_readable_id(tmp_path):
    code, out = pytest_in(tmp_path, TWO, f"--junitxml={tmp_path / 'out.xml'}")
    assert code == 0, out
    for item in ("published two::weak_isr", "published two::strong_isr", "before truncation::weak_isr"):
        assert f"PASSED highwater.toml::{item}" in out
    cases = list(ElementTree.parse(tmp_path / "out.xml").iter("testcase"))
    assert {c.get("name") for c in cases} == {"weak_isr", "strong_isr", "hw_within_log"} and len(cases) == 4


def test_items_are_chosen_and_distributed_like_others(tmp_path):
    code, out = pytest_beside(tmp_path, TWO, "-k", "before and weak_isr", "-n", "2")
    assert code == 0 and "1 passed" in out, out


def test_a_violation_shows_its_trace_and_writes_it(tmp_path):
    code, out = pytest_in(tmp_path, TWO.replace('expect = { weak_isr = "violated" }', ""))
    assert code == 1 and "FAILED highwater.toml::before truncation::weak_isr" in out
    assert "was expected to hold, and is violated" in out and "highwater trace 1" in out and "Traceback" not in out
    assert out.index("weak_isr is false: leader 1 (epoch 0) has a of epoch 0 at offset 0") < out.index("was expected to hold")
    trace = tmp_path / "highwater-traces" / "before-truncation-weak_isr.trace"
    assert f"counterexample: {trace}" in out
    page = trace.with_suffix(".html")
    assert f"as a page: {page}" in out and page.read_text().startswith("<!DOCTYPE html>")
    code, _, error = highwater(tmp_path, "replay", trace)
    assert code == 12, error


def test_sizes_are_those_of_check(tmp_path, monkeypatch):
    """Code for all configurations has no room for so many epochs; it is found elsewhere."""
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "no")
    sizes = "brokers = 1\n    max_epoch = 5\n    log_size = 1\n    max_records = 1"
    for model, name in (("published", "strong_isr"), ("kafka", "strong_isr")):
        settings = sizes if model == "published" else f"{sizes}\n    session_expiries = 0\n    preferred_elections = 0"
        text = TWO.split("[[scenario]]")[1].replace("published", model).replace("brokers = 2", settings)
        code, out = pytest_beside(tmp_path, "[[scenario]]" + textwrap.dedent(text), "-k", name)
        assert code == 0 and "1 passed" in out, out


def test_another_file_of_scenarios_is_read_when_it_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out = pytest_in(tmp_path, TWO, "protocol.toml", "--collect-only", "-q", name="protocol.toml")
    assert code == 0 and "protocol.toml::published two::weak_isr" in out, out
    assert pytest_in(tmp_path, TWO, "--collect-only", name="protocol.toml")[0] == 5


COUNTED = """
    [[scenario]]
    name = "c"
    model = "published"
    revision = "high-watermark"
    properties = ["weak_isr"]
    expect = "violated"
    settings = {{ brokers = {} }}
    expect_counts = {{ states = {}, depth = {}, enabled = {}, steps = {{ weak_isr = {} }} }}
"""


def test_counts_are_compared_and_actions_that_are_never_enabled_are_named(tmp_path):
    """A rule that is stricter than it was hides in a verdict that holds."""
    code, out = pytest_in(tmp_path, COUNTED.format(2, 1, 1, '"all"', 7))
    assert code == 1 and "FAILED highwater.toml::c::counts" in out
    states, depth = re.search(r": 1 states expected, ([\d,]+) found; depth 1 expected, (\d+) found; weak_isr: ", out).groups()
    assert "a violation after 7 steps expected, 8 found" in out
    as_now = states.replace(",", ""), depth, '["leader_write"]', 8
    code, out = pytest_in(tmp_path, COUNTED.format(2, *as_now))
    assert code == 0, out
    code, out = pytest_in(tmp_path, COUNTED.format(1, *as_now))
    assert code == 1 and "actions never enabled now: " in out
    assert pytest_in(tmp_path, COUNTED.format(2, *as_now[:2], '["fly"]', 8))[0] == 1


def test_scenarios_may_stand_in_pyproject(tmp_path):
    code, out = pytest_in(tmp_path, TWO.replace("[[scenario", "[[tool.highwater.scenario").replace(
        "[scenario.", "[tool.highwater.scenario."), "-k", "strong_isr", name="pyproject.toml")  # fmt: skip
    assert code == 0 and "PASSED pyproject.toml::published two::strong_isr" in out, out


NO_TIME = TWO.replace("brokers = 2\n\n", "brokers = 2\n    [scenario.bounds]\n    seconds = 0.000001\n\n", 1)
THREE_STEPS = TWO.replace("brokers = 2\n\n", "brokers = 2\n    [scenario.bounds]\n    depth = 3\n\n")
OF_THE_SECOND = 'properties = ["weak_isr", "hw_within_log"]'
WALK = "--highwater-engine=walk", "-k", "published and strong_isr"


def with_key(text, line):
    """The first scenario says one thing more."""
    return text.replace('name = "published two"', f'name = "published two"\n    {line}')


ENDS = [
    # A violation that no longer happens, and what is named only as expected
    (1, "was expected to be violated, and is not", TWO.replace("high-watermark", "kip-320"), ("-k", "before and weak_isr")),
    (1, "PASSED highwater.toml::before truncation::weak_isr", TWO.replace(OF_THE_SECOND, ""),
     ("-k", "before and (weak_isr or strong_isr)")),
    (2, "expects something of weak_isr, which its properties do not name",
     TWO.replace(OF_THE_SECOND, 'properties = ["hw_within_log"]'), ()),
    # What is slow waits to be asked for
    (0, "slow; run it with --highwater-run", with_key(TWO, "slow = true"), ("-k", "strong_isr")),
    (0, "1 passed", with_key(TWO, "slow = true"), ("-k", "strong_isr", "--highwater-run")),
    # A run that ended early, or a walk of fewer tries, is no success unless allowed; Hypothesis takes no step without time
    (1, "is not decided: ", THREE_STEPS, ("-k", "strong_isr")),
    (0, "2 passed, 2 not decided", with_key(THREE_STEPS, "allow_incomplete = true"), ()),
    (1, "was hardly tried: 256 random walks were done in 1e-06 s, and not 1,000", NO_TIME, WALK),
    (0, "1 passed", with_key(NO_TIME, "at_least = 200"), WALK),
    (1, "before Hypothesis tried a step; allow more", NO_TIME, ("--highwater-engine=hypothesis", *WALK[1:])),
    *((4, f"invalid seconds value: '{seconds}'", TWO, (f"--highwater-time={seconds}", "--collect-only"))
      for seconds in ("0", "-1", "nan")),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said", "text", "flags"), ENDS, ids=[said for _, said, _, _ in ENDS])
def test_what_is_expected_asked_for_and_tried_decides_how_it_ends(tmp_path, code, said, text, flags):
    ended, out = pytest_in(tmp_path, text, *flags)
    assert ended == code and said in out, out


@pytest.mark.parametrize(("engine", "seconds"), [("walk", 2), ("hypothesis", 10)])
def test_another_engine_finds_what_is_expected(tmp_path, engine, seconds):
    for chosen, most in (("before and weak_isr", seconds), ("published and weak_isr", 1)):  # what holds takes all its time
        code, out = pytest_in(tmp_path, TWO, f"--highwater-engine={engine}", f"--highwater-time={most}", "-k", chosen)
        assert code == 0 and "1 passed" in out, out


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ('model = "published"\n    revision = "kip-320"', 'model = "published"', "revision is missing"),
        ('properties = ["weak_isr", "strong_isr"]', 'properties = ["weak_irs"]', "did you mean weak_isr?"),
        ('name = "published two"', 'name = "published two"\n    engin = "walk"', "did you mean engine?"),
        ('name = "published two"', 'name = "before truncation"', "two scenarios called"),
        ('revision = "kip-320"', 'revision = "kip-3200"', "no revision 'kip-3200'"),
        ('revision = "kip-320"', 'revision = "kip-320"\n    release = "3.9.1"', "revision and release exclude each other"),
        ("[[scenario]]", "[[scenario", "is not TOML"),
    ],
)
def test_a_wrong_file_is_an_error_of_one_sentence(tmp_path, wrong, right, message):
    if wrong.startswith("revision"):
        right += "\n    properties = []"
        text = TWO.replace('properties = ["weak_isr", "strong_isr"]', "").replace(wrong, right, 1)
    else:
        text = TWO.replace(wrong, right, 1)
    code, out = pytest_in(tmp_path, text)
    assert code == 2 and message in out and "Traceback" not in out, out


def test_a_scenario_is_about_a_release_with_its_own_repairs(tmp_path):
    """Also where its number is given as a revision: the row that describes its kind would be another design."""
    path = tmp_path / "highwater.toml"
    path.write_text('[[scenario]]\nmodel = "kafka"\nrelease = "3.9.1"\nsettings = { late_count = "taken" }\n')
    (scenario,) = read_scenarios(path)
    assert (scenario.name, scenario.revision()) == ("kafka 3.9.1", "kip-320-2.8")
    shown = scenario.configuration().shown()
    assert shown["earlier_refusal"] == "dropped" and shown["late_count"] == "taken"
    path.write_text('[[scenario]]\nmodel = "kafka"\nrevision = "3.9.1"\n')
    assert read_scenarios(path)[0].configuration().shown()["earlier_refusal"] == "dropped"


def test_where_there_is_no_file_the_plugin_does_nothing(tmp_path):
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    code, out = pytest_beside(tmp_path, "", name="other.toml")
    assert code == 0 and "1 passed" in out


@pytest.mark.parametrize(
    "content",
    [b"[broken\n# as in tool.highwater", b"x = 'tool.highwater'\n= 3", b"[tool.highwater-like]\nx = 1", b"\xff\xfe\x00[["],
)
def test_a_stranger_whose_file_cannot_be_read_is_not_disturbed(tmp_path, content):
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "pyproject.toml").write_bytes(content)
    code, out = pytest_in(tmp_path, "", "--import-mode=importlib", name="other.toml")  # modules of one name
    assert code == 0 and "1 passed" in out, out


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("[tool]\nhighwater.scenario = []", True),
        ("tool.highwater.scenario = []", True),
        ("[tool.'highwater']", True),
        ("tool = {highwater = {scenario = []}}", True),
        ("[[tool.highwater.scenario]]\nname = ", True),  # no TOML, and about to be told so
        ('[other]\nx = """\n[tool.highwater]\n"""', False),
        ("tool = 'highwater'", False),
        (f"highwater = {'9' * 5000}", False),  # more digits than Python reads
        (f"highwater = {'[' * 5000}", False),
    ],
)
def test_tables_of_ours_are_known_in_every_notation(tmp_path, text, ours):
    (tmp_path / "pyproject.toml").write_text(text)
    assert speaks_of_highwater(tmp_path / "pyproject.toml") == ours


ABSENT = """
    [[scenario]]
    name = "no consumer"
    model = "kafka"
    revision = "kip-320"
    properties = ["consumer_stays_in_range"]
    expect = "EXPECTED"
    [scenario.settings]
    brokers = 1
"""


@pytest.mark.parametrize("expected", ["holds", "violated"])
def test_a_property_that_means_nothing_under_the_settings_fails(tmp_path, expected):
    code, out = pytest_in(tmp_path, ABSENT.replace("EXPECTED", expected))
    assert code == 1 and "1 failed" in out
    assert "consumer_stays_in_range does not apply under this configuration: it needs consumers = 1" in out


def test_a_property_that_fails_while_it_runs_is_a_failure_of_one_sentence(tmp_path):
    (tmp_path / "fails.py").write_text(
        "from highwater.properties.extended import extended\nfrom highwater.properties.property import always\n"
        "def divides(s):\n    '''A claim.'''\n    return 1 // s.replica[0].leo < 2\n"
        "def register(models): return [extended(models['published'], properties=[always(divides, 'kip-320')])]\n"
    )
    text = TWO.replace('properties = ["weak_isr", "strong_isr"]', 'properties = ["divides"]\n    plugins = ["fails"]')
    code, out = pytest_in(tmp_path, text, "-k", "divides")
    assert code == 1 and "fails.py:5 in divides)" in out, out
    assert "the model itself failed: integer division or modulo by zero (" in out
    assert "Traceback" not in out and "site-packages" not in out


def test_a_failure_is_annotated_and_summarised_where_github_reads_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failing = TWO.replace('expect = { weak_isr = "violated" }', "")
    assert "::error" not in pytest_in(tmp_path, failing, "-k", "weak_isr and before")[1]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    code, out = pytest_in(tmp_path, failing, "-k", "weak_isr")
    (line,) = (one for one in out.splitlines() if one.startswith("::error"))
    assert code == 1 and line.startswith("::error file=highwater.toml,line=")
    assert "title=before truncation%3A weak_isr::weak_isr is false: leader 1" in line
    summary = (tmp_path / "summary.md").read_text()
    assert "### Highwater: 1 failed, 1 passed" in summary
    assert "| before truncation: weak_isr | weak_isr is false: leader" in summary
