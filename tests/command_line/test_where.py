"""From a sentence of a document to the lines of the model, and lists by a word."""

import json
import re
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from support.elsewhere import output_of

ROOT = Path(__file__).parents[2]

SENTENCES = {
    "truncate the log to r.hw": "model/truncation/to_high_watermark.py",
    "delete the topic's path": "model/controller/topic_deletion.py",
    "becomes follower": "model/broker/become_follower.py",
    "a follower asks the leader where the epoch of its last record ends": "model/truncation/",
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_leads_to_the_lines_that_say_it(sentence, capsys):
    places = [entry["place"] for entry in json.loads(output_of(capsys, 0, ["where", sentence, "--json", "-"]).out)]
    assert any(place.startswith(SENTENCES[sentence]) for place in places), places
    for place in places:
        if found := re.fullmatch(r"(model/\S+\.py):(\d+)", place):
            assert (ROOT / found[1]).read_text().splitlines()[int(found[2]) - 1].startswith(("def ", "@"))


def test_a_section_is_found_where_a_docstring_names_it(capsys):
    assert main(["where", "V3", "A.3.2", "--json", "-"]) == 0
    assert any("model/controller/" in entry["place"] for entry in json.loads(capsys.readouterr().out))


def test_a_section_lists_what_cites_it_and_a_property_has_lines(capsys):
    names = {entry["name"] for entry in json.loads(output_of(capsys, 0, ["where", "V3 G", "--json", "-"]).out)}
    assert {"fetch", "expand_isr", "shrink_isr"} <= names and "elect_leader" not in names
    assert main(["where", "no_committed_data_loss", "--json", "-"]) == 0
    places = {entry["name"]: entry["place"] for entry in json.loads(capsys.readouterr().out)}
    assert re.fullmatch(r"property, properties/committed_records\.py:\d+", places["no_committed_data_loss"])
    assert output_of(capsys, 2, ["source", "--revision", "kip-101", "xyzzy"]).err.endswith("; see highwater list actions\n")


def test_words_of_nothing_are_refused(capsys):
    assert main(["where", "zzzzqqq"]) == 2 and "has a word of 'zzzzqqq'" in capsys.readouterr().err
    assert main(["where", "commit", "--model", "strategies"]) == 0


def test_a_list_by_a_name_or_a_word(capsys):
    def listed(*words):
        return [entry["name"].split()[0] for entry in json.loads(output_of(capsys, 0, ["list", *words, "--json", "-"]).out)]

    assert listed("actions", "fetch") == ["fetch"]
    assert {"become_leader", "elect_leader"} <= set(listed("actions", "leader"))
    assert listed("settings", "truncation") == ["truncation"]
    assert main(["list", "actions", "frobnicate"]) == 2 and "has the word 'frobnicate'" in capsys.readouterr().err


def test_every_truncation_rule_is_listed(capsys):
    places = " ".join(entry["where"] for entry in json.loads(output_of(capsys, 0, ["list", "actions", "--json", "-"]).out))
    rules = [file.stem for file in (ROOT / "model" / "truncation").glob("*.py") if re.match(r"(by|on|in)_", file.stem)]
    assert len(rules) > 5 and [rule for rule in rules if f"truncation/{rule}.py" not in places] in ([], ["in_mixed_cluster"])


def test_an_issue_is_found_by_its_number_or_not_at_all(capsys):
    """Another number is another bug: nothing is guessed."""
    found = output_of(capsys, 0, ["where", "KAFKA-7128"]).out
    assert "new_leader_admits_follower  scenario; highwater show KAFKA-7128" in found
    assert "term-start-admission  repair, 2.0.1" in found and "KAFKA-71" not in found.replace("KAFKA-7128", "")
    assert output_of(capsys, 0, ["where", "KAFKA-12751"]).out.startswith("KAFKA-12751  not in the model, 2.7.0 to 2.7.1")
    assert main(["where", "KAFKA-9"]) == 2, "the beginning of a number is none"
    assert main(["where", "KAFKA-99999"]) == 2 and main(["show", "KAFKA-12751"]) == 2
    assert "highwater where KAFKA-12751 says what the model has of it" in capsys.readouterr().err


IN_KAFKA = {
    "Partition.makeLeader": "serve",
    "Partition.maybeIncrementLeaderHW": "advance_high_watermark",
    "maybeIncrementLeaderHW": "advance_high_watermark",
    "isNewLeader": "serve",
    "Replica.resetReplicaState": "forget_ends",
    "ReplicaManager.applyDelta": "apply_metadata",
    "ReplicationControlManager.handleBrokerFenced": "fence",
}


def test_a_method_of_kafka_leads_to_the_function_that_stands_for_it(capsys):
    """The body comes before the actions that call it."""
    for name, function in [*IN_KAFKA.items(), ("Partition.makeLeader --model kraft", "serve")]:
        assert json.loads(output_of(capsys, 0, ["where", *name.split(), "--json", "-"]).out)[0]["name"] == function, name


def test_what_only_the_model_of_kraft_has_is_found_without_its_name(capsys):
    assert output_of(capsys, 0, ["where", "KAFKA-15510"]).out.startswith("KAFKA-15510  not in the model, 3.5.1 to 3.6.2")
    assert "highwater where KAFKA-15510 says" in output_of(capsys, 2, ["show", "KAFKA-15510"]).err
    assert "def serve(" in output_of(capsys, 0, ["source", "--revision", "4.4", "makeLeader"]).out


def test_words_behind_flags_and_values_of_flags_that_take_none(capsys):
    assert "fences" in output_of(capsys, 0, ["list", "settings", "--model", "kraft", "fences"]).out
    assert main(["check", "--html", "page.html"]) == 2
    assert "--html takes no value, such as page.html: draw each counterexample as a page beside" in capsys.readouterr().err
    assert main(["check", "--topic-ids", "1"]) == 2
    assert "--topic-ids takes no value, such as 1; see highwater check --help" in capsys.readouterr().err
    assert "a branch is no release; take 4.4.0, the newest that was read, or" in output_of(capsys, 2, ["releases", "trunk"]).err
