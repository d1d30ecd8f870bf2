"""Lemmas that no person wrote: which are found, that what is proved with them is true, and that a false claim stays refused."""

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.symbolic.candidates import Pool, walked_states
from highwater.explorer.symbolic.houdini import find_lemmas
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.solving import BROKEN, PROVED
from highwater.model.language import Model, Record, Revision, Settings, State, actions, integer, many, member, member_set, size
from highwater.model.language.completed import no_asymmetry
from highwater.model.language.settings import derived
from highwater.model.members import NO_BROKER, contains, excluding, including
from highwater.properties.property import always, quantified


class Sizes(Settings):
    nodes = size(3, 1, 5, "members")
    members = derived(lambda c: c.nodes)


class Lock(State):
    holder = member("who holds the lock")
    inside = member_set("who is inside")


def acquire(s, node):
    """The lock is free, and taken."""
    if s.holder != NO_BROKER:
        return False

    s.holder = node
    return True


def enter(s, node):
    """Who holds the lock goes in."""
    if s.holder != node:
        return False

    s.inside = including(s.inside, node)
    return True


def leave(s, node):
    """Someone goes out."""
    if not contains(s.inside, node):
        return False

    s.inside = excluding(s.inside, node)
    return True


def release(s, node):
    """Who holds the lock, and is outside, gives it back."""
    if s.holder != node or contains(s.inside, node):
        return False

    s.holder = NO_BROKER
    return True


def release_inside(s, node):
    """The same without the guard."""
    if s.holder != node:
        return False

    s.holder = NO_BROKER
    return True


def one_inside(s, node, other):
    """No two are inside."""
    return node == other or not contains(s.inside, node) or not contains(s.inside, other)


DOMAINS = {"node": "members", "other": "members"}


def asked(*functions, state=Lock, claim=one_inside):
    next_ = actions(DOMAINS, list(functions))
    model = Model(
        "lock", "a lock", state, Sizes, next_, lambda config: [state(config)], {"only": Revision("only", "a lock", {})},
        {"small": {"members": 5}}, DOMAINS, asymmetry=no_asymmetry,
    )  # fmt: skip
    return ProofRequest(model, "only", Sizes(), list(quantified([always(claim, since=None)], DOMAINS)), [], timeout=20.0)


def test_the_lemma_that_is_missing_is_found():
    request = asked(acquire, enter, leave, release)
    assert prove(request).verdict == BROKEN
    found = find_lemmas(request)
    assert [lemma.function.__doc__ for lemma in found.lemmas] == ["node == s.holder or not (s.inside >> node & 1 == 1)"]
    request.lemmas = found.lemmas
    assert prove(request).verdict == PROVED


def test_what_is_violated_is_proved_with_no_lemma():
    request = asked(acquire, enter, leave, release_inside)
    request.lemmas = find_lemmas(request).lemmas
    assert prove(request).verdict == BROKEN


def test_a_reached_state_refutes_candidates():
    request = asked(acquire, enter, leave, release)
    pool, states = Pool(request.model, request.config, []), walked_states(request.model, request.config)
    few, many = ({candidate.text for candidate in pool.candidates(some)} for some in (states, states[:1]))
    assert few and not many <= few
    assert all(candidate.holds(state) for candidate in pool.candidates(states) for state in states)


class Count(Record):
    low = integer(0, "nodes", "follows")
    high = integer(0, "nodes", "goes first")


class Counts(State):
    count = many(Count, "members", "each member's")


def may_follow(me: Count):
    return me.low < me.high


def go_first(s, node):
    """The higher number grows."""
    if s.count[node].high >= s.config.nodes:
        return False

    s.count[node].high += 1
    return True


def follow(s, node):
    """The lower number grows, where it is lower."""
    me = s.count[node]
    if not may_follow(me):
        return False

    me.low += 1
    return True


def low_below_high(s, node):
    return s.count[node].low <= s.count[node].high


def test_what_one_atom_says_is_one_candidate_also_of_a_record():
    request = asked(go_first, follow, state=Counts, claim=low_below_high)
    pool = Pool(request.model, request.config, [])
    texts = [candidate.text for candidate in pool.candidates(walked_states(request.model, request.config))]
    assert texts[0] == "s.count[node].low <= s.count[node].high"
    assert "s.count[other].low <= s.count[other].high" not in texts
    assert "may_follow(s.count[node])" in {atom.text for atom in pool.atoms(("node", "other"))}


@pytest.mark.long
def test_roles_and_epochs_of_kip_320_need_no_written_lemma(capsys):
    subject = ["--model", "published", "--revision", "kip-320", "--brokers", "2"]
    for name in ("hw_within_log", "leader_none_or_in_isr", "one_leader_per_epoch"):
        subject += ["--property", name]
    assert main(["prove", *subject, "--with", "none"]) == 16
    capsys.readouterr()
    code = main(["prove", *subject, "--with", "none", "--houdini"])
    out = capsys.readouterr().out
    assert code == 0 and "s.replica[broker].isr >> broker & 1 == 1" in out
