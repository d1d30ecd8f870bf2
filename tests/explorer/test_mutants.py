"""Mutants at small sizes: what kills first, which explorations are left out, and what is kept on the way."""

import json
from dataclasses import replace

import pytest
from gallery import paxos
from highwater.explorer.compiling.generate import checked_program
from highwater.explorer.library import of_a_user
from highwater.explorer.mutation.analysis import MORE, STEP_RULE, VIOLATED
from highwater.explorer.mutation.mutants import GUARD, break_all, mutated
from highwater.explorer.mutation.programs import Programs
from highwater.explorer.mutation.record import MutantRecord, Seen
from highwater.model.language.errors import UsageError
from highwater.model.language.steps import WEAK
from highwater.properties.registry import MODELS
from support.elsewhere import python
from support.finer_mutants import FinerBreaker
from support.lock_mutants import SIZES
from support.mutants import mutant_named
from support.runs import flip
from support.toys import LOCK

RUDE, PETERSON = range(len(SIZES))


def lock_mutants(record="", jobs=1):
    """What becomes of each mutant, by its function and rule, and the sizes that were explored; in a process without compiling."""
    environment = {"HIGHWATER_COMPILE": "no", "PYTHONWARNINGS": "ignore"}
    code, out, error = python(".", "-m", "support.lock_mutants", record, str(jobs), seconds=600, **environment)
    assert code == 0, error
    rows, explored = json.loads(out)
    return {(function, rule): told for function, rule, *told in rows}, explored


def test_the_catalogue_is_asked_before_step_invariants():
    found, _ = lock_mutants()
    assert found["leave", "s.process[process].place != CRITICAL"] == [STEP_RULE, "leaves_from_inside", 2, RUDE]
    assert found["enter", "s.process[process].place != WAITING"] == [VIOLATED, "one_at_a_time", 2, PETERSON]
    assert found["raise_flag", "s.process[process].place != IDLE"][0] == MORE


def test_a_record_stands_for_what_was_explored(tmp_path):
    record = tmp_path / "record"
    first, explored = lock_mutants(record)
    again, no_more = lock_mutants(record)
    assert first == again and explored and not no_more
    with record.open("r+") as file:
        file.truncate(record.stat().st_size - 5)
    repaired, few = lock_mutants(record)
    assert repaired == first and 0 < len(few) < len(explored)


def test_processes_find_the_same_in_the_same_order_and_share_the_record(tmp_path):
    record = str(tmp_path / "record")
    found, here = lock_mutants(record, jobs=2)
    assert list(found.items()) == list(lock_mutants()[0].items())
    assert here == [0]  # the unbroken model, before the processes begin
    assert lock_mutants(record) == (found, [])


def test_what_is_no_record_is_refused(tmp_path):
    path = tmp_path / "record"
    path.write_text("not a record\n")
    with pytest.raises(UsageError, match="line 1"):
        MutantRecord(str(path))


def test_a_record_keeps_what_was_seen(tmp_path):
    path = str(tmp_path / "new" / "record")
    MutantRecord(path).add("abc", Seen("violated", "strong_isr", 3, -1, -2))
    assert MutantRecord(path).known == {"abc": Seen("violated", "strong_isr", 3, -1, -2)}


def test_no_flipped_bit_changes_what_a_record_says(tmp_path):
    path = tmp_path / "record"
    kept = {str(number): Seen("violated", "strong_isr", number, 10) for number in range(3)}
    for program, seen in kept.items():
        MutantRecord(str(path)).add(program, seen)
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        path.write_bytes(whole)
        flip(path, bit // 8, bit % 8)
        try:
            found = MutantRecord(str(path)).known
        except UsageError:
            continue
        assert found.items() <= kept.items() and len(found) >= len(kept) - 2


def test_a_rule_of_what_is_switched_off_makes_no_mutant():
    twin, mutants, ranges, _ = mutated(MODELS["published"])
    there = {}
    for revision in ("kip-101", "kip-320"):
        programs = Programs(twin, twin.configure(revision, brokers=2), [ranges])
        there[revision] = {mutant.function for mutant in mutants if programs.of(mutant) != programs.unbroken}
    assert "leader_write" in there["kip-101"] & there["kip-320"]
    assert "are_in_one_epoch" in there["kip-320"] - there["kip-101"]
    assert "become_follower_kip_101" in there["kip-101"] - there["kip-320"]


def test_another_fairness_makes_other_programs():
    """It decides which mutants are stuck."""
    twin, _, ranges, _ = mutated(MODELS["published"])
    fair = replace(twin, actions=tuple(replace(action, fairness=WEAK) for action in twin.actions))
    programs = [Programs(one, one.configure("kip-320", brokers=2), [ranges]) for one in (twin, fair)]
    assert programs[0].unbroken != programs[1].unbroken


def test_a_rule_is_found_by_its_name_and_a_wrong_name_is_told_of_those_near():
    _, mutants, _ = break_all(LOCK, FinerBreaker)
    assert mutant_named(mutants, "toys.enter: s.process[process].place != WAITING").kind == GUARD
    with pytest.raises(UsageError, match=r"no rule 'toys.enter: nothing'; near are .*toys\.enter: s\.process"):
        mutant_named(mutants, "toys.enter: nothing")


def test_the_rules_of_a_model_with_containers_are_broken_too():
    """Their methods write to places that a model may not write to."""
    twin, mutants, *_ = mutated(of_a_user(paxos.MODEL))
    assert len(mutants) == 9 and not checked_program(twin, ()).plugin_code
