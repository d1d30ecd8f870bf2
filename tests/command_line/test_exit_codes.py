"""Exit codes are what CI trusts: each is reached by a command that deserves it."""

import json
import os
import re
import signal
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from highwater.explorer import verdict
from highwater.explorer.command_line import check as check_command
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from support.elsewhere import output_of
from support.pages import is_written

GOLDEN = Path(__file__).parents[2] / "traces" / "golden"
HAS_JSON = re.compile(r"^ +--json ", re.M)
SMALL = ["--model", "published", "--brokers", "2", "--generic"]


def test_the_readme_has_every_code_and_the_commands_without_json(capsys, request):
    assert set(verdict.MEANING) == {value for name, value in vars(verdict).items() if name.startswith("EXIT_")}
    rows = "\n".join(f"| {code} | {meaning} |" for code, meaning in sorted(verdict.MEANING.items()))
    assert is_written("README.md", "codes", f"| code | meaning |\n| --- | --- |\n{rows}", request)
    text = (GOLDEN.parents[1] / "README.md").read_text()
    commands = re.findall(r"^    (\w+)  ", output_of(capsys, 0, ["--help"]).out, re.M)
    without = [name for name in sorted(commands) if main([name, "--help"]) == 0 and not HAS_JSON.search(capsys.readouterr().out)]
    assert len(commands) == 27 and without == ["export", "graph", "init", "new", "schema", "show", "stats", "step"]
    assert "all but `export`, `graph`, `init`, `new`, `schema`, `show`, `stats` and `step` write" in text


def test_a_revision_that_holds_exits_with_0(capsys):
    out = output_of(capsys, 0, ["check", *SMALL, "--revision", "kip-320"]).out
    assert "5,973 distinct states" in out and "depth 18" in out
    assert "everything reachable at these sizes was explored" in out and "chance of a missed state" in out


def test_a_violation_exits_with_12_and_leaves_a_trace_that_replays(capsys):
    told = output_of(capsys, 12, ["check", *SMALL, "--revision", "high-watermark"]).out
    assert "weak_isr after 8 steps" in told and "highwater trace 1" in told
    trace = "highwater-traces/published-high-watermark-brokers2-weak_isr.trace"
    assert "weak_isr is violated at step 8" in output_of(capsys, 12, ["replay", trace]).out
    assert main(["show", trace]) == 0


def test_a_bound_exits_with_20_unless_that_is_allowed(capsys):
    command = ["check", *SMALL, "--revision", "kip-320", "--depth", "5"]
    assert "bound of depth 5" in output_of(capsys, 20, command).out
    assert main([*command, "--allow-incomplete"]) == 0


def test_a_deadlock_exits_with_11_and_a_violation_outranks_it(capsys):
    holds = ["check", *SMALL, "--revision", "kip-320", "--deadlock"]
    assert main(holds) == 11
    assert main(["replay", "highwater-traces/published-kip-320-brokers2-no_deadlock.trace"]) == 12
    assert main(["check", *SMALL, "--revision", "high-watermark", "--deadlock", "--keep-going"]) == 12
    assert main([*holds, "--depth", "3", "--junit", "x.xml"]) == 20
    assert main([*holds, "--depth", "3", "--allow-incomplete", "--sarif", "x.sarif"]) == 0
    (invocation,) = json.loads(Path("x.sarif").read_text())["runs"][0]["invocations"]
    assert invocation["exitCode"] == 0 and not invocation["executionSuccessful"]
    (case,) = ElementTree.parse("x.xml").iterfind(".//testcase[@name='no_deadlock']/error")
    assert "ended the exploration before this was decided" in case.get("message")


def test_a_violation_outranks_an_incomplete_run():
    assert main(["check", *SMALL, "--revision", "high-watermark", "--keep-going", "--depth", "12"]) == 12


def test_walks_exit_with_12_when_they_find_something_and_with_20_when_not(capsys):
    walk = ["walk", "--model", "published", "--brokers", "2", "--generic", "--length", "60"]
    assert main([*walk, "--revision", "high-watermark", "--seconds", "30"]) == 12
    assert "this proves nothing" in output_of(capsys, 20, [*walk, "--revision", "kip-320", "--walks", "50"]).out
    assert main([*walk, "--revision", "kip-320", "--walks", "50", "--allow-incomplete"]) == 0


def test_a_trace_of_another_revision_exits_with_17_and_says_what_is_enabled(tmp_path, capsys):
    text = (GOLDEN / "s1_silent_divergence.kip-101.trace").read_text()
    other = tmp_path / "other.trace"
    other.write_text(re.sub(r" @[0-9a-f]{12}$", "", text.replace("revision: kip-101", "revision: high-watermark"), flags=re.M))
    told = output_of(capsys, 17, ["replay", str(other)]).out
    assert "step 16, `answer_epoch_request partition=0 leader=1 follower=0`, is not enabled here: this revision has no" in told
    assert "enabled: fetch partition=0 follower=0 leader=1; this usually means that the trace was recorded under" in told


def test_a_trace_of_what_can_happen_is_witnessed_or_not(capsys, tmp_path):
    whole = GOLDEN / "a3_unclean_election.high-watermark.trace"
    assert "unclean_election_loses_data is witnessed at step 18" in output_of(capsys, 0, ["replay", str(whole)]).out
    cut = tmp_path / "cut.trace"
    lines = whole.read_text().splitlines(keepends=True)
    cut.write_text("".join(lines[: next(n for n, line in enumerate(lines) if line.strip().startswith("17 "))]))
    assert main(["replay", str(cut), "--json", "out.json"]) == 15
    assert "unclean_election_loses_data is true in none of their states" in capsys.readouterr().out
    assert json.loads(Path("out.json").read_text())["verdict"] == "never witnessed"


def test_a_repaired_scenario_replays_with_0():
    assert main(["replay", str(GOLDEN / "s3_truncation_loses_data.kip-101.trace")]) == 0


def test_json_has_the_fields_that_later_work_relies_on(capsys):
    assert main(["check", *SMALL, "--revision", "high-watermark", "--keep-going", "--json", "-"]) == 12
    found = json.loads(capsys.readouterr().out)
    assert found["model"] == "published" and found["revision"] == "high-watermark"
    assert found["verdict"] == "violated" and found["complete"] is True
    assert (found["distinct_states"], found["depth"]) == (10131, 20)
    assert {"transitions", "seconds", "cpu_seconds", "config", "collision_probability"} <= set(found)
    weak = next(p for p in found["properties"] if p["name"] == "weak_isr")
    assert (weak["kind"], weak["verdict"], weak["depth"]) == ("always", "violated", 9)
    assert Path(weak["trace"]).exists()
    assert all({"name", "taken", "new_states"} <= set(a) for a in found["actions"])
    assert 1 + sum(a["new_states"] for a in found["actions"]) == found["distinct_states"]


def test_junit_has_a_failure_for_each_violation(tmp_path):
    (tmp_path / "out").mkdir()
    assert main(["check", *SMALL, "--revision", "high-watermark", "--keep-going", "--quiet", "--junit", "out/junit.xml"]) == 12
    suite = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()[0]
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {"weak_isr", "strong_isr", "log_prefix_convergence"}
    assert int(suite.get("failures")) == 3


def test_a_configuration_file_says_what_flags_say(tmp_path, capsys):
    (tmp_path / "h.toml").write_text(
        'model = "published"\nrevision = "kip-320"\nproperties = ["weak_isr"]\n[settings]\nbrokers = 2\n[bounds]\ndepth = 4\n'
    )
    found = json.loads(output_of(capsys, 20, ["check", "--config", "h.toml", "--generic", "--json", "-"]).out)
    assert found["config"]["brokers"] == 2 and found["depth"] == 4 and [p["name"] for p in found["properties"]] == ["weak_isr"]
    assert main(["check", "--config", "h.toml", "--generic", "--depth", "3", "--max-records", "1", "--json", "-"]) == 20
    found = json.loads(capsys.readouterr().out)
    assert found["depth"] == 3 and found["config"]["max_records"] == 1  # flags win


def test_the_graph_has_the_states_that_check_counts(tmp_path, capsys):
    small = ["--model", "published", "--brokers", "2", "--max-epoch", "1", "--max-records", "1"]
    command = ["graph", *small, "--revision", "kip-320"]
    for form in ("graphml", "dot", "json"):
        assert "277 states" in output_of(capsys, 0, [*command, "--format", form, "--output", f"g.{form}"]).err
    assert len(json.loads((tmp_path / "g.json").read_text())["nodes"]) == 277
    assert main([*command, "--most-states", "100"]) == 2


def test_an_interrupted_run_reports_what_it_has_and_resumes(monkeypatch, capsys):
    def interrupted(request, report):
        def strike(progress):
            if progress.depth == 12:
                os.kill(os.getpid(), signal.SIGINT)

        return check(request, strike)

    sizes = ["--max-epoch", "1", "--max-records", "1"]
    command = ["check", "--model", "published", "--revision", "kip-320", *sizes, "--generic", "--run-dir", "run", "--json", "-"]
    with monkeypatch.context() as patch:
        patch.setattr(check_command, "check", interrupted)
        assert main(command) == 20
    first = json.loads(capsys.readouterr().out)
    assert (first["complete"], first["stopped_by"]) == (False, "an interruption") and first["depth"] in (11, 12)
    found = json.loads(output_of(capsys, 0, [*command, "--resume"]).out)
    assert (found["complete"], found["distinct_states"], found["depth"]) == (True, 6787, 18)
