"""What each command writes with `--json` is what `highwater schema` says, and has no field that it does not name."""

import json

import pytest
from highwater.explorer.command_line import COMMANDS, main
from highwater.explorer.command_line.perform import as_json, tally_as_json
from highwater.explorer.command_line.schema import schema_of
from highwater.explorer.output.documents import DOCUMENTS
from highwater.traces.brokers.compare import Difference
from highwater.traces.brokers.perform import Performed
from highwater.traces.brokers.runs import Tally
from highwater.traces.families.scenarios import scenarios
from jsonschema import Draft202012Validator
from support.elsewhere import output_of

SMALL = ["--model", "published", "--revision", "kip-279", "--brokers", "2", "--log-size", "1", "--max-records", "1"]
LOST = ["--model", "published", "--revision", "high-watermark", "--brokers", "2", "--generic"]
TINY = ["--brokers", "1", "--log-size", "1", "--max-records", "1", "--max-epoch", "1"]
ASKED = {
    "check, violated": ["check", *LOST, "--keep-going", "--deadlock"],
    "check, a release": ["check", "--release", "3.9.1", *TINY, "--generic"],
    "matrix": ["matrix", "--model", "designs"],
    "walk": ["walk", *SMALL, "--walks", "2"],
    "walk, violated": ["walk", *LOST, "--walks", "200"],
    "fuzz": ["fuzz", *LOST[:-1], "--runs", "2"],
    "prove": ["prove", *SMALL, "--property", "hw_within_log", "--timeout", "20"],
    "prove --bounded": ["prove", *SMALL, "--property", "hw_within_log", "--bounded", "2"],
    "repairs": ["repairs", "--revision", "kip-279", *TINY, "--property", "weak_isr", "--repair", "leader-epoch-check"],
    "sweep": ["sweep", *SMALL, "--vary", "max_epoch=1,2", "--out", "table", "--quiet"],
    "estimate": ["estimate", *SMALL[:4], "--brokers", "2", "--states", "3000", "--executors", "4", "--quiet"],
    "cost": ["cost", "--revision", "v3", "--brokers", "2", "--crashes", "1", "--at", "100"],
    "replay": ["replay", "KAFKA-6361"],
    "source": ["source", "--revision", "kip-279", "expand_isr"],
    "where": ["where", "truncate the log"],
    "releases": ["releases"],
    "releases VERSION": ["releases", "2.1.0"],
    **{f"list {what}": ["list", what] for what in ("models", "settings", "properties", "actions", "repairs", "scenarios")},
}


def errors(command, document):
    """What a strict reader says: fields that the schema does not name are refused."""
    schema = json.loads(json.dumps(schema_of(command)))
    for one in schema["$defs"].values():
        one["additionalProperties"] = False
    return [f"{list(one.path)}: {one.message}" for one in Draft202012Validator(schema).iter_errors(document)]


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_what_is_written_is_what_the_schema_says(asked, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*asked, "--json", "out.json"]) in (0, 11, 12, 15, 16, 20), capsys.readouterr().err
    assert not errors(asked[0], json.loads((tmp_path / "out.json").read_text()))


def test_what_is_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["check", *SMALL, "--generic", "--run-dir", "run"])
    assert main(["verify", "run", "--json", "verify.json"]) == 0
    assert not errors("verify", json.loads((tmp_path / "verify.json").read_text()))


def test_what_real_brokers_did():
    trace = next(iter(scenarios()["s1_silent_divergence"].traces.values()))
    done = Performed(trace, differences=[Difference("broker 0", "log", "1", "2")], acknowledged={1: 0})
    for found in (as_json("2.8.1", done, None), [as_json("2.8.1", done, None)], tally_as_json("2.8.1", 2, Tally(walks=1))):
        assert not errors("perform", json.loads(json.dumps(found)))


def test_a_field_too_many_or_of_another_type_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["cost", "--revision", "v3", "--brokers", "2", "--crashes", "1", "--json", "out.json"])
    document = json.loads((tmp_path / "out.json").read_text())
    assert errors("cost", {**document, "more": 1}) and errors("cost", {**document, "revision": 1})


def test_each_command_that_writes_json_has_one(capsys):
    for name in COMMANDS:
        assert ("--json PATH" in output_of(capsys, 0, [name, "--help"]).out) == (name in DOCUMENTS), name
