"""A small state graph for Graphviz: boxes that can be read, a limit, and what is violated."""

import pytest
from highwater.explorer.plain.graph import as_text, state_graph
from highwater.model.language.errors import UsageError
from highwater.properties.property import quantified
from support.elsewhere import output_of, refused
from support.toys import JUG_PROPERTIES, JUGS

TINY = ["--model", "published", "--revision", "kip-320", "--brokers", "2", "--max-epoch", "0", "--log-size", "1"]


def test_boxes_have_their_facts_and_arrows_their_actions():
    seen = []
    claims = quantified(JUG_PROPERTIES, JUGS.domains)
    graph = state_graph(JUGS, JUGS.config(), claims, labels=True, progress=seen.append)
    labels = [label for _, label in graph.nodes(data="label")]
    assert labels[0] == "0\ninitial" and any("\nin_small 3" in label for label in labels) and len(graph) == 16
    violated = [label for label in labels if "\nviolates not_four_gallons" in label]
    assert len(violated) == sum("not_four_gallons" in broken for _, broken in graph.nodes(data="broken")) == 2
    text = as_text(graph, "dot")
    assert text.count("->") == graph.number_of_edges() and "fill_small" in text and "in_small 3" in text
    assert seen[-1].startswith("16 of at most 20,000 states")


def test_a_picture_has_another_limit_and_is_drawn_by_graphviz(tmp_path, monkeypatch, capsys):
    path = tmp_path / "graph.svg"
    dot = tmp_path / "dot"
    dot.write_text("#!/bin/sh\necho \"<svg>$1 $(grep -c -e '->')</svg>\"\n")
    dot.chmod(0o755)
    command = ["graph", *TINY, "--max-records", "1", "--format", "svg", "--output"]
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    steps = output_of(capsys, 0, [*command, str(path)]).err.partition(" steps")[0].rpartition(" ")[2]
    assert path.read_text() == f"<svg>-Tsvg {steps}</svg>\n"
    dot.write_text("#!/bin/sh\necho no >&2; exit 1\n")
    assert "Graphviz cannot draw the graph: no" in refused(capsys, *command, str(path))
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "--format svg needs Graphviz" in refused(capsys, *command, str(path))
    assert "more than 300 states" in refused(capsys, "graph", *TINY[:-4], "--format", "svg")
    with pytest.raises(UsageError, match="more than 5 states"):
        state_graph(JUGS, JUGS.config(), most_states=5)
