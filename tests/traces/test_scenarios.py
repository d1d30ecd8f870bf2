"""Golden scenarios by name: their own, and those by which the world knows them."""

import re
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.model.language import UsageError
from highwater.traces.families.scenarios import FOLDER, KNOWN_AS, names_of, path_of, scenarios
from support.elsewhere import output_of
from support.pages import is_written

ROOT = Path(__file__).parents[2]


def test_every_known_name_belongs_to_a_scenario_and_every_name_finds_its_trace():
    assert set(KNOWN_AS) <= set(scenarios())
    for scenario in scenarios().values():
        for name in names_of(scenario):
            assert path_of(name).startswith(str(FOLDER / scenario.name)) or name in scenario.known_as


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("KAFKA-6361", "s1_silent_divergence.kip-101"),
        ("kafka 6361", "s1_silent_divergence.kip-101"),
        ("S6", "s6_stale_leader_answers.kip-279"),
        ("kip-101 scenario 1", "s3_truncation_loses_data.high-watermark"),
        ("s1_silent_divergence", "s1_silent_divergence.kip-101"),
        ("s1_silent_divergence.kip-279.trace", "s1_silent_divergence.kip-279"),
    ],
)
def test_names(name, file):
    assert path_of(name) == str(FOLDER / f"{file}.trace")


def test_a_name_that_nobody_knows_is_one_sentence_with_the_nearest():
    """But of issues: another number is another bug."""
    with pytest.raises(UsageError, match=r"'s1_silent_divergenze' cannot be read: .*; did you mean s1_silent_divergence\?"):
        path_of("s1_silent_divergenze")
    with pytest.raises(UsageError, match=r"'KAFKA-6362' cannot be read: .*; highwater where KAFKA-6362 says what"):
        path_of("KAFKA-6362")
    assert path_of("some/where.trace") == "some/where.trace"


def test_a_file_with_the_name_of_a_scenario_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S1").write_text("")
    assert path_of("S1") == "S1"


def test_the_commands_take_them(capsys):
    assert "log_prefix_convergence is violated at step 17" in output_of(capsys, 0, ["show", "KAFKA-6361"]).out
    assert main(["show", "s1_silent_divergence.kip-101"]) == 0
    assert main(["replay", "s1_silent_divergence.kip-101"]) == 12
    capsys.readouterr()
    told = output_of(capsys, 0, ["list", "scenarios"]).out
    assert "s1_silent_divergence\n" in told and "known as: S1, KAFKA-6361, KIP-279 scenario 1" in told
    assert output_of(capsys, 0, ["list", "scenarios", "--model", "published"]).out == "none\n"


def test_the_page_of_kraft_says_what_became_of_the_scenarios(request):
    """S1 to S6, each with what its traces tell before their first step."""
    rows = ["| scenario | trace | what becomes of it |", "| --- | --- | --- |"]
    for number in range(1, 7):
        name = f"S{number}, under KRaft"
        for file, trace in next(one for one in scenarios().values() if name in one.known_as).traces.items():
            opening = " ".join("\n".join(trace.comment).split("\n\n")[0].split())
            said = opening.removeprefix(f"S{number} under KRaft").lstrip(":, ")
            rows.append(f"| S{number} | `{path_of(name).split('/')[-1].split('.')[0]}.{file}` | {said} |")
    assert is_written("docs/kraft.md", "scenarios", "\n".join(rows), request)


def test_the_known_bugs_of_kafka_are_found_by_their_issues():
    """docs/known-bugs.md: each issue has a trace, which `show` finds by its name and which has the revision that is named."""
    first = (ROOT / "docs" / "known-bugs.md").read_text(encoding="utf-8").partition("Not in the model")[0]
    rows = re.findall(r"^\| (KAFKA-\d+).*\|([^|]*)\|$", first, re.M)
    assert len(rows) > 20
    for issue, here in rows:
        named = re.findall(r"`(\w+\.[\w.-]+)`", here)
        assert named and all((FOLDER / f"{name}.trace").is_file() for name in named), issue
        if issue != "KAFKA-1382":  # the trace is about what it did not repair
            assert Path(path_of(issue)).name == f"{named[0]}.trace"
