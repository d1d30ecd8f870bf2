"""`highwater source`: the model of one release, and what a release changed."""

import json

from highwater.explorer.command_line import main
from support.elsewhere import output_of, refused


def test_an_action_of_a_release_by_its_number_and_by_kafkas_name(capsys):
    text = output_of(capsys, 0, ["source", "--revision", "2.1.1", "expand_isr"]).out
    assert text.startswith("# model/broker/isr.py\n\n\ndef expand_isr(s") and "s.config" not in text
    assert main(["source", "--revision", "kip-320-2.1.1", "Partition.maybeExpandIsr"]) == 0
    both = capsys.readouterr().out  # also the leader's part of a counted fetch, which is the same method of Kafka's
    assert both.startswith(text) and "\n\ndef admit_by_fetch(s" in both and "s.config" not in both


def test_a_difference_is_a_patch(capsys):
    lines = output_of(capsys, 0, ["source", "--revision", "2.0.1", "--against", "2.0.0", "has_caught_up"]).out.splitlines()
    assert lines[:2] == ["--- kip-279/model/broker/isr.py", "+++ kip-279-2.0.1/model/broker/isr.py"]
    assert lines[2].startswith("@@ ") and " @@ def has_caught_up(s" in lines[2] and "+    if end < me.term_start:" in lines
    assert main(["source", "--revision", "2.0.1", "--against", "2.0.0", "become_leader"]) == 0
    assert capsys.readouterr().out.strip() == "# become_leader has the same text under kip-279 and kip-279-2.0.1"


def test_settings_of_the_command_line_are_decided(capsys):
    assert main(["source", "--revision", "kip-320", "--fetch", "in-flight", "--log-size", "3", "send_fetch", "append"]) == 0
    assert "def send_fetch" in capsys.readouterr().out
    entries = json.loads(output_of(capsys, 0, ["source", "--revision", "kip-320", "--as-checked", "--json", "-"]).out)
    assert "crash" not in {entry["name"] for entry in entries} and not [e for e in entries if "s.config" in e["text"]]


def test_a_variable_with_one_value_is_not_printed(capsys):
    """`moved = 0`, and then `if moved and ...`."""
    text = output_of(capsys, 0, ["source", "--revision", "4.4", "serve"]).out
    assert "me.moved = 0" in text and "if moved" not in text and "those of its earlier term count" in text


def test_other_models_too(capsys):
    assert main(["source", "--model", "published", "--revision", "kip-320", "--against", "kip-320-unfenced"]) == 0
    assert capsys.readouterr().out.startswith("--- kip-320-unfenced/model/published/")


def test_what_does_not_run_is_refused(capsys):
    assert "never happens under kip-320 " in refused(capsys, "source", "--revision", "kip-320", "send_fetch")
    assert "did you mean expand_isr?" in refused(capsys, "source", "--revision", "kip-320", "expand_irs")
    assert "--revision is missing" in refused(capsys, "source")
