"""The worked example of docs/adding-a-revision.md, as it stands there: its plugin, its commands, its scenarios."""

import re
import shlex

import pytest
from support.elsewhere import highwater, in_turn, python
from support.pages import Example, run

PAGE = Example("adding-a-revision.md")
VIOLATED = {"weak_isr", "strong_isr", "isr_reaches_high_watermark", "keeps_below_high_watermark"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return PAGE.folder(tmp_path_factory, "from_scratch", "nearly", "after_gap")


@pytest.fixture(scope="module")
def ran(folder):
    """What the page's commands have said, after each other, and those that ask about what they have left."""
    left = [
        ["replay", "--plugin", "nearly", "highwater-traces/kafka-nearly-nearly-brokers2-sessionexpiries0-strong_isr.trace"],
        ["source", "--plugin", "nearly", "--revision", "nearly", "has_caught_up"],
    ]
    return in_turn(folder, [*(shlex.split(command) for command, _ in PAGE.commands[:5]), *left], HIGHWATER_COMPILE="no")


def test_a_patch_of_kafka_under_kraft_is_compared_in_a_known_scenario(ran):
    (code, out), (_, line) = ran[4], PAGE.commands[4]
    known, *_, compared = re.search(r"--against branch\n(.*?)^```", PAGE.text, re.M | re.S)[1].splitlines()
    assert code == 12 and known == line and line in out.splitlines() and compared in out.splitlines(), out


@pytest.mark.long
@pytest.mark.parametrize("number", [5, 6], ids=["default-sizes", "counted-late"])
def test_a_patch_of_kafka_under_kraft_is_explored(folder, number):
    command, line = PAGE.commands[number]
    code, out, error = highwater(folder, *shlex.split(command))
    assert line in out and code == (12 if line.startswith("violated") else 0), out + error


@pytest.mark.parametrize("number", range(4), ids=["from-scratch", "kip-320", "nearly", "nearly-off"])
def test_the_commands_say_what_the_page_says(ran, number):
    (code, out), (_, line) = ran[number], PAGE.commands[number]
    assert line in out, out
    assert code == (12 if line.startswith("violated") else 0)
    violated = set(re.findall(r"^(\w+) +\w+ +violated", out, re.M))
    wanted = VIOLATED if number < 2 else {"strong_isr"}
    assert violated == (wanted if line.startswith("violated") else set())


def test_another_rule_is_in_the_trace_and_in_the_source_that_is_shown(folder, ran):
    (trace,) = (folder / "highwater-traces").glob("kafka-nearly-nearly-*strong_isr.trace")
    code, out = ran[5]
    assert code == 12 and re.search(r"^plugins: nearly@\w+$", trace.read_text(), re.M), out
    code, out = ran[6]
    assert code == 0 and "nearly.py" in out and "lacks at most one record" in out, out
    assert out.count("def has_caught_up(") == 1 and "return original_has_caught_up(s, " in out, out


def test_the_trace_of_a_plugin_is_replayed(folder, ran):
    (trace,) = (folder / "highwater-traces").glob("kafka-from_scratch-from-scratch-*keeps_below_high_watermark.trace")
    code, out = run(folder, "replay", "--plugin", "from_scratch", str(trace))
    assert code == 12 and "keeps_below_high_watermark" in out, out


def test_its_scenarios_are_items_that_pass(folder):
    code, out = run(folder, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "highwater.toml", program=python)
    assert code == 0 and "3 passed" in out, out


def test_an_entry_point_makes_it_known_everywhere(folder):
    metadata = folder / "from_scratch-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: from-scratch\nVersion: 1.0\n")
    shown = re.search(r"^    (\[project.*)\n    (.*)$", PAGE.text, re.M).expand(r"\1\n\2")
    (metadata / "entry_points.txt").write_text(shown.replace(
        '[project.entry-points."highwater.plugins"]', "[highwater.plugins]").replace('"', ""))  # fmt: skip
    code, out = run(folder, "list", "revisions")
    assert code == 0 and "from-scratch" in out, out


def test_a_plugin_that_does_not_fit_is_an_error_of_one_sentence(folder):
    (folder / "twice.py").write_text("from from_scratch import register\n")
    (folder / "empty.py").write_text('"""No register."""\n')
    for flags, message in (
        (["--plugin", "from_scratch", "--plugin", "twice"], "there is a value 'from-scratch' of truncation already"),
        (["--plugin", "empty"], "has no function register(models)"),
        (["--plugin", "not_there"], "cannot be imported"),
    ):
        code, out = run(folder, "check", *flags, "--revision", "kip-320")
        assert code == 2 and message in out and "Traceback" not in out, out
