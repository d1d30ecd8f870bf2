"""What decides a verdict is the identity of a run: a directory of another run is refused, and findings are proved again."""

from dataclasses import replace

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.command_line import main
from highwater.explorer.local import check as checking
from highwater.explorer.local.check import check
from highwater.explorer.output.progress_line import more_memory
from highwater.explorer.runs import identity
from highwater.model.language.kinds import Integer
from highwater.model.language.steps import FAULT
from highwater.properties.property import always
from support import toys
from support.exploring import request
from support.runs import manifest_of, sealed, sentence
from support.toys import total

SMALL = ["--model", "published", "--brokers", "2", "--generic", "--quiet", "--revision"]


def run(path, properties=toys.COUNTER_PROPERTIES, model=toys.COUNTERS, **options):
    return check(request(model, "only", {"counters": 2, "top": 4}, properties, run_directory=str(path), **options))


def refused(path, **options):
    return sentence(run, path, resume=True, **options)


def test_deadlock_is_not_asked_of_a_run_that_did_not_look_for_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["check", *SMALL, "kip-320", "--deadlock"]) == 11
    assert main(["check", *SMALL, "kip-320", "--run-dir", "run"]) == 0
    monkeypatch.setattr(checking, "compile_for", None)  # it is refused before anything is compiled
    assert main(["check", *SMALL, "kip-320", "--run-dir", "run", "--resume", "--deadlock"]) == 2
    assert "its deadlock (False there, True here)" in capsys.readouterr().err


def test_a_run_that_a_bound_ended_says_how_it_is_continued(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["check", *SMALL, "kip-320", "--run-dir", "run", "--depth", "2"]) == 20
    assert "; continue with --run-dir run --resume" in capsys.readouterr().out
    assert more_memory("run").startswith("; continue where there is more memory with --run-dir run --resume")


def is_small(s):
    """The sum stays small."""
    return total(s) < 7


def is_smaller(s):
    """The sum stays small."""
    return total(s) < 4


def test_an_edited_property_does_not_keep_its_old_verdict(tmp_path):
    before, after = (replace(always(function, None), name="same_name") for function in (is_small, is_smaller))
    run(tmp_path, [before], generic=False)
    assert "its properties (same_name: " in refused(tmp_path, properties=[after], generic=False)


def test_another_fairness_is_another_run(tmp_path):
    """Answers of properties of progress are kept beside the states."""
    run(tmp_path, bounds=Bounds(depth=2))
    actions = tuple(replace(action, fairness=FAULT) for action in toys.COUNTERS.actions)
    assert "its fairness" in refused(tmp_path, model=replace(toys.COUNTERS, actions=actions))


def test_other_initial_states_are_another_run(tmp_path):
    def one_further(config):
        state = toys.Counters(config)
        state.count[0] = 1
        return [state]

    run(tmp_path, bounds=Bounds(depth=2))
    assert "its initial states" in refused(tmp_path, model=replace(toys.COUNTERS, initial_states=one_further))


def forget_zero(s):
    """Counters of one and of zero are the same."""
    s.count[0] = max(s.count[0], 1)


def test_another_normal_form_is_another_run(tmp_path):
    run(tmp_path, bounds=Bounds(depth=2))
    assert "its model version" in refused(tmp_path, model=replace(toys.COUNTERS, normal_form=forget_zero))


def test_other_ranges_of_variables_are_another_run(tmp_path, monkeypatch):
    run(tmp_path, bounds=Bounds(depth=2))
    fields = {"count": toys.many(Integer(0, "top", "how far", 0, 3), toys.MEMBERS, "by counter")}
    monkeypatch.setattr(toys.Counters, "fields", fields)
    assert "its declarations" in refused(tmp_path)


def test_another_version_of_highwater_is_another_run(tmp_path, monkeypatch):
    run(tmp_path, bounds=Bounds(depth=2))
    monkeypatch.setattr(identity, "own_version", lambda: "99.0")
    assert "its highwater (" in refused(tmp_path)


def test_keep_going_may_be_given_later(tmp_path):
    first = run(tmp_path / "a", keep_going=False)
    assert not first.complete and first.violated
    assert [f.depth for f in run(tmp_path / "a", resume=True).findings] == [f.depth for f in run(tmp_path / "b").findings]


FINDINGS = {
    "another place": lambda found, other: {**found, "shard": other["shard"], "index": other["index"]},
    "another depth": lambda found, other: {**found, "depth": found["depth"] - 1},
    "a step": lambda found, other: {**found, "code": 0},
}


@pytest.mark.parametrize("change", FINDINGS.values(), ids=FINDINGS)
def test_a_finding_that_the_model_does_not_confirm_is_refused(tmp_path, change):
    run(tmp_path)
    found = manifest_of(tmp_path)["found"]
    found["sum_below_seven"] = change(found["sum_below_seven"], found["no_step_to_two"])
    sealed(tmp_path, found=found)
    assert "does not confirm" in refused(tmp_path)


def test_a_finding_of_what_is_not_checked_is_refused(tmp_path):
    run(tmp_path)
    found = manifest_of(tmp_path)["found"]
    found["something"] = found.pop("sum_below_seven")
    sealed(tmp_path, found=found)
    assert "does not check it" in refused(tmp_path)


def test_findings_of_all_sorts_are_proved_again(tmp_path):
    """Violations and witnesses, of states and of steps, and a deadlock."""
    whole = run(tmp_path, deadlock=True)
    assert set(manifest_of(tmp_path)["found"]) == {"sum_below_seven", "no_step_to_two"}
    again = run(tmp_path, deadlock=True, resume=True)
    assert [(f.depth, f.trace) for f in again.findings] == [(f.depth, f.trace) for f in whole.findings]
