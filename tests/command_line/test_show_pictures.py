"""`show` writes pages, pictures, diagrams and ITF; nothing is half written."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from support.elsewhere import output_of, refused

S1, S3 = "KAFKA-6361", "s3_truncation_loses_data"


def test_all_forms_at_once(capsys):
    files = ["--html", "o.html", "--svg", "o.svg", "--mermaid", "o.mmd", "--itf", "o.itf.json"]
    assert output_of(capsys, 0, ["show", S1, *files, "--against", "KIP-279"]).out == ""
    text = Path("o.html").read_text()
    assert text.startswith("<!DOCTYPE html>") and "kip-101 beside kafka kip-279" in text
    ElementTree.parse("o.svg")
    assert Path("o.mmd").read_text().startswith("sequenceDiagram")
    document = json.loads(Path("o.itf.json").read_text())
    assert document["states"][17]["#meta"]["enabled"] and document["#meta"]["violations"][0]["step"] == 17


def test_a_picture_to_standard_output(capsys):
    assert output_of(capsys, 0, ["show", S3, "--mermaid", "-"]).out.startswith("sequenceDiagram")


def test_the_picture_in_the_terminal_begins_with_why(capsys):
    out = output_of(capsys, 0, ["show", S3, "--against", "kip-101"]).out
    assert out.startswith("no_committed_data_loss is false: leader 1 (epoch 1) has nothing at offset 1")
    says = "compared: under kip-101 the initial state differs: broker 0 epochs none; step 9, start_broker, ends differently"
    assert says in out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--html", "-", "--svg", "-"], "only one of --html, --svg, --mermaid and --itf"),
        (["--html", "/dev/null/o.html"], "/dev/null/o.html"),
        (["--svg", "o.svg", "--against", "kip-279"], "--against needs --html"),
        (["--html", "o.html", "--against", "kip-1"], "has no revision 'kip-1'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(flags, said, capsys):
    assert said in refused(capsys, "show", S1, *flags) and not list(Path().iterdir())


def test_a_trace_that_does_not_fit_is_drawn_as_far_as_it_runs(capsys):
    assert main(["show", S1, "--itf", "whole.json"]) == 0
    from highwater.traces.families.scenarios import path_of

    text = Path(path_of(S1)).read_text().replace("\n5 elect_preferred_replica", "\n5 drop_preferred_election")
    Path("broken.trace").write_text(text)
    assert main(["show", "broken.trace", "--html", "o.html", "--svg", "o.svg", "--mermaid", "o.mmd"]) == 17
    assert "does not fit the model" in capsys.readouterr().err
    assert "drop_preferred_election" in Path("o.html").read_text() and "drop_preferred_election" in Path("o.mmd").read_text()
