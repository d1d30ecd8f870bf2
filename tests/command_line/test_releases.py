"""Releases by their numbers: each is found, or refused with a sentence; what it violates is a command that is true."""

import argparse
import json
import re
import shlex
from pathlib import Path

import pytest
from highwater.explorer.command_line import main, parser_for
from highwater.explorer.command_line.parsing import request_of
from highwater.explorer.config_files import ScenarioTable
from highwater.explorer.harness.scenarios import Scenario
from highwater.explorer.request import revision_named
from highwater.model.language import Revision
from highwater.model.language.errors import UsageError
from highwater.model.language.releases import differences, has, release_of, row_of, rows_of, settings_of_release
from highwater.model.language.revisions import numbers
from highwater.properties.extended import extended
from highwater.properties.registry import MODELS
from highwater.properties.standing import known_violations, standings
from support.elsewhere import output_of

KAFKA, KRAFT = MODELS["kafka"], MODELS["kraft"]
COVERED = [release for release in KAFKA.releases if list(rows_of(KAFKA, release))]


def test_releases_are_in_order_and_each_is_covered_once_by_a_way_of_coordination():
    assert list(KAFKA.releases) == sorted(KAFKA.releases, key=numbers) and len(set(KAFKA.releases)) == len(KAFKA.releases)
    for release in KAFKA.releases:
        under = [span.under for model in (KAFKA, KRAFT) for _, span in rows_of(model, release) if release in model.releases]
        assert under and len(under) == len(set(under)), release
    assert COVERED[0] == KAFKA.releases[0] == "0.9.0.0"
    assert {"3.9.1", "2.8.0", "1.0.2"} <= set(COVERED)


@pytest.mark.parametrize("release", COVERED)
def test_every_release_has_a_configuration_with_its_own_repairs(release):
    for revision, _ in rows_of(KAFKA, release):
        own = settings_of_release(KAFKA, release, revision)
        config = KAFKA.configure(revision, **own).shown()
        for setting in {difference.repair.setting for difference in differences(KAFKA, release, revision)}:
            had = [repair.value for repair in KAFKA.repairs if repair.setting == setting and has(release, repair)]
            assert not had or config[setting] == had[-1], (release, setting)


def test_a_release_is_named_by_its_number_or_the_beginning_of_it():
    assert release_of(KAFKA, "3.9.1") == release_of(KAFKA, "v3.9.1") == "3.9.1"
    assert release_of(KAFKA, "2.8") == release_of(KAFKA, "2.8.x") == "2.8.2"
    assert revision_named(KAFKA, "2.8.1") == "kip-320-2.8" and revision_named(KAFKA, "2.8.0") == "kip-320-2.8.0"
    assert settings_of_release(KAFKA, "3.9.1", "kip-320-2.8")["earlier_refusal"] == "dropped"
    assert "earlier_refusal" not in settings_of_release(KAFKA, "3.9.0", "kip-320-2.8")


@pytest.mark.parametrize(("text", "sentence"), [("2.9", "there is no release '2.9'"), ("0.8.2.2", "there is no release")])
def test_what_was_never_released_is_refused(text, sentence):
    with pytest.raises(UsageError, match=re.escape(sentence)):
        row_of(KAFKA, text)


def test_a_release_that_no_revision_describes_has_an_honest_sentence(capsys):
    for model in (KAFKA, KRAFT):
        for release in (one for one in model.releases if not list(rows_of(model, one))):
            about = ["--model", model.name]
            assert main(["releases", release, *about]) == 2
            assert main(["check", "--release", release, *about]) == 2
            assert f"no revision of the model {model.name} describes Kafka {release}" in capsys.readouterr().err


def test_a_release_without_zookeeper_is_checked_under_kraft(capsys):
    small = ["--brokers", "1", "--min-isr", "1", "--property", "isr_within_assignment", "--json", "-"]
    assert main(["check", "--release", "4.4.0", *small]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["model"] == "kraft" and "Kafka 4.4.0 is described by 4.4 (4.3.0 to 4.4.0 under KRaft)" in err


def test_a_release_that_a_revision_is_named_by_is_found_in_the_same_model(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["source", "--revision", "4.4.0", "expand_isr"]) == 0
    assert capsys.readouterr().out == said(capsys, "source", "--model", "kraft", "--revision", "4.4", "expand_isr")
    assert main(["check", "--revision", "4.4.0", "--model", "kafka"]) == 2
    assert "highwater releases 4.4.0 says which model does" in capsys.readouterr().err
    assert main(["init", "--revision", "4.4.0"]) == 0
    assert 'model = "kraft"\nrelease = "4.4.0"\n' in Path("highwater.toml").read_text()


def said(capsys, *command):
    """What a command prints."""
    return output_of(capsys, 0, list(command)).out


def test_check_says_what_a_release_was_taken_for(capsys):
    small = ["--brokers", "1", "--replicas", "1", "--max-records", "1", "--log-size", "1", "--session-expiries", "0"]
    more = ["--preferred-elections", "0", "--max-epoch", "1", "--min-isr", "1", "--property", "isr_never_empty", "--json", "-"]
    assert main(["check", "--release", "3.9.1", *small, *more]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["config"]["earlier_refusal"] == "dropped"
    assert "Kafka 3.9.1 is described by kip-320-2.8 (2.8.1 to 3.9.2 under ZooKeeper), with its own" in err
    assert "under KRaft by 3.9: --model kraft --release 3.9.1" in err
    assert main(["check", "--revision", "2.8.1", *small, *more]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["revision"] == "kip-320-2.8" and "Kafka 2.8.1 is described by kip-320-2.8" in err
    assert "exclude each other" in output_of(capsys, 2, ["check", "--release", "3.9.1", "--revision", "kip-320"]).err
    assert "is not about releases" in output_of(capsys, 2, ["check", "--model", "published", "--release", "3.9.1"]).err


def test_the_command_says_where_a_release_stands(capsys):
    assert main(["releases", "3.9.1", "--json", "-"]) == 0
    (found,) = (entry for entry in json.loads(capsys.readouterr().out) if entry["under"] == "ZooKeeper")
    assert found["revision"] == "kip-320-2.8" and found["violated_at_default_sizes"] == []
    known = {claim["scenario"].split()[0]: claim["command"] for claim in found["known_violations"]}
    assert "last_replica_standing" in known and "earlier_refusal" not in known, "3.9.1 has KAFKA-18991"
    assert all(command.startswith("highwater check --release 3.9.1 ") for command in known.values())
    assert "forgetful-leader" in {one["repair"] for one in found["lacks"]}
    out = output_of(capsys, 0, ["releases"]).out
    assert "0.9.0.0 to 0.10.2.2" in out and "kip-320-2.8" in out


@pytest.mark.parametrize("release", ["2.1.1", "3.9.1", "4.4.0"])
def test_each_command_checks_the_row_that_it_is_printed_for(release, capsys):
    """`--release 3.9.1` is its row under ZooKeeper: under KRaft the command names the model."""
    _, parser = parser_for("check", MODELS)
    for row in json.loads(output_of(capsys, 0, ["releases", release, "--json", "-"]).out):
        for command in [f"highwater check {row['checked_by']}", *(claim["command"] for claim in row["known_violations"])]:
            request = request_of(parser.parse_args(shlex.split(command)[2:], argparse.Namespace(models=MODELS)), progress=True)
            assert (request.model.name, request.revision) == (row["model"], row["revision"]), command
            assert row["settings"].items() <= request.config.shown().items(), command


def test_what_kraft_prevents_is_no_known_violation_of_its_releases(capsys):
    rows = json.loads(output_of(capsys, 0, ["releases", "3.9.1", "--json", "-"]).out)
    known = {row["under"]: {claim["scenario"].split()[0] for claim in row["known_violations"]} for row in rows}
    assert {"stale_join", "n1_outlived_fetch"} <= known["ZooKeeper"] - known["KRaft"] and "one_delta" in known["KRaft"]


def test_the_refusal_that_3_9_1_drops_is_known_in_3_9_0():
    (zookeeper,) = (standing for standing in standings(KAFKA, "3.9.0") if standing.under == "ZooKeeper")
    assert any(claim.scenario.startswith("earlier_refusal") for claim in known_violations(KAFKA, zookeeper))


@pytest.mark.parametrize(("release", "issue", "goal"), [("2.8.0", "13091", "replicated"), ("2.2", "3143", "lost_broker")])
def test_what_never_happens_in_a_release_is_known(release, issue, goal):
    """KAFKA-14154 was in no release."""
    (zookeeper,) = standings(KAFKA, release)
    (claim,) = (known for known in known_violations(KAFKA, zookeeper) if f"KAFKA-{issue}" in known.scenario)
    assert claim.property.startswith(goal) and f" --property {claim.property}" in claim.command
    assert not any("KAFKA-14154" in known.scenario for known in known_violations(KAFKA, zookeeper))


@pytest.mark.parametrize("release", ["1.0.2", "2.0.1", "3.9.1"])
def test_no_known_violation_takes_a_repair_away_that_the_release_has(release, capsys):
    """KAFKA-7104 was repaired in 1.0.2: a scenario in which an answer is read again is none of its violations."""
    repaired = [one for one in KAFKA.repairs if has(release, one) and not one.until]
    printed = output_of(capsys, 0, ["releases", release]).out.split()
    assert "--answered-start" not in printed
    for repair in repaired:
        flag = f"--{repair.setting.replace('_', '-')}"
        later = [other.value for other in KAFKA.repairs if other.setting == repair.setting]
        assert flag not in printed or printed[printed.index(flag) + 1] in map(str, later), flag


def test_a_revision_like_a_release_has_its_repairs_and_so_has_a_scenario_that_names_it():
    """A fork is made from a release, which differs from the revision that describes its kind."""
    mine = extended(MODELS["kafka"], revisions=[Revision("ours", "a fork of 3.9.1", {"unclean_elections": 1}, like="3.9.1")])
    release, row, _ = row_of(mine, "3.9.1")
    own = settings_of_release(mine, release, row)
    assert own and dict(mine.revisions["ours"].settings) == {**mine.revisions[row].settings, **own, "unclean_elections": 1}
    assert mine.revisions["ours"].like == row
    said = [Scenario(ScenarioTable(model="kafka", **{kind: "3.9.1"})) for kind in ("revision", "release")]
    assert said[0].revision() == row and said[0].configuration() == said[1].configuration()
    assert said[0].configuration() != mine.configure(row)
