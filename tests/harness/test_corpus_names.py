"""A failure of the corpus says in its name of which settings it is."""

from highwater.explorer.stateful.corpus import Corpus
from highwater.properties.registry import MODELS
from highwater.traces.families.scenarios import path_of
from highwater.traces.text import read_file


def test_the_name_has_revision_settings_and_property(tmp_path):
    trace = read_file(path_of("s5_zombie_leader"))
    corpus = Corpus(tmp_path)
    path = corpus.add(trace, MODELS[trace.model])
    assert path.exists() and corpus.add(trace, MODELS[trace.model]) == path
    assert path.name.startswith(f"kafka-{trace.revision}-") and trace.property in path.name
    assert all(f"{name.replace('_', '')}{value}" in path.name for name, value in trace.settings.items())
