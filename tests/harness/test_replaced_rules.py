"""A plugin's function in the place of a model's: what the model calls can be wrapped, and none forgets what was committed."""

import importlib
import re
from pathlib import Path

import pytest
from highwater.explorer.compiling.generate import checked_program, specialised
from highwater.model.language import Revision, switch
from highwater.model.language.errors import UsageError
from highwater.model.language.reading.constant_indices import validate_constant_indices
from highwater.model.language.reading.normal_form_reads import validate_normal_form_reads
from highwater.model.language.reading.program import program
from highwater.model.language.reading.values import returns_value
from highwater.model.language.steps import Rule, parameters_of
from highwater.properties.extended import extended
from highwater.properties.plugins import MODELS

REVISIONS = {"kraft": "4.4", "kafka": "kip-320"}
REFUSED = "cannot be replaced: (it is not given the state|the normal form calls it|the property .* calls it)"


def whole_of(name):
    """All functions of a model."""
    return program([action.function for action in MODELS[name].actions], settings=MODELS[name].config)


def wrappers(folder, name, whole, wanted):
    """For each wanted function a file with one that only calls it: by the names under which they are replaced."""
    found = {}
    for one in wanted:
        function = whole.originals[one]
        returns = "" if returns_value(whole.functions[one]) is False else "return "
        parameters = ", ".join(["s", *parameters_of(function)])
        text = f'def wrapped({parameters}):\n    """Calls it."""\n    {returns}{function.__name__}({parameters})\n'
        module = f"wrapper_{name}_{one}"
        (folder / f"{module}.py").write_text(f"from {function.__module__} import {function.__name__}\n\n\n{text}")
        key = f"{Path(whole.files[one]).stem}.{function.__name__}"
        found[key] = importlib.import_module(module).wrapped
    return found


def replaced(name, versions, **how):
    """The model with a revision in which these functions stand for its own."""
    own = Revision("own", "with a rule of its own", {"own": 1}, like=REVISIONS[name])
    return extended(MODELS[name], switches={"own": switch("on")}, replaces={"own": versions}, revisions=[own], **how)


def refuse_before_it_runs(model):
    """What an engine refuses of a plugin before it runs anything."""
    config, functions = model.configure("own"), (model.normal_form,)
    whole = checked_program(model, functions)
    called = [*(action.function for action in model.actions), *functions]
    validate_constant_indices(specialised(model, config, functions), config, map(whole.name_of, called))
    validate_normal_form_reads(model, config, called)


@pytest.mark.parametrize("name", REVISIONS)
def test_a_wrapper_runs_where_the_function_ran(name, tmp_path, monkeypatch):
    """`serve` was refused for an index of a function that is not called, `obey_image` for a rule that returns nothing."""
    monkeypatch.syspath_prepend(tmp_path)
    wanted = ["serve", "delay_response", "clear_response"] + ["take_image", "apply_metadata"] * (name == "kraft")
    refuse_before_it_runs(replaced(name, wrappers(tmp_path, name, whole_of(name), wanted)))


@pytest.mark.long
@pytest.mark.parametrize("name", REVISIONS)
def test_every_function_can_be_wrapped_or_says_why_not(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    whole = whole_of(name)
    for original, function in whole.originals.items():
        if isinstance(function, Rule) or hasattr(function, "tree"):
            continue
        try:
            refuse_before_it_runs(replaced(name, wrappers(tmp_path, name, whole, [original])))
        except UsageError as error:
            assert re.search(REFUSED, str(error)), (original, error)


FORGETFUL = """
def rises(s, partition, leader):
    '''To the greatest end that a follower is known to have.'''
    me = s.replica[partition][leader]
    for follower in range(s.config.members):
        if follower != leader:
            me.hw = max(me.hw, me.fetched_to[follower])


def stays(s, partition, leader):
    '''Nothing is ever committed.'''


def answers(s, partition, leader):
    '''Returns what nobody asked for.'''
    return 1
"""


def test_what_is_committed_is_not_forgotten(tmp_path, monkeypatch):
    """A rule that moved the high watermark, and did not say so to the history, made `no_committed_data_loss` hold."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "forgetful.py").write_text(FORGETFUL)
    mine = importlib.import_module("forgetful")
    with pytest.raises(UsageError) as refused:
        replaced("kraft", {"advance_high_watermark": mine.rises})
    assert "forgetful.py:7: rises writes hw, and does not call remember_assured and remember_commit" in str(refused.value)
    replaced("kraft", {"advance_high_watermark": mine.rises}, forgets=["remember_commit", "remember_assured"])
    replaced("kraft", {"advance_high_watermark": mine.stays})
    with pytest.raises(UsageError, match="returns no value; answers returns one"):
        replaced("kraft", {"advance_high_watermark": mine.answers})


def test_a_part_of_the_state_that_is_given_is_followed(tmp_path, monkeypatch):
    """The normal form forgets the versions of a record that is handed over, too."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "reads_part.py").write_text('def stray(s, me):\n    """Reads."""\n    return me.zk_version > 1\n')
    with pytest.raises(UsageError, match="stray reads replica"):
        refuse_before_it_runs(replaced("kafka", {"is_stray": importlib.import_module("reads_part").stray}))
