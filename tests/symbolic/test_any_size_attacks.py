"""Models that were written to get something false proved for any size. Each question is asked by itself: a small size is not
looked at first, which would refute most of it."""

import pytest
from highwater.explorer.symbolic.any_size import AnySize, Unrolled
from highwater.explorer.symbolic.induction import RANGES
from highwater.explorer.symbolic.solving import PROVED
from highwater.explorer.symbolic.unread import LenientReader
from highwater.model.language import (
    Model,
    Revision,
    Rule,
    Settings,
    State,
    UsageError,
    actions,
    budget,
    derived,
    flag,
    integer,
    many,
    member,
    size,
)  # fmt: skip
from highwater.properties.property import always, quantified, step

from tests.support import random_loops

DOMAINS = {"node": "members", "index": "length", "leader": "members"}


class Sizes(Settings):
    nodes = size(3, 1, 5, "members")
    length = size(3, 1, 6, "numbers")
    members = derived(lambda c: c.nodes)
    others = derived(lambda c: c.nodes - 1)
    spare = derived(lambda c: max(0, c.length - 3))
    mode = derived(lambda c: 1 if c.nodes > 3 else 0)


class Toy(State):
    leader = member("a member, called as a parameter")
    nobody = member("a member, called as the constant")
    length = integer(0, "length", "a number, called as its size")
    end = integer(0, "length", "an end")
    on = flag("what shall not happen")
    mark = many(integer(0, "length", "a mark"), "length", "marks")
    sent = many(integer(0, "length", "a number"), "members", "numbers by member")
    cell = many(many(flag("a cell"), "length", "cells"), "length", "rows")


def first_states(config):
    return [Toy(config)]


def model(functions, state=Toy):
    revisions = {"only": Revision("only", "a toy", {})}
    return Model("toy", "a toy", state, Sizes, actions(DOMAINS, functions), first_states, revisions, domains=DOMAINS)


def verdicts(functions, claims, kind=always):
    """What each question says by itself, by action and claim or place."""
    named = quantified([kind(claim, since=None) for claim in claims], DOMAINS)
    any_size = AnySize(model(functions), Sizes(), named, timeout=1.0)
    found = {("claims", one.name): one.verdict for one in any_size.claim_bounds()}
    for action in any_size.actions:
        step_, alone = any_size.step(action), Unrolled(any_size._small)
        for place, holds in step_.obligations.items():
            found[action.name, place] = any_size._asked(place, step_.enabled[:-1], any_size.assumed, holds).verdict
        for name in [*(claim.__name__ for claim in claims), RANGES]:
            found[action.name, name] = any_size.preserved(name, step_, alone).verdict
    return found


def off(s):
    return not s.on


def turn_on(s):
    s.on = 1
    return True


def below_zero_is_refused(s):
    if s.end - 1 >= 0:
        return False
    s.on = 1
    return True


def below_zero_is_written(s):
    s.end = s.end - 1
    return True


def last_of_two_loops(s):
    end = 0
    for a in range(s.config.length):
        for b in range(s.config.length):
            if s.cell[a][b]:
                end = b
    s.end = end
    return True


def end_is_in_the_first_row(s, index):
    return s.end == 0 or s.end != index or s.cell[0][index]


def least_of_two_loops(s):
    end = s.length
    for a in range(s.config.length):
        for b in range(s.config.length):
            if s.cell[a][b]:
                end = min(end, b)
    s.end = end
    return True


def end_is_the_length_or_in_the_first_row(s, index):
    return s.end == s.length or s.end != index or s.cell[0][index]


def elect(s, node):
    s.leader = node
    return True


def leader_sent(s, leader):
    return s.leader != leader or s.sent[leader] > 0


def name_somebody(s, node):
    s.nobody = node
    return True


def turn_on_beside_somebody(s):
    if s.nobody == s.leader:
        return False
    s.on = 1
    return True


def grow(s):
    if s.length >= s.config.length:
        return False
    s.length += 1
    return True


def nothing_or_all(s):
    return s.length == 0 or s.length == s.config.length


def marks_by_their_neighbour(s, index):
    if index + 1 >= s.config.length:
        return True
    return s.mark[index + 1] == 0 if index < s.end else s.mark[index + 1] == 1


def first_mark_behind(s, index):
    for position in range(s.config.length):
        if position > index and s.mark[position] > 0:
            return position
    return 0


def marks_by_a_search(s, index):
    return first_mark_behind(s, index) == 0 if index == 0 else first_mark_behind(s, index) == 1


def mark_at_the_end(s):
    return s.mark[s.end] == 0


def end_at_length(s):
    s.end = s.config.length
    return True


def mark_at_the_length_grows(s, t):
    return t.mark[s.length] >= s.mark[s.length]


@pytest.mark.parametrize(
    ("functions", "claims"),
    [
        ([below_zero_is_refused], [off]),
        ([elect], [leader_sent]),
        ([end_at_length], [mark_at_the_end]),
        *(
            pytest.param(*one, marks=pytest.mark.long)
            for one in [
                ([below_zero_is_written], [off]),
                ([last_of_two_loops], [end_is_in_the_first_row]),
                ([least_of_two_loops], [end_is_the_length_or_in_the_first_row]),
                ([name_somebody, turn_on_beside_somebody], [off]),
                ([grow], [nothing_or_all]),
                ([turn_on], [marks_by_their_neighbour, off]),
                ([turn_on], [marks_by_a_search, off]),
            ]
        ),
    ],
)
def test_nothing_false_is_proved(functions, claims):
    assert set(verdicts(functions, claims).values()) != {PROVED}


def test_an_index_of_a_claim_about_steps_must_lie_in_its_array():
    assert set(verdicts([turn_on], [mark_at_the_length_grows], kind=step).values()) != {PROVED}


def needs_the_flag(s):
    if not s.on:
        return False
    s.end = 0
    return True


def test_an_action_that_the_claims_forbid_is_vacuous():
    claims = quantified([always(off, since=None)], DOMAINS)
    any_size = AnySize(model([needs_the_flag, end_at_length]), Sizes(), claims, timeout=1.0)
    assert [any_size.action(action).possible == PROVED for action in any_size.actions] == [True, False]


class Small(Toy):
    vote = many(flag("a vote"), "votes", "votes, whose number is no size")
    crashes = integer(0, "crashes", "faults, whose number is no size")


class SmallSizes(Sizes):
    votes = derived(lambda c: 3)
    crashes = budget("crashes", 2)


def vote(s, value):
    s.vote[value] = 1
    return True


def crash(s):
    if s.crashes >= s.config.crashes:
        return False
    s.crashes += 1
    return True


def at_most_two(s):
    return s.crashes <= 2


def nobody_votes(s, value):
    return s.vote[value] == 0


def test_what_no_size_is_behind_has_the_number_that_is_given():
    domains = {"value": "votes"}
    revisions, next_ = {"only": Revision("only", "a toy", {})}, actions(domains, [vote, crash])
    small = Model("small", "a toy", Small, SmallSizes, next_, first_states_of_small, revisions, domains=domains)
    claims = quantified([always(claim, since=None) for claim in (at_most_two, nobody_votes)], domains)
    any_size, said = AnySize(small, SmallSizes(), claims, timeout=1.0), {}
    for action in any_size.actions:
        for name in ("at_most_two", "nobody_votes", RANGES):
            question = any_size.preserved(name, any_size.step(action), Unrolled(any_size._small))
            said[action.name, name] = question.verdict == PROVED
    assert [key for key, proved in said.items() if not proved] == [("vote", "nobody_votes")]


def first_states_of_small(config):
    return [Small(config)]


# What is not read, with its place.


def all_but_one(s):
    for node in range(s.config.others):
        if s.sent[node] == 0:
            return False
    s.on = 1
    return True


def index_behind_its_loop(s):
    position = 0
    for position in range(s.config.length):
        s.mark[position] = 0
    s.end = position
    return True


def value_of_an_earlier_turn(s):
    found = 0
    for position in range(s.config.length):
        if position == 0:
            found = 1
        s.mark[position] = found
        found = 2
    return True


def negative(s):
    s.end = -s.end
    return True


def many_members(s):
    if s.config.members > 2:
        s.on = 1
    return True


def number_or_member(s):
    found = 0
    if s.on:
        found = s.leader
    s.on = found == 0
    return True


def flag_as_an_end(s):
    s.end = s.on
    return True


def rows_are_equal(s):
    s.on = s.cell[0] == s.cell[1]
    return True


def by_mode(s):
    s.on = s.config.mode
    return True


@pytest.mark.parametrize(
    "function",
    [
        all_but_one, index_behind_its_loop, value_of_an_earlier_turn, negative, many_members, number_or_member, flag_as_an_end,
        rows_are_equal, by_mode,
    ],
)  # fmt: skip
def test_what_has_no_formula_is_named_with_its_place(function):
    any_size = AnySize(model([function]), Sizes(), quantified([always(off, since=None)], DOMAINS), timeout=1.0)
    assert any("test_any_size_attacks.py:" in place for place in any_size.step(any_size.actions[0]).unread)


def test_a_size_does_not_choose_what_an_action_is():
    with pytest.raises(UsageError, match="the size nodes chooses what act is"):
        verdicts([Rule("act", "mode", [None, turn_on])], [off])


def test_a_range_that_small_sizes_make_one_number_is_refused():
    class Spare(Toy):
        extra = integer(0, "spare", "what only large sizes have room for")

    with pytest.raises(UsageError, match="the range of extra, which is empty or one number at small sizes"):
        AnySize(model([turn_on], Spare), Sizes(), quantified([always(off, since=None)], DOMAINS), timeout=1.0)


# Random models.


@pytest.mark.parametrize("seed", [6, *(pytest.param(seed, marks=pytest.mark.long) for seed in (0, 1, 2, 4, 7, 8))])
def test_nothing_is_proved_of_a_random_model_that_a_size_refutes(seed, tmp_path):
    found, proved = random_loops.disagreements(random_loops.model_of(seed, tmp_path))
    assert found == [] and proved


@pytest.mark.parametrize("seed", [10_028, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(10_000, 10_020))])
def test_nothing_is_proved_of_a_random_model_with_parts_that_are_not_read(seed, tmp_path):
    assert random_loops.disagreements(random_loops.model_of(seed, tmp_path))[0] == []


@pytest.mark.parametrize("forgotten", ["_write_anything", "_any_truth"])
def test_a_reader_that_forgets_what_it_cannot_read_is_found_out(forgotten, monkeypatch, tmp_path):
    monkeypatch.setattr(LenientReader, forgotten, lambda *_: False)
    assert random_loops.disagreements(random_loops.model_of(10_028, tmp_path), sizes=[(2, 2)])[0]


def test_what_a_size_refutes_is_told(monkeypatch, tmp_path):
    all_proved = {(f"act_{action}", f"claim_{claim}"): PROVED for action in range(2) for claim in range(2)}
    monkeypatch.setattr(random_loops, "of_any_size", lambda *_: all_proved)
    broken, proved = random_loops.disagreements(random_loops.model_of(2, tmp_path), sizes=[(2, 2)])
    assert broken and proved == 4
