"""A `holds` names what its settings leave out, and what no revision has."""

import json

import pytest
from highwater.explorer.command_line import main
from highwater.properties.left_out import briefly, left_out, unmodelled
from highwater.properties.registry import KAFKA, KRAFT, MODELS
from support.elsewhere import output_of
from support.pages import is_written

TINY = ["--brokers", "2", "--log-size", "1", "--max-records", "1", "--max-epoch", "1", "--property", "hw_within_log"]


def absent(**settings):
    return {row.setting: row for row in left_out(KAFKA, KAFKA.configure("kip-320-2.8", **settings))}


@pytest.mark.parametrize(
    ("setting", "issue", "settings"),
    [
        ("emptied_disks", "KAFKA-14617", {"emptied_disks": 1, "crashes": 1}),
        ("fetch", "KAFKA-18991", {"fetch": "in-flight"}),
        ("store", "KAFKA-8836", {"store": "answered"}),
        ("controller_changes", "KAFKA-2729", {"controller_changes": 1}),
    ],
)
def test_what_a_known_bug_needs_is_named_until_the_settings_have_it(setting, issue, settings):
    assert issue in absent()[setting].issues
    assert setting not in absent(**settings)
    assert "session_expiries" not in absent()


def test_each_issue_is_named_once_for_people():
    text = ", ".join(briefly(list(absent().values())))
    assert text.count("KAFKA-14617") == 1 and "emptied-disks (" in text and "fetch in-flight (" in text


def test_bugs_of_no_revision_are_named_for_the_releases_that_had_them():
    assert "KAFKA-12751" in unmodelled(KAFKA, "kip-320-2.8.0") and "KAFKA-12751" not in unmodelled(KAFKA, "kip-101")
    assert unmodelled(KAFKA, "kip-320") == [], "no release"
    for model in MODELS.values():
        assert set(model.finest) <= set(model.config.settings)
        for repair in model.unmodelled:
            assert repair.sentence and repair.why


def test_the_page_of_known_bugs_has_them_all(request):
    bugs = [*KAFKA.unmodelled, *KRAFT.unmodelled]
    lines = ["| issue | what went wrong | in | why not |", "| --- | --- | --- | --- |"]
    for issue in dict.fromkeys(bug.issue for bug in bugs):
        bug = next(one for one in bugs if one.issue == issue)
        spans = [f"{one.span}{', KRaft' * (one.span.under == 'KRaft')}" for one in bugs if one.issue == issue]
        lines.append(f"| {issue} | {bug.sentence} | {'; '.join(spans)} | {bug.why} |")
    assert is_written("docs/known-bugs.md", "unmodelled", "\n".join(lines), request), "give --rewrite-golden"


def test_the_verdict_says_it(capsys):
    said = " ".join(output_of(capsys, 0, ["check", "--revision", "kip-320-2.8", *TINY, "--generic"]).out.split())
    assert "it says nothing of crashes" in said and "which no revision has (docs/known-bugs.md)" in said
    assert main(["check", "--revision", "kip-320-2.8", *TINY, "--generic", "--fetch", "in-flight", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    named = {one["setting"]: one["issues"] for one in document["says_nothing_of"]}
    assert "fetch" not in named and "KAFKA-8836" in named["store"] and "KAFKA-17076" in document["unmodelled"]


def test_a_family_names_what_none_of_its_configurations_has(capsys):
    said = " ".join(output_of(capsys, 0, ["check", "--model", "kraft", "--revision", "4.4", *TINY, "--generic"]).out.split())
    for one in ("topics that are created, or deleted for good", "log directories that fail", "the controller's failure"):
        assert one in said, one
    assert said.count("it says nothing of") == 1 and "which kraft does not have" in said


def test_a_model_without_faults_leaves_nothing_out(capsys):
    assert main(["check", "--model", "published", "--revision", "kip-320", *TINY, "--generic"]) == 0
    assert "says nothing of" not in capsys.readouterr().out
