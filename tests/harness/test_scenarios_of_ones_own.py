"""Scenarios of a model of one's own: its plugin lies beside the file, and progress is checked too."""

import sys
import textwrap

import pytest
from highwater.explorer.harness.scenarios import read_scenarios, run
from highwater.model.language import UsageError
from highwater.properties.plugins import look_in, models_with

PLUGIN = """
from highwater.properties.extended import extended
from support.toys_of_progress import SIGNAL_PROPERTIES, WEAK_SIGNAL

def register(models):
    return [extended(WEAK_SIGNAL, properties=SIGNAL_PROPERTIES)]
"""
SCENARIO = """
    [[scenario]]
    model = "signal"
    revision = "only"
    plugins = ["{name}"]
    properties = ["train_can_pass", "train_passes"]
    [scenario.settings]
    stuck = 1
"""


def scenario_in(folder, name, plugin=PLUGIN):
    """The scenario of a file in a folder in which no command runs; its plugin lies beside it."""
    folder.mkdir(parents=True)
    (folder / f"{name}.py").write_text(plugin)
    (folder / "highwater.toml").write_text(textwrap.dedent(SCENARIO).format(name=name))
    return read_scenarios(folder / "highwater.toml")[0]


def test_a_plugin_lies_beside_its_file_and_progress_is_checked(tmp_path):
    scenario = scenario_in(tmp_path / "far" / "away", "plugin_beside")
    assert [claim.name for claim in scenario.claims()] == ["train_can_pass", "train_passes"]
    found = run(scenario)
    assert {name: result.verdict for name, result in found.items()} == {"train_can_pass": "violated", "train_passes": "violated"}
    assert found["train_passes"].trace.cycle is not None


def test_engines_that_cannot_decide_progress_say_so(tmp_path):
    found = run(scenario_in(tmp_path / "there", "plugin_that_walks"), "walk")
    assert {result.verdict for result in found.values()} == {"not applicable"}
    assert found["train_passes"].detail == "only the engines local and spark decide properties of progress"


COUNTING = """
from highwater.properties.extended import extended
from highwater.properties.property import sometimes
from support.toys import COUNTERS, counts_down

def register(models):
    return [extended(COUNTERS, properties=[sometimes(counts_down, "only")])]
"""
WALKS = """
    [[scenario]]
    model = "counters"
    revision = "only"
    plugins = ["{name}"]
    engine = "walk"
    properties = ["counts_down"]
    bounds = {{ seconds = 1 }}
    {more}
"""


@pytest.mark.parametrize(("more", "verdict"), [("", "never witnessed"), ("allow_incomplete = true", "incomplete")])
def test_what_walks_do_not_meet_is_not_witnessed(tmp_path, more, verdict):
    name = f"plugin_that_counts_{len(more)}"
    (tmp_path / f"{name}.py").write_text(COUNTING)
    (tmp_path / "highwater.toml").write_text(textwrap.dedent(WALKS.format(name=name, more=more)))
    (result,) = run(read_scenarios(tmp_path / "highwater.toml")[0]).values()
    assert result.verdict == verdict


def test_two_plugins_of_one_name_are_not_taken_for_each_other(tmp_path):
    assert scenario_in(tmp_path / "one", "plugin_of_two").claims()
    with pytest.raises(UsageError, match=r"the plugin plugin_of_two in .*two is not .*one.*, which has its name"):
        scenario_in(tmp_path / "two", "plugin_of_two").claims()


def test_a_plugin_does_not_get_the_helper_of_another_folders_plugin(tmp_path, monkeypatch):
    """Python loads one `limits_of_two` only: the second plugin would be checked with the first one's."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    for number, folder in enumerate(("one", "two")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "limits_of_two.py").write_text(f"TOP = {number}")
        name = f"plugin_with_help_{folder}"
        (tmp_path / folder / f"{name}.py").write_text("from limits_of_two import TOP\n\n\ndef register(models):\n    return []\n")
        look_in(tmp_path / folder, [name])
        if number == 0:
            assert models_with((name,))
            continue
        with pytest.raises(UsageError, match=r"imports limits_of_two, which is .*one.limits_of_two.py here, and not .*two"):
            models_with((name,))
