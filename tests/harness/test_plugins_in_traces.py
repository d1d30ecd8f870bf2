"""A trace remembers the plugins with which it was recorded: in its file, its name, and what is said when one is missing."""

import sys
from dataclasses import replace

import pytest
from highwater.explorer.trace_files import changed_plugins, model_of, trace_path
from highwater.model.language.errors import UsageError
from highwater.properties.registry import MODELS, Models
from highwater.traces.text import read, write
from highwater.traces.trace import digest_of, record
from support.elsewhere import output_of
from support.toys import COUNTERS


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / "my_rules.py").write_text("def register(models):\n    return []\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    __import__("my_rules")
    yield replace(COUNTERS, plugins=("my_rules",))
    sys.modules.pop("my_rules")


def recorded(model):
    revision = next(iter(model.revisions))
    return record(model, revision, model.defaults(revision), 0, ())


def test_file_and_name_have_the_plugin_and_a_digest_of_its_text(model, tmp_path):
    trace = recorded(model)
    assert trace.plugins == (f"my_rules@{digest_of('my_rules')}",)
    assert f"plugins: my_rules@{digest_of('my_rules')}" in write(trace) and read(write(trace)).plugins == trace.plugins
    assert "my_rules" in trace_path("folder", trace, write(trace))
    assert trace_path("f", trace, "") != trace_path("f", replace(trace, plugins=("another@0",)), "")
    assert changed_plugins(trace) == []
    (tmp_path / "my_rules.py").write_text("def register(models):\n    return list(models)\n")
    assert changed_plugins(trace) == ["my_rules"]


def test_without_its_plugin_a_trace_is_refused_with_the_flag_that_is_missing(model, tmp_path, capsys):
    trace = recorded(model)
    assert model_of(Models({model.name: model}), trace, "x.trace") is model
    with pytest.raises(UsageError, match=r"x\.trace was recorded with the plugin my_rules: add --plugin my_rules"):
        model_of(MODELS, trace, "x.trace")
    (tmp_path / "x.trace").write_text(write(trace))
    for command in ("replay", "show", "step"):
        assert "add --plugin my_rules" in output_of(capsys, 2, [command, "x.trace"]).err


def test_a_trace_without_plugins_is_written_as_before():
    assert "plugins:" not in write(recorded(COUNTERS))
