"""Walking a model by hand: the class without a terminal, the lines of `highwater step`, and `check --from`."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.command_line.start_from import violated_before, witnessed_before
from highwater.explorer.verdict import NEVER, Finding
from highwater.model.language import UsageError
from highwater.properties.property import sometimes
from highwater.properties.registry import PUBLISHED
from highwater.traces.replay import replay
from highwater.traces.text import read_file
from support.elsewhere import output_of
from support.stepping import CLAIMS, stepper

FLAGS = ["--model", "published", "--revision", "high-watermark", "--brokers", "2", "--max-epoch", "1", "--max-records", "1"]

pytestmark = pytest.mark.usefixtures("elsewhere")


def test_steps_are_chosen_taken_back_and_taken_another_way():
    walk = stepper()
    first, second = (choice.label for choice in walk.enabled()[:2])
    walk.choose(1)
    assert [step.label for step in walk.steps] == [first] and walk.changes() != walk.facts()
    walk.undo()
    walk.choose(second)
    assert sorted(len(steps) for _, steps in walk.branches()) == [1, 1] and len(walk.nodes) == 3
    walk.undo()
    walk.choose(first)
    assert len(walk.nodes) == 3, "a way that was walked is walked again"
    walk.jump(0)
    assert walk.steps == []
    walk.go(2)
    assert [step.label for step in walk.steps] == [second]


def test_what_cannot_be_done_is_a_sentence():
    walk = stepper()
    for act, said in (
        (walk.undo, "nothing to undo"),
        (lambda: walk.jump(3), "jump to one of 0 to 0"),
        (lambda: walk.choose(99), "there is no step 99"),
        (lambda: walk.choose("leader_write leader=0"), "leader_write leader=0 is not enabled: the guard `"),
        (lambda: walk.choose("leader_wrote leader=0"), "did you mean leader_write?"),
        (lambda: walk.why_not("leader_write broker=0"), "it takes leader"),
        (lambda: walk.go(7), "there is no node 7"),
    ):
        with pytest.raises(UsageError) as error:
            act()
        assert said in str(error.value)


def test_why_not_names_the_guard_for_each_argument():
    lines = stepper().why_not("leader_write")
    assert len(lines) == 2 and all("refuses it (published/" in line for line in lines)
    for text in (" ", f"leader_write leader={'1' * 5000}"):
        with pytest.raises(UsageError, match=r"has no action ''|is not an argument of leader_write"):
            stepper().why_not(text)
    assert stepper().why_not("controller_shrink_isr broker=1") == ["controller_shrink_isr broker=1 is enabled"]


def test_nearest_is_the_shortest_way_and_its_trace_replays():
    walk = stepper()
    near = walk.nearest(CLAIMS["weak_isr"], 60.0)
    assert near.steps is not None and len(near.steps) == 8
    for choice in near.steps:
        assert walk.violated() == []
        walk.choose(choice.label)
    assert walk.violated() == ["weak_isr"]
    assert replay(walk.trace("weak_isr"), PUBLISHED, [CLAIMS["weak_isr"]]).broken == {"weak_isr": 8}
    assert walk.nearest(CLAIMS["weak_isr"], 60.0).steps == ()
    far = stepper("kip-320").nearest(CLAIMS["weak_isr"], 60.0)
    assert far.steps is None and far.complete and far.states == 277


def test_the_session_in_lines(capsys, monkeypatch):
    text = "1\nundo\nwhy not leader_write\nfrob\n\nnearest weak_isr\nfollow\nbranches\nsave mine.trace\nquit\nnever\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    out = output_of(capsys, 0, ["step", *FLAGS, "--seconds", "60"]).out
    assert "0 the initial state" in out and "1 controller_shrink_isr broker=0" in out
    assert "there is no command 'frob'" in out and "is violated after 8 steps from the initial state" in out
    assert "! weak_isr is violated here" in out and "8 steps in mine.trace" in out and "never" not in out
    assert main(["replay", "mine.trace"]) == 12


def test_nearest_without_a_name_is_of_the_traces_property(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("nearest\n"))
    assert "log_prefix_convergence is violated after 1 step" in output_of(capsys, 0, ["step", "KAFKA-6361:16"]).out
    monkeypatch.setattr(sys, "stdin", io.StringIO("nearest\n"))
    assert "nearest to what? Name one of " in output_of(capsys, 0, ["step", *FLAGS]).out


def test_the_compiled_engine_finds_a_witness_too(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("nearest zombie_leads\nfollow\nsteps\n"))
    out = output_of(capsys, 0, ["step", "--model", "designs", "--revision", "v3", "--seconds", "0.00001"]).out
    assert "the compiled engine continues from here" in out and "not witnessed" not in out
    assert re.search(r"zombie_leads is witnessed after 4 steps from .* \(`follow` takes them\):", out)
    assert [line.split()[0] for line in out.splitlines()[-4:]] == ["1", "2", "3", "4"]


def test_it_begins_where_a_trace_leads(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("steps\n"))
    out = output_of(capsys, 0, ["step", "KAFKA-6361:3"]).out
    assert out.startswith("3 ") and "enabled: " in out
    assert main(["step", "KAFKA-6361:99"]) == 2 and "names step 99" in capsys.readouterr().err
    assert main(["step", f"KAFKA-6361:{'1' * 5000}"]) == 2 and "cannot be read" in capsys.readouterr().err
    for flag, *value in (["--revision", "kip-320"], ["--model", "kafka"], ["--brokers", "2"], ["--no-fenced"]):
        said = output_of(capsys, 2, ["step", "KAFKA-6361", flag, *value]).err.replace("--no-", "--")
        assert f"{flag.replace('--no-', '--')} cannot be used with a trace: the trace determines it" in said


def log_grows(s):
    """Some log has a record."""
    return s.replica[0].leo + s.replica[1].leo > 0


def test_check_goes_on_from_a_trace(capsys, monkeypatch):
    """From its fifth step the shortest way is three steps long; the trace that is written begins at the beginning."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("nearest weak_isr\nfollow\nsave mine.trace\n"))
    assert main(["step", *FLAGS, "--seconds", "60"]) == 0
    told = Path("mine.trace").read_text().replace("\ninitial:", "\n# What it shows.\ninitial:", 1)
    Path("mine.trace").write_text(told)
    command = ["check", "--generic", "--from", "mine.trace:5", "--property", "weak_isr", "--json", "x.json"]
    assert "weak_isr after 8 steps" in output_of(capsys, 12, command).out
    (entry,) = json.loads(Path("x.json").read_text())["properties"]
    assert entry["steps"] == 8 and main(["replay", entry["trace"]]) == 12
    assert read_file(entry["trace"]).comment == ("What it shows.",)
    assert main(["check", "--from", "mine.trace:5", "--depth", "2", "--json", "y.json"]) == 20
    assert "explored from the end of mine.trace:5" in capsys.readouterr().out
    assert json.loads(Path("y.json").read_text())["explored"] == "from the end of mine.trace:5"
    text = Path("mine.trace").read_text()
    digest = re.findall(r"@(\w+)", text)[3]
    Path("changed.trace").write_text(text.replace(digest, digest[::-1]))
    assert main(["check", "--generic", "--from", "changed.trace:5", "--property", "weak_isr"]) == 2
    assert "leads to another state than recorded" in capsys.readouterr().err
    assert main(["check", "--generic", "--from", entry["trace"], "--property", "weak_isr"]) == 12  # in the state where it begins
    trace, one = read_file(entry["trace"]), CLAIMS["weak_isr"]
    states = replay(trace, PUBLISHED).states
    assert violated_before(one, states) is None and violated_before(one, [*states, states[-1]]) == 8
    grown = Finding(sometimes(log_grows, None), NEVER)
    assert witnessed_before(grown, states) == next(n for n, s in enumerate(states) if log_grows(s))
    assert witnessed_before(grown, states[:1]) is witnessed_before(Finding(one, NEVER), states) is None
    capsys.readouterr()
    assert "--revision cannot be used with --from" in output_of(capsys, 2, [*command, "--revision", "kip-320"]).err
    assert "--fenced cannot be used with --from" in output_of(capsys, 2, [*command, "--no-fenced"]).err


def test_it_says_how_many_initial_states_there_are_and_begins_in_another(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("?\ninitial\nwhy\nnearest weak_isr\nfollow\nwhy\ninitial 99\n"))
    out = output_of(capsys, 0, ["step", *FLAGS]).out
    assert "initial [N] " in out and re.search(r"there (is 1 initial state|are \d+)", out)
    assert "nothing is violated here; why not what?" in out
    assert "weak_isr is violated after 8 steps from the initial state" in out or "from initial state 1 of" in out
    assert "weak_isr is false: leader" in out, "why alone explains the violation"
    assert "there is no initial state 99" in out


def test_another_initial_state_forgets_the_paths():
    walk = stepper()
    walk.choose(1)
    walk.begin(0)
    assert walk.steps == [] and len(walk.nodes) == 1 and "initial state" in walk.place
    with pytest.raises(UsageError, match="there is no initial state"):
        walk.begin(walk.beginnings)
