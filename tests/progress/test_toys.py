"""Toys with known answers, and their lassos replayed."""

import threading
from dataclasses import replace
from errno import ENOSPC

import pytest
from highwater.explorer.local.breadth_first import SHARDS
from highwater.explorer.local.check import check
from highwater.explorer.output.report import explanation
from highwater.explorer.progress import compiled
from highwater.explorer.progress.graph import ArrayFolder
from highwater.explorer.request import Request
from highwater.explorer.verdict import (
    EXIT_DEADLOCK,
    EXIT_HOLDS,
    EXIT_NEVER,
    EXIT_STUCK,
    HOLDS,
    NEVER,
    NEVER_STUCK,
    VIOLATED,
    Finding,
)
from highwater.model.language.errors import UsageError
from highwater.properties.catalogue import progress_of
from highwater.properties.registry import KAFKA
from highwater.traces.lasso import doubt, doubt_of_goal
from highwater.traces.replay import replay
from highwater.traces.text import read, write
from support import judge
from support import toys_of_progress as toys


def run(model, properties, settings=None, **options):
    """The outcome of a check of progress."""
    config = model.configure("only", **(settings or {}))
    return check(Request(model, "only", config, [], progress=list(properties), generic=True, **options))


def verdicts(outcome):
    return {f.property.name: f.verdict for f in outcome.findings}


CASES = [
    (toys.WEAK_SIGNAL, toys.SIGNAL_PROPERTIES, {}, ["train_passes"]),
    (toys.STRONG_SIGNAL, toys.SIGNAL_PROPERTIES, {}, []),
    (toys.LAZY_SIGNAL, toys.SIGNAL_PROPERTIES, {}, ["train_passes"]),
    (toys.STRONG_SIGNAL, toys.SIGNAL_PROPERTIES, {"stuck": 1}, ["train_passes", "train_can_pass"]),
    (toys.WEAK_QUEUE, toys.QUEUE_PROPERTIES, {}, ["comes_in"]),
    (toys.STRONG_QUEUE, toys.QUEUE_PROPERTIES, {}, []),
    (toys.STRONG_QUEUE, toys.QUEUE_PROPERTIES, {"processes": 3}, []),
    (toys.MACHINE, toys.MACHINE_PROPERTIES, {"breaks": 3, "spares": 3}, []),
    (toys.MACHINE, toys.MACHINE_PROPERTIES, {"breaks": 2, "spares": 1}, [p.name for p in toys.MACHINE_PROPERTIES]),
    (toys.SHOP, toys.SHOP_PROPERTIES, {"breaks": 2}, ["shop_works"]),
]


@pytest.mark.parametrize(("model", "properties", "settings", "violated"), CASES)
def test_known_answers(model, properties, settings, violated):
    outcome = run(model, properties, settings)
    assert verdicts(outcome) == {p.name: VIOLATED if p.name in violated else HOLDS for p in properties}
    assert outcome.exit_code() == (EXIT_STUCK if violated else EXIT_HOLDS)
    graph = judge.graph_of(model, outcome.config)
    for finding in outcome.findings:
        stuck = judge.stuck_states(graph, judge.fairness_of(model), finding.property, outcome.config)
        assert any(stuck.values()) == (finding.verdict == VIOLATED)


class FullFolder(ArrayFolder):
    """A folder on a disk that is full as soon as steps are written."""

    def __init__(self):
        super().__init__()
        for number in range(SHARDS):
            (self.path / f"targets-{number}").symlink_to("/dev/full")


def no_room(*arguments):
    raise OSError(ENOSPC, "No space left on device")


@pytest.mark.parametrize("where", [("edges.ArrayFolder", FullFolder), ("graph.os.posix_fallocate", no_room)])
def test_a_full_disk_is_one_sentence(where, monkeypatch):
    place, stands = where
    monkeypatch.setattr(f"highwater.explorer.{'local' if stands is FullFolder else 'progress'}.{place}", stands)
    with pytest.raises(UsageError, match=r"steps cannot be kept in .*: No space left on device; name a folder with room"):
        run(toys.WEAK_SIGNAL, toys.SIGNAL_PROPERTIES)


def test_where_a_premise_is_never_true_the_property_does_not_hold():
    """What never breaks is repaired in every behaviour: that says nothing, and it was green."""
    outcome = run(toys.MACHINE, toys.MACHINE_PROPERTIES, {"breaks": 0})
    assert verdicts(outcome) == {"machine_runs": HOLDS, "machine_can_be_repaired": NEVER, "machine_is_repaired": NEVER}
    assert outcome.exit_code() == EXIT_NEVER and "a premise of progress is never true" in explanation(outcome)


def test_v3_has_no_exchanges_that_end():
    properties = {claim.name: claim for claim in progress_of(KAFKA)}
    configs = {name: KAFKA.configure(name) for name in ("v3", "kip-101", "kip-320-first-try", "kip-320")}
    asking = {name for name, config in configs.items() if properties["exchange_ends"].applies(config)}
    assert asking == {"kip-101", "kip-320"}


@pytest.mark.parametrize(("model", "properties", "settings", "violated"), [case for case in CASES if case[3]])
def test_counterexamples_are_replayed(model, properties, settings, violated):
    for finding in run(model, properties, settings).violated:
        again = read(write(finding.trace))
        assert (again.steps, again.cycle, again.property) == (finding.trace.steps, finding.trace.cycle, finding.trace.property)
        replayed = replay(again, model)
        assert replayed.mismatch == "" and doubt(again, model, replayed.states, finding.property) == ""


def test_weak_fairness_is_not_enough_where_the_step_is_disabled_again_and_again():
    (finding,) = run(toys.WEAK_SIGNAL, toys.SIGNAL_PROPERTIES[:1]).findings
    assert [step.action for step in finding.trace.steps] == ["change_signal", "change_signal"] and finding.trace.cycle == 1


def test_without_fairness_nothing_need_happen():
    (finding,) = run(toys.LAZY_SIGNAL, toys.SIGNAL_PROPERTIES[:1]).findings
    assert (finding.trace.steps, finding.trace.cycle) == ((), 1)


def test_a_shortest_way_to_where_the_goal_is_lost():
    """Broken, repaired with the only spare, broken again."""
    found = {f.property.name: f for f in run(toys.MACHINE, toys.MACHINE_PROPERTIES, {"breaks": 2, "spares": 1}).findings}
    lost, unrepaired = found["machine_runs"].trace, found["machine_is_repaired"].trace
    assert [step.action for step in lost.steps] == ["break_down", "repair", "break_down"] and lost.cycle is None
    assert unrepaired.steps == lost.steps and unrepaired.cycle == 4


def test_a_lasso_that_was_changed_is_doubted():
    (finding,) = run(toys.WEAK_QUEUE, toys.QUEUE_PROPERTIES[:1]).findings
    model, one, trace = toys.WEAK_QUEUE, finding.property, finding.trace
    states = replay(trace, model).states
    assert "does not lead back" in doubt(trace.around(trace.cycle + 1), model, states, one)
    resting = trace.with_steps(trace.steps[: trace.cycle - 1]).around(trace.cycle)
    assert "puts go_in" in doubt(resting, model, states[: trace.cycle], one)
    assert "can be reached" in doubt(trace, model, states, toys.QUEUE_PROPERTIES[1])
    assert "no line 'cycle:'" in doubt(trace.with_steps(trace.steps).around(None), model, states, one)


def test_a_goal_in_the_cycle_before_the_premise_is_reached_again():
    """The second state is the goal, and the third the premise: the cycle comes to the goal unless it begins later."""
    (start,) = toys.WEAK_QUEUE.initial_states(toys.WEAK_QUEUE.configure("only"))
    states = [start.copy() for _ in range(4)]
    one = replace(toys.QUEUE_PROPERTIES[0], function=lambda s, process: s is states[1], premise=lambda s, process: s is states[2])
    assert "is reached in every case" in doubt_of_goal(states, one, 1)
    assert doubt_of_goal(states, one, 3) == ""


def test_a_deadlock_is_not_hidden_by_a_violation_of_progress():
    outcome = run(toys.MACHINE, toys.MACHINE_PROPERTIES, {"breaks": 2, "spares": 1})
    assert outcome.violated and outcome.exit_code() == EXIT_STUCK
    outcome.deadlock = Finding(NEVER_STUCK, VIOLATED, 3)
    assert outcome.exit_code() == EXIT_DEADLOCK
    assert explanation(outcome).startswith("nothing is enabled any more after 2 steps; also violated: ")


def test_symmetry_is_refused():
    with pytest.raises(UsageError, match=r"^symmetry cannot be used for comes_in: "):
        run(toys.WEAK_QUEUE, toys.QUEUE_PROPERTIES[:1], symmetry=True)


def test_a_model_without_fairness_is_refused():
    model = toys.signal()
    with pytest.raises(UsageError, match=r"declares none of its actions weak or strong"):
        run(model, toys.SIGNAL_PROPERTIES[:1])
    assert verdicts(run(model, toys.SIGNAL_PROPERTIES[1:])) == {"train_can_pass": HOLDS}


def test_more_goals_than_a_mask_has_bits_are_refused_before_anything_is_explored(monkeypatch):
    monkeypatch.setattr("highwater.explorer.progress.labels.WORD_BITS", 0)
    monkeypatch.setattr("highwater.explorer.local.check.search_for", None)
    with pytest.raises(UsageError, match="is about 1 goals here, more than 0; choose smaller sizes"):
        run(toys.MACHINE, toys.MACHINE_PROPERTIES)


def test_the_passes_are_compiled_before_threads_need_them(monkeypatch):
    """Two threads that did so met a defect of Python's parser: "AST constructor recursion depth mismatch"."""
    threads, load = set(), compiled.load
    monkeypatch.setattr(compiled, "load", lambda *given: threads.add(threading.current_thread()) or load(*given))
    compiled.passes.cache_clear()
    run(toys.MACHINE, toys.MACHINE_PROPERTIES, threads=2)
    assert threads == {threading.main_thread()}
