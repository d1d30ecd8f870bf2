"""`highwater repairs`, its JSON, its page; and the catalogue of repairs."""

import argparse
import json
import re
from pathlib import Path

import numpy as np
import pytest
from highwater.explorer.command_line import main
from highwater.explorer.command_line.repairs import chains_of
from highwater.explorer.output.repairs_page import catalogue
from highwater.explorer.request import Request
from highwater.explorer.verdict import EXIT_USAGE
from highwater.model.language.errors import UsageError
from highwater.model.language.repairs import base_of
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, KRAFT
from highwater.traces.replay import replay
from highwater.traces.text import read_file
from support.elsewhere import output_of, refused

ROOT = Path(__file__).parents[2]
PAGES = {KAFKA: ROOT / "docs" / "repairs.md", KRAFT: ROOT / "docs" / "repairs-kraft.md"}
SMALL = ["--revision", "kip-320", "--brokers", "2", "--quiet", "--property", "weak_isr", "--property", "no_committed_data_loss"]
REPAIRS = ["--repair", "common-epoch-truncation", "--repair", "fenced-requests"]


def test_the_catalogue_fits_the_settings():
    names = [one.name for one in KAFKA.repairs]
    assert len(set(names)) == len(names)
    rows = set(re.findall(r"^(\w+) = ", (ROOT / "tests" / "requirements.toml").read_text(), re.M))
    for repair in KAFKA.repairs:
        setting = KAFKA.config.settings[repair.setting]
        assert setting.show(setting.parse(repair.setting, repair.value)) == repair.value, repair.name
        assert repair.value != base_of(setting, [other for other in KAFKA.repairs if other.setting == repair.setting])
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", repair.name) and repair.sentence and repair.where
        assert repair.row in rows, repair.row


def varied_in(revision, repair=None, add=None, keep=False):
    """The names of the repairs that `highwater repairs` varies."""
    request = Request(KAFKA, revision, KAFKA.configure(revision), [])
    options = argparse.Namespace(models={"kafka": KAFKA}, repair=repair, add=add, keep=keep)
    return {one.name for chain in chains_of(options, request) for one in chain.repairs}


@pytest.mark.parametrize("revision", KRAFT.revisions)
def test_every_repair_that_a_release_under_kraft_lacks_can_be_varied(revision):
    """Where a release's value is below none of a setting's repairs, they are left out without a word."""
    shown = KRAFT.configure(revision).shown()
    for setting in {repair.setting for repair in KRAFT.repairs}:
        mine = [repair for repair in KRAFT.repairs if repair.setting == setting]
        assert shown[setting] in (base_of(KRAFT.config.settings[setting], mine), *(repair.value for repair in mine)), setting


@pytest.mark.parametrize("revision", ["kip-101", "kip-279-2.0.1", "kip-320-2.8"])
def test_repairs_of_files_and_cleaners_are_varied_only_when_named(revision):
    rare = {repair.name for repair in KAFKA.repairs if repair.when_named}
    assert rare and not varied_in(revision) & rare
    assert varied_in(revision, ["rebuilt-first-epoch"]) & rare == {"rebuilt-first-epoch"}


def test_a_repair_that_is_varied_only_when_named_stays_with_the_one_that_it_was_built_on():
    request = Request(KAFKA, "kip-320-2.8", KAFKA.configure("kip-320-2.8"), [])
    options = argparse.Namespace(models={"kafka": KAFKA}, repair=None, add=None, keep=False)
    [shrink] = [chain for chain in chains_of(options, request) if chain.setting == "shrink"]
    assert [shrink.value(level) for level in range(shrink.top + 1)] == ["smallest-end", "behind"]
    assert [repair.name for repair in shrink.repairs] == ["late-followers-leave"]
    assert {"late-followers-leave", "silent-followers-stay"} <= varied_in("kip-320-2.8", ["silent-followers-stay"])


def test_what_is_added_varies_beside_what_is_named_and_nothing_named_is_ignored():
    named = ["common-epoch-truncation"]
    assert varied_in("kip-279", named, ["fenced-requests"]) == {"epoch-truncation", *named, "fenced-requests"}
    with pytest.raises(UsageError, match="kip-279 lacks fenced-requests; --add"):
        varied_in("kip-279", [*named, "fenced-requests"])


def test_a_repair_that_is_varied_only_when_named_is_varied_when_it_is_added():
    assert "rebuilt-first-epoch" not in varied_in("kip-279", add=["fenced-requests"])
    assert "rebuilt-first-epoch" in varied_in("kip-279", add=["rebuilt-first-epoch"])


def test_with_keep_only_what_the_revision_lacks_is_varied():
    lacks = varied_in("kip-500", add=["all"], keep=True)
    assert "forgetful-leader" in lacks and "broker-epochs" not in lacks
    assert not lacks & varied_in("kip-500")
    assert varied_in("kip-500", add=["forgetful-leader"], keep=True) == {"forgetful-leader"}


LATE = "--fetch in-flight --fetch-count later --add forgetful-leader --add new-replicas"


@pytest.mark.parametrize(
    ("more", "repair"), [("--add all", "forgetful-leader"), pytest.param(LATE, "new-replicas", marks=pytest.mark.long)]
)
def test_the_one_repair_that_stops_the_loss_under_kraft(tmp_path, more, repair):
    """KAFKA-2721 kept the ends; of all repairs that the elections of KRaft lack, forgetting them is the one that helps; where
    a fetch counts late, it is to make the replicas anew."""
    out, sizes = str(tmp_path / "out.json"), ["--log-size", "1", "--max-records", "1", "--property", "strong_isr"]
    command = ["repairs", "--revision", "kip-500", "--keep", *more.split(), *sizes, "--quiet", "--json", out]
    assert main([*command, "--traces", str(tmp_path / "t")]) == 0
    [answer] = json.loads(Path(out).read_text())["properties"]
    assert answer["minimal_sets"] == [[repair]] and answer["complete"]


def test_no_green_where_nothing_is_asked(capsys, monkeypatch):
    monkeypatch.setattr("highwater.explorer.lattice.search.applies_at", lambda points, one: np.zeros(points.count, np.bool_))
    assert "no property that must hold applies to kip-320" in refused(capsys, "repairs", *SMALL, *REPAIRS)


def test_every_set_violates_it_without_each_of_its_repairs(tmp_path):
    out, page = tmp_path / "out.json", tmp_path / "page.md"
    command = ["repairs", *SMALL, *REPAIRS, "--traces", str(tmp_path / "t"), "--json", str(out), "--markdown", str(page)]
    assert main(command) == 0
    document = json.loads(out.read_text())
    assert document["complete"] and document["sets"] == 6
    assert {r["name"] for r in document["repairs"]} == {"epoch-truncation", "common-epoch-truncation", "fenced-requests"}
    known = {p.name: p for p in properties_of(KAFKA)}
    for entry in document["properties"]:
        assert entry["complete"] and entry["minimal_sets"]
        assert entry["explored"] + entry["shown"] + entry["above"] == document["sets"] and entry["inapplicable"] == 0
        assert set(entry["without"]) == {name for names in entry["minimal_sets"] for name in names}
        for without in entry["without"].values():
            trace = read_file(without["trace"])
            assert replay(trace, KAFKA, [known[entry["name"]]]).broken == {entry["name"]: without["depth"] - 1}
            assert without["steps"] == len(trace.steps) and len(without["each"]) >= 1
    text = page.read_text()
    assert catalogue(KAFKA) in text and "`weak_isr`" in text
    assert main(command) == 0
    assert page.read_text() == text


def test_what_was_explored_is_kept_and_not_explored_again(tmp_path):
    command = ["repairs", *SMALL, *REPAIRS[:2], "--traces", str(tmp_path / "t"), "--out", str(tmp_path / "table")]
    assert main([*command, "--json", str(tmp_path / "a.json"), "--jobs", "2"]) == 0
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "table").iterdir()}
    assert files and all(path.suffix == ".parquet" for path in files)
    assert main([*command, "--json", str(tmp_path / "b.json"), "--jobs", "2"]) == 0
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "table").iterdir()} == files


def test_a_bound_is_no_answer(tmp_path, capsys):
    command = ["repairs", *SMALL, *REPAIRS, "--depth", "5", "--traces", str(tmp_path / "t")]
    assert "incomplete" in output_of(capsys, 20, command).out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "--revision is missing"),
        (["--revision", "kip-320", "--repair", "fenced-request"], "did you mean fenced-requests?"),
        (["--revision", "kip-320", "--add", "nothing"], "no repair 'nothing'"),
        (["--revision", "kip-320", "--repair", "broker-epochs"], "--add NAME"),
        (["--revision", "kip-320", "--keep"], "give --add NAME"),
        (["--revision", "kip-320", "--property", "elects_leader"], "a property that must hold"),
        (["--model", "published", "--revision", "kip-320"], "has no repairs"),
        (["--revision", "kip-320", "--engine", "local", "--master", "local"], "--engine spark"),
    ],
)
def test_bad_input_is_a_sentence(arguments, says, capsys, tmp_path):
    assert says in refused(capsys, "repairs", *arguments, most=1000) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model.name)
def test_the_page_has_the_catalogue_and_names_that_exist(model):
    text = PAGES[model].read_text()
    assert catalogue(model) in text
    known = {repair.name for repair in model.repairs} | {claim.name for claim in properties_of(model)}
    for section in text.split("\n## ")[2:]:
        assert section.split(" at ")[0] in model.revisions
        for row in re.findall(r"^\| `(.*?)` \| (.*) \|$", section, re.M):
            assert {row[0], *re.findall(r"`(.*?)`", row[1])} <= known, row


def test_switches_are_the_repairs_of_a_model_without_a_catalogue(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "ticker"]) == 0 and main(["repairs", "ticker.py", "--add", "all", "--json", "found.json"]) == 0
    [answer] = json.loads((tmp_path / "found.json").read_text())["properties"]
    assert (answer["name"], answer["minimal_sets"]) == ("no_update_is_lost", [["careful"]])
    (tmp_path / "still.py").write_text(STILL)
    assert main(["repairs", "still.py"]) == EXIT_USAGE
    assert "the model still has no repairs: each would be a switch of its settings" in capsys.readouterr().err


STILL = '''
from highwater.model.language import Model, State, integer
from highwater.properties.property import always


class Still(State):
    """Nothing."""

    x = integer(0, 1, "x")


def tick(s):
    """A step."""
    s.x = 1 - s.x
    return True


def small(s):
    """It is small."""
    return s.x < 2


MODEL = Model(state=Still, actions=[tick], properties=[always(small)])
'''
