"""A small state graph as a picture: boxes that can be read, a limit, and what is violated."""

import xml.etree.ElementTree as ElementTree

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.plain.graph import as_text, state_graph
from highwater.model.language.errors import UsageError
from highwater.properties.property import quantified
from support.toys import JUG_PROPERTIES, JUGS

TINY = ["--model", "published", "--revision", "kip-320", "--brokers", "2", "--max-epoch", "0", "--log-size", "1"]


def texts(root):
    return ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}text")]


def test_boxes_have_their_facts_and_arrows_their_actions():
    seen = []
    claims = quantified(JUG_PROPERTIES, JUGS.domains)
    graph = state_graph(JUGS, JUGS.config(), claims, labels=True, progress=seen.append)
    root = ElementTree.fromstring(as_text(graph, "svg"))
    said = texts(root)
    assert len([node for node in root.iter() if node.get("class", "").startswith("box")]) == len(graph) == 16
    assert "0 initial" in said and "in_small 3" in said and any("fill_small" in text for text in said)
    violated = [node for node in root.iter() if node.get("class") == "box bad"]
    assert len(violated) == sum("not_four_gallons" in broken for _, broken in graph.nodes(data="broken")) == 2
    assert seen[-1].startswith("16 of at most 20,000 states")


def test_a_picture_has_a_limit_of_its_own(tmp_path, capsys):
    path = tmp_path / "graph.svg"
    assert main(["graph", *TINY, "--max-records", "1", "--format", "svg", "--output", str(path)]) == 0
    assert "replica 0 log |0a" in texts(ElementTree.parse(path).getroot())
    assert main(["graph", *TINY[:-4], "--format", "svg", "--output", str(tmp_path / "none.svg")]) == 2
    assert "more than 300 states" in capsys.readouterr().err and not (tmp_path / "none.svg").exists()
    with pytest.raises(UsageError, match="more than 5 states"):
        state_graph(JUGS, JUGS.config(), most_states=5)
