"""Actions of which a part cannot be read: what is not read may be anything, so nothing false is proved of it. Each model was
written so that a reader which forgot a write, a return or a dependence would prove what a small size refutes."""

import pytest
from highwater.explorer.symbolic.any_size import AnySize, Unrolled, prove_any_size
from highwater.explorer.symbolic.frames import SymbolicError
from highwater.explorer.symbolic.induction import RANGES
from highwater.explorer.symbolic.proof import ProofRequest
from highwater.explorer.symbolic.solving import PROVED
from highwater.model.language import (
    Model,
    Revision,
    Settings,
    State,
    actions,
    derived,
    flag,
    integer,
    many,
    member,
    member_set,
    size,
)  # fmt: skip
from highwater.model.language.kinds import NO_MEMBER
from highwater.model.members import contains, everyone, excluding, including
from highwater.properties.property import always, quantified

DOMAINS = {"node": "members", "index": "length"}


class Sizes(Settings):
    nodes = size(3, 1, 5, "members")
    length = size(3, 1, 6, "numbers")
    members = derived(lambda c: c.nodes)
    last = derived(lambda c: c.length - 1)


class Toy(State):
    leader = member("a member")
    seen = member_set("members that were seen")
    knows = many(member_set("whom a member knows"), "members", "by member")
    follows = many(member("whom a member follows"), "members", "by member")
    end = integer(0, "length", "an end")
    on = flag("what shall not happen")
    mark = many(flag("a mark"), "length", "marks")
    place = many(integer(0, "last", "where a row is marked"), "length", "by row")
    cell = many(many(flag("a cell"), "length", "cells"), "length", "rows")


def first_states(config):
    return [Toy(config)]


def any_size_of(functions, claims):
    revisions = {"only": Revision("only", "a toy", {})}
    toy = Model("toy", "a toy", Toy, Sizes, actions(DOMAINS, functions), first_states, revisions, domains=DOMAINS)
    return AnySize(toy, Sizes(), quantified([always(claim, since=None) for claim in claims], DOMAINS), timeout=1.0)


def proved(functions, claims):
    """What is proved of the actions, each question by itself."""
    any_size, found = any_size_of(functions, claims), set()
    for action in any_size.actions:
        step, alone = any_size.step(action), Unrolled(any_size._small)
        names = [*(claim.__name__ for claim in claims), RANGES]
        found |= {name for name in names if any_size.preserved(name, step, alone).verdict == PROVED}
    return found


def is_one(number):
    return number * 2 == 2


def off(s):
    return not s.on


def no_mark(s, index):
    return not s.mark[index]


def no_cell(s, index):
    return not s.cell[0][index]


def no_later_cell(s, index):
    return index == 0 or not s.cell[index][0]


def all_or_nobody(s):
    return s.seen == 0 or s.seen == everyone(s.config.nodes)


def nobody_is_seen(s):
    return s.seen == 0


def nobody_knows(s, node):
    return s.knows[node] == 0


def turn_on(s):
    s.on = 1


def writes_in_a_call(s):
    for position in range(s.config.length):
        if is_one(position):
            turn_on(s)
    return True


def writes_in_an_inner_loop(s):
    for node in range(s.config.members):
        for position in range(s.config.length):
            if is_one(position) and contains(s.seen, node):
                s.on = 1
    return True


def marks_somewhere(s):
    s.mark[s.end * 2 % 2] = 1
    return True


def marks_in_a_row(s):
    row = s.cell[s.end * 2 % 2]
    row[s.end * 2 % 2] = 1
    return True


def row_of(s):
    for position in range(s.config.length):
        if is_one(position):
            return s.cell[position]
    return s.cell[0]


def marks_in_a_row_that_is_found(s):
    row = row_of(s)
    row[0] = 1
    return True


def returns_before_it_is_off(s):
    s.on = 1
    for position in range(s.config.length):
        if is_one(position):
            return True
    s.on = 0
    return True


def is_somewhere_one(s):
    for position in range(s.config.length):
        if is_one(position):
            return True
    return False


def turns_on_by_a_search(s):
    s.on = is_somewhere_one(s)
    return True


def counts(s):
    count = 0
    for position in range(s.config.length):
        if s.mark[position]:
            count += 1
    if count == 2:
        s.on = 1
    return True


def overwrites_in_a_loop(s):
    last = s.end
    for position in range(s.config.length):
        last = position * 2
    if last * 2 % 2 == 0:
        s.on = 1
    return True


def takes(s):
    s.on = 1
    return 7


def writes_behind_what_is_not_read(s):
    if s.end * 2 % 2 <= s.end * 2 <= takes(s):
        s.end = 0
    return True


def one_alone(s):
    for node in range(s.config.members):
        if s.seen == 0:
            s.seen = including(s.seen, node)
    return True


def one_alone_by_name(s):
    found = 0
    for node in range(s.config.members):
        if found == 0:
            found = including(found, node)
    s.seen = found
    return True


def leader_alone(s):
    for node in range(s.config.members):
        s.seen = including(s.seen, node)
        s.seen = excluding(s.seen, s.leader)
    return True


def those_who_know(s):
    for node in range(s.config.members):
        if contains(s.knows[node], node):
            s.seen = including(s.seen, node)
    return True


def leader_knows(s):
    if s.leader == NO_MEMBER:
        return False
    for node in range(s.config.members):
        s.knows[s.leader] = including(s.knows[s.leader], node)
    return True


def each_row_is_marked(s):
    for position in range(s.config.length):
        s.cell[position][s.place[position]] = 1
    return True


def rows_agree(s, index):
    return s.cell[0][index] == s.cell[index][index]


def followers_know(s):
    for node in range(s.config.members):
        if s.follows[node] != NO_MEMBER:
            s.knows[s.follows[node]] = including(s.knows[s.follows[node]], node)
    return True


def all_know_the_same(s, node):
    return s.leader == NO_MEMBER or s.knows[node] == s.knows[s.leader]


def turns_on_by_a_complement(s):
    if s.seen != 0:
        return False
    if ~s.seen != everyone(s.config.nodes):
        s.on = 1
    return True


def all_know(s):
    for node in range(s.config.members):
        for other in range(s.config.members):
            s.knows[node] = including(s.knows[node], other)
    return True


FALSE = [
    (writes_in_a_call, off), (writes_in_an_inner_loop, off), (marks_somewhere, no_mark), (marks_in_a_row, no_cell),
    (marks_in_a_row_that_is_found, no_later_cell), (returns_before_it_is_off, off), (turns_on_by_a_search, off), (counts, off),
    (overwrites_in_a_loop, off), (writes_behind_what_is_not_read, off), (one_alone, all_or_nobody),
    (one_alone_by_name, all_or_nobody), (leader_alone, all_or_nobody), (those_who_know, all_or_nobody),
    (leader_knows, nobody_knows), (all_know, nobody_knows), (each_row_is_marked, rows_agree),
    (followers_know, all_know_the_same), (turns_on_by_a_complement, off),
]  # fmt: skip
QUICK = {writes_in_a_call, returns_before_it_is_off, one_alone}


@pytest.mark.parametrize(
    ("function", "claim"), [one if one[0] in QUICK else pytest.param(*one, marks=pytest.mark.long) for one in FALSE]
)
def test_nothing_false_is_proved_where_a_part_is_not_read(function, claim):
    any_size = any_size_of([function], [claim])
    (action,) = any_size.actions
    assert any_size.unrolled(action).broken == {claim.__name__}, "a small size refutes it"
    assert claim.__name__ not in proved([function], [claim])


def sees_all(s):
    for node in range(s.config.members):
        s.seen = including(s.seen, node)
    return True


def sees_who_is_known(s):
    found = s.seen
    for node in range(s.config.members):
        if contains(s.knows[node], s.leader):
            found = including(found, node)
    s.seen = found
    return True


def forgets(s):
    for node in range(s.config.members):
        for other in range(s.config.members):
            s.knows[node] = excluding(s.knows[node], other)
    return True


@pytest.mark.parametrize(
    ("function", "claim"),
    [
        (sees_all, all_or_nobody), (forgets, nobody_knows), (marks_somewhere, off), (counts, no_mark),
        pytest.param(writes_in_a_call, no_mark, marks=pytest.mark.long),
        pytest.param(marks_in_a_row, no_mark, marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_what_does_not_depend_on_it_is_proved(function, claim):
    assert claim.__name__ in proved([function], [claim])


def test_members_are_put_into_a_set_by_their_own_turn():
    def seen_are_known(s, node):
        return not contains(s.seen, node) or contains(s.knows[node], s.leader)

    assert "seen_are_known" in proved([sees_who_is_known], [seen_are_known])


def test_a_claim_is_read_whole_or_refused():
    def few_marks(s, index):
        return s.end * 2 % 2 == 0

    with pytest.raises(SymbolicError, match=r"test_any_size_unread.py:\d+: the prover does not know"):
        any_size_of([sees_all], [few_marks])


def test_the_report_names_what_was_not_read():
    any_size = any_size_of([counts], [no_mark])
    request = ProofRequest(any_size.model, "only", Sizes(), any_size.claims, [], timeout=5.0)
    proof = prove_any_size(request)
    assert proof.verdict == PROVED and proof.cutoff is None
    assert {place.rpartition(":")[0] for place in proof.unread} == {"symbolic/test_any_size_unread.py"}
