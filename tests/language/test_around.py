"""A constraint on states, and actions that refuse after they have written: what is put around a model's own functions."""

from itertools import product

import highwater
import pytest
from highwater.explorer.command_line import main
from highwater.explorer.plain.explore import explore_plain
from highwater.model.language import Model, State, UsageError, flag, integer, many
from highwater.model.language.errors import ModelError
from highwater.properties.plugins import checked_model
from highwater.properties.property import always, eventually, sometimes, step


class Counters(State):
    """Two counters."""

    count = many(integer(0, 9, "a count"), 2)
    stopped = flag("they stand still")


def tick(s, count):
    """A counter ticks."""
    if s.count[count] == 9 or s.stopped:
        return False
    s.count[count] += 1
    return True


def stop(s):
    """They stop."""
    if s.stopped:
        return False
    s.stopped = True
    return True


def small(s):
    """Neither has come far."""
    return s.count[0] + s.count[1] <= 3


def not_four(s, count):
    """No counter is at four."""
    return s.count[count] != 4


def is_four(s, count):
    """A counter is at four."""
    return s.count[count] == 4


def it_moves(s, t):
    """Every step moves something."""
    return s.count[0] != t.count[0] or s.count[1] != t.count[1] or s.stopped != t.stopped


def stands(s):
    """They stand still."""
    return s.stopped == 1


def counters(**how):
    return Model(state=Counters, actions=[tick, stop], constraint=small, **how)


def inside_and_outside():
    """The states that steps from within lead to, by hand: sums up to 4, of which those of 4 are outside."""
    sums = [a + b for a, b in product(range(10), repeat=2)]
    return 2 * sum(one <= 3 for one in sums), sum(one == 4 for one in sums)


def test_a_state_outside_is_checked_and_not_expanded():
    inside, outside = inside_and_outside()
    found = highwater.check(counters(properties=[always(not_four), step(it_moves)]), keep_going=True, threads=1)
    assert (found.states, found.outside) == (inside + outside, outside) and found.complete
    assert found.verdicts == {"not_four": "violated", "it_moves": "holds"} and found.steps("not_four") == 4
    assert "within the constraint small, and one step beyond" in str(
        highwater.check(counters(properties=[step(it_moves)]), threads=1)
    )
    assert f"({outside} of them outside the constraint)" in str(found)
    reached = highwater.check(counters(properties=[sometimes(is_four)]), threads=1)
    assert reached.verdicts == {"is_four": "witnessed"}


def test_the_plain_engine_finds_the_same():
    """As TLC counts transitions: the initial state, and two ticks and a stop from each state within that does not stand still."""
    model = checked_model(counters(), __name__)
    plain, found = explore_plain(model, model.configure("only")), highwater.check(counters(), threads=1)
    within = inside_and_outside()[0] // 2
    assert plain.states == found.states == sum(inside_and_outside())
    assert plain.transitions == found.transitions == 1 + 3 * within


def test_what_would_follow_outside_is_no_violation_of_progress():
    fair = counters(properties=[eventually(stands)], weak=[stop])
    assert highwater.check(fair, properties=["stands"], threads=1).verdicts == {"stands": "holds"}
    lazy = counters(properties=[eventually(stands)], weak=[tick])
    assert highwater.check(lazy, properties=["stands"], threads=1).verdicts == {"stands": "holds"}  # all ways lead outside


@pytest.mark.parametrize(
    ("constraint", "says"), [("small", "is a function of the state alone"), (is_four, "is a function of the state alone")]
)
def test_what_is_no_constraint_is_refused(constraint, says):
    with pytest.raises(UsageError, match=says):
        Model(state=Counters, actions=[tick], constraint=constraint)


def writes(s):
    """It writes."""
    s.stopped = True
    return True


def test_a_constraint_only_reads():
    with pytest.raises(UsageError, match="only reads"):
        highwater.check(Model(state=Counters, actions=[tick], constraint=writes), threads=1)


# Rollback.


class Account(State):
    """An account."""

    account = many(integer(0, 3, "what is there"), 2)


def move(s, account, other):
    """Two are taken from one account, and put into another, if that leaves something and does not fill it."""
    if account == other:
        return False
    if s.account[account] < 2:
        return False
    s.account[account] -= 2
    if s.account[other] >= 2:
        return False  # too late: the other account would overflow
    s.account[other] += 2
    return True


def earn(s, account):
    """One is put into an account."""
    s.account[account] = min(3, s.account[account] + 1)
    return sum(s.account) <= 4


def nothing_is_lost(s, t):
    """No step takes more than it gives."""
    return sum(t.account) >= sum(s.account)


def accounts(**how):
    return Model(
        state=Account, actions=[move, earn], domains={"other": 2}, properties=[step(nothing_is_lost)], **how
    )  # fmt: skip


def by_hand():
    """Its states, computed beside it."""
    seen, todo = {(0, 0)}, [(0, 0)]
    while todo:
        a, b = todo.pop()
        after = [(a - 2, b + 2)] * (a >= 2 > b) + [(a + 2, b - 2)] * (b >= 2 > a)
        after += [one for one in ((min(3, a + 1), b), (a, min(3, b + 1))) if sum(one) <= 4]
        todo += [one for one in after if one not in seen]
        seen |= set(after)
    return len(seen)


def test_what_is_written_before_a_refusal_is_undone():
    model = accounts(rollback=[move, earn])
    found = highwater.check(model, threads=1)
    assert found and found.states == by_hand()
    plain = checked_model(model, __name__)
    assert explore_plain(plain, plain.configure("only")).states == by_hand()


def test_without_asking_for_it_such_a_refusal_fails_with_its_place():
    with pytest.raises(ModelError, match="refuses after it has written"):
        highwater.check(accounts(), threads=1)


def test_walks_and_proofs_undo_it_too():
    model = accounts(rollback=[move, earn])
    assert highwater.walk(model, walks=20, length=20, threads=1)
    assert highwater.prove(model, properties=["nothing_is_lost"], threads=1)


def test_rollback_names_actions():
    with pytest.raises(UsageError, match="rollback names 'nothing_is_lost'"):
        accounts(rollback=[nothing_is_lost])


FILE = '''
from highwater.model.language import Model, State, integer


class Tank(State):
    """A tank."""

    level = integer(0, 5, "how full")


def fill(s):
    """It fills."""
    s.level += 1
    if s.level > 4:
        return False
    return True


def half(s):
    """It is half full at most."""
    return s.level <= 2


MODEL = Model(state=Tank, actions=[fill], rollback=[fill], constraint=half)
'''


def test_the_commands_have_both(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "around_tank.py").write_text(FILE)
    assert main(["check", "around_tank.py"]) == 20
    said = capsys.readouterr().out
    assert "4 distinct states (1 of them outside the constraint)" in said
    assert main(["export", "around_tank.py", "--tla", "Tank.tla"]) == 0
    assert "OutsideConstraint" in (tmp_path / "Tank.tla").read_text()
    assert main(["source", "around_tank.py"]) == 0
    assert "def fill(s)" in capsys.readouterr().out
    assert main(["list", "around_tank.py", "actions"]) == 0
