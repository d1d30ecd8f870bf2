"""Proofs for any number of brokers, offsets and epochs: what is proved, what is refused, and that nothing false is proved."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import z3
from highwater.explorer.command_line import main
from highwater.explorer.symbolic.any_size import AnySize, prove_any_size
from highwater.explorer.symbolic.asking import facts_about
from highwater.explorer.symbolic.conditions import ways
from highwater.explorer.symbolic.frames import SymbolicError
from highwater.explorer.symbolic.induction import RANGES
from highwater.explorer.symbolic.instances import instances, without_witnesses
from highwater.explorer.symbolic.orders import plainly_named
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.solving import BROKEN, PROVED, UNKNOWN
from highwater.model.language import Model, Revision, Settings, State, UsageError, actions, every, integer, many, member_set, size
from highwater.model.language.settings import derived
from highwater.model.members import contains, everyone, including
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import assumable, known_for
from highwater.properties.property import always, quantified
from highwater.properties.registry import PUBLISHED

ROLES = ("hw_within_log", "leader_none_or_in_isr", "isr_within_assignment")
EPOCHS = ("one_leader_per_epoch", "epochs_increase")


def run(capsys, *arguments):
    """The exit code, and what was printed."""
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def request(revision, names, without=()):
    config = PUBLISHED.config(**PUBLISHED.revisions[revision].settings)
    properties = [claim for claim in properties_of(PUBLISHED) if claim.name in names]
    lemmas = [one for one in known_for(PUBLISHED, list(names)) if one.name not in (*names, *without)]
    return ProofRequest(PUBLISHED, revision, config, properties, lemmas, timeout=60.0)


@pytest.mark.parametrize(
    "revision", [name if name == "kip-320" else pytest.param(name, marks=pytest.mark.long) for name in PUBLISHED.revisions]
)
def test_roles_and_epochs_are_proved_for_any_size_in_every_revision(revision):
    proof = prove_any_size(request(revision, (*ROLES, *EPOCHS)))
    assert proof.verdict == PROVED and not proof.vacuous
    assert proof.bounds and set(proof.bounds.values()) == {PROVED}
    decidable, questions = proof.decidable
    assert 0 < decidable < questions


@pytest.mark.parametrize(
    "lemma",
    [
        "leader_in_own_isr",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("request_leader_in_request_isr", "leader_obeyed_a_request")),
    ],
)
def test_without_a_lemma_nothing_is_proved_and_a_small_state_shows_why(lemma):
    asked = request("kip-279", ["hw_within_log"], without=[lemma])
    proof = prove_any_size(asked)
    assert proof.verdict == BROKEN and proof.counterexamples
    assert prove(replace(asked, config=proof.request.config)).verdict == BROKEN


@pytest.mark.long
def test_what_a_small_size_refutes_is_not_proved_by_the_question_of_any_size():
    """The small question comes first, so that the other one is sound must be asked by itself."""
    claims = [*(one for one in assumable(PUBLISHED).values() if one.name in ("strong_isr", *ROLES))]
    config = PUBLISHED.config(**PUBLISHED.revisions["kip-279"].settings)
    any_size, refuted = AnySize(PUBLISHED, config, claims, timeout=3.0), 0
    for action in any_size.actions:
        step, small = any_size.step(action), any_size.unrolled(action)
        for claim in any_size.claims:
            if claim.name in small.broken:
                found = any_size.preserved(claim.name, step, small)
                assert found.verdict != PROVED, (action.name, claim.name)
                refuted += 1
    assert refuted >= 5


def test_cvc5_agrees_and_its_proofs_have_no_holes(capsys, tmp_path):
    pytest.importorskip("cvc5")
    subject = ["--model", "published", "--revision", "kip-320", "--property", "leader_none_or_in_isr"]
    code, out, _ = run(capsys, "prove", *subject, "--any-size", "--cvc5", "--proofs", tmp_path)
    assert code == 0 and "for any brokers, log size, max records and max epoch" in " ".join(out.split())
    assert re.search(r"cvc5: ([1-9]\d*) of \1 questions that Z3 proved are proved again", out)
    proofs = sorted(tmp_path.glob("*.alethe"))
    assert proofs and [proof.with_suffix(".smt2") for proof in proofs] == sorted(tmp_path.glob("*.smt2"))
    used = {found for proof in proofs for found in re.findall(r':args \("([a-z0-9-]+)"', proof.read_text())}
    assert not any(":rule hole" in proof.read_text() for proof in proofs)
    assert used and all(f"declare-rare-rule {name} " in (tmp_path / "rewrites.rare").read_text() for name in used)
    assert run(capsys, "prove", *subject, "--proofs", tmp_path)[0] == 2


def test_what_is_about_sizes_is_refused(capsys):
    subject = ["prove", "--model", "published", "--revision", "kip-320", "--property", "hw_within_log", "--any-size"]
    for flag in (["--guards"], ["--all-instances"], ["--run-dir", "."]):
        code, _, err = run(capsys, *subject, *flag)
        assert code == 2 and "is about the sizes that are given" in err


# The shapes of loops.


class Sizes(Settings):
    nodes = size(3, 1, 5, "members")
    length = size(3, 1, 8, "numbers")
    members = derived(lambda c: c.nodes)


class Toy(State):
    seen = member_set("members that were seen")
    end = integer(0, "length", "an end")
    mark = many(integer(0, "length", "a mark"), "length", "marks")
    sent = many(integer(0, "length", "what a member sent"), "members", "numbers by member")


def first_states(config):
    state = Toy(config)
    state.seen = everyone(config.nodes)
    return [state]


def cut(s, index):
    """Pointwise: marks from an index on are removed."""
    for position in range(s.config.length):
        if position >= index:
            s.mark[position] = 0
    return True


def take_least(s, node):
    """A fold: the end is the least of what was sent."""
    if not contains(s.seen, node):
        return False
    least = s.sent[node]
    for other in range(s.config.members):
        if contains(s.seen, other):
            least = min(least, s.sent[other])
    s.end = least
    return True


def find_first(s):
    """The first index at which there is a mark."""
    s.end = first_marked(s)
    return True


def first_marked(s):
    for position in range(s.config.length):
        if s.mark[position] > 0:
            return position
    return 0


def find_last(s):
    """The end of the last mark."""
    end = 0
    for position in range(s.config.length):
        if s.mark[position] > 0:
            end = position + 1
    s.end = end
    return True


def send(s, node, index):
    """A member sends an index."""
    s.sent[node] = index
    s.seen = including(s.seen, node)
    return True


def shift(s):
    """Not pointwise: each turn reads what the next one writes."""
    for position in range(s.config.length):
        s.mark[position] = s.mark[max(0, position - 1)]
    return True


def carry(s):
    """A loop that adds up."""
    total = 0
    for node in range(s.config.members):
        total += s.sent[node]
    s.end = total
    return True


def end_is_at_most_what_was_sent(s, node):
    """The end is at most what any member sent; false after find_first."""
    return not contains(s.seen, node) or s.end <= s.sent[node]


def everyone_is_seen(s, node):
    """Every member is seen, always."""
    return contains(s.seen, node)


def nothing_behind_end(s, index):
    """There is no mark at or behind the end."""
    return index < s.end or s.mark[index] == 0


DOMAINS = {"node": "members", "index": "length"}


def toy(*functions):
    next_ = actions(DOMAINS, list(functions))
    revisions = {"only": Revision("only", "a toy", {})}
    return Model("toy", "a toy", Toy, Sizes, next_, first_states, revisions, {"small": {"members": 5, "length": 8}}, DOMAINS)


def asked(claim, *functions):
    claims = quantified([always(claim, since=None)], DOMAINS)
    return AnySize(toy(*functions), Sizes(), claims, timeout=20.0)


def verdicts(claim, *functions):
    any_size = asked(claim, *functions)
    return {a.action: {q.name: q.verdict for q in a.goals}[claim.__name__] for a in any_size.all_actions()}


def test_each_shape_of_a_loop_is_read():
    assert verdicts(nothing_behind_end, cut, find_last) == {"cut": PROVED, "find_last": PROVED}
    assert verdicts(nothing_behind_end, find_first) == {"find_first": BROKEN}
    assert verdicts(end_is_at_most_what_was_sent, take_least, send) == {"take_least": PROVED, "send": BROKEN}
    assert verdicts(everyone_is_seen, take_least, find_first, send) == dict.fromkeys(["take_least", "find_first", "send"], PROVED)


@pytest.mark.parametrize("function, what", [(shift, "loop ranges over"), (carry, "takes total from one turn to the next")])
def test_any_other_loop_is_named_with_its_place(function, what):
    any_size = asked(everyone_is_seen, function)
    unread = any_size.step(any_size.actions[0]).unread
    assert [place for place, reason in unread.items() if re.search(rf"test_any_size.py:\d+: .*{what}", reason)]


def test_initial_states_of_another_form_are_refused():
    def several(config):
        return [Toy(config), Toy(config)]

    claims = quantified([always(everyone_is_seen, since=None)], DOMAINS)
    any_size = AnySize(replace(toy(send), initial_states=several), Sizes(), claims, timeout=5.0)
    with pytest.raises(SymbolicError, match=r"test_any_size.py:\d+: the prover reads initial states as one new state"):
        list(any_size.initial())


def test_the_ways_in_which_conditions_are_decided_say_together_what_the_formulas_say():
    sort = z3.DeclareSort("thing")
    a, b, c = z3.Consts("a b c", sort)
    value, flag = z3.Function("value", sort, sort), z3.Bool("flag")
    formulas = [value(z3.If(z3.And(flag, a == b), b, z3.If(a == c, value(c), a))) != c, z3.Or(flag, value(a) == b)]
    found = list(ways(formulas))
    assert len(found) > 2 and not any("If" in str(one) for way in found for one in way)
    solver = z3.Solver()
    solver.add(z3.And(formulas) != z3.Or([z3.And(way) for way in found]))
    assert solver.check() == z3.unsat


def test_names_of_bound_variables_make_no_difference():
    sort = z3.DeclareSort("thing")
    x, y = z3.Consts("x y", sort)
    knows = z3.Function("knows", sort, sort, z3.BoolSort())
    one, same = z3.ForAll([x], z3.Exists([y], knows(x, y))), z3.ForAll([y], z3.Exists([x], knows(y, x)))
    assert not one.eq(same) and plainly_named(one).eq(plainly_named(same))
    others = [z3.ForAll([x], z3.Exists([y], knows(y, x))), z3.Exists([x], z3.ForAll([y], knows(x, y)))]
    assert not any(plainly_named(one).eq(plainly_named(other)) for other in others)


def test_a_question_is_given_the_witnesses_that_it_leads_to_and_no_others():
    sort = z3.DeclareSort("thing")
    a, first, second, third = z3.Consts("a first#1 second#2 third#3", sort)
    facts = [a != first, first != second, third != a, a == a]
    assert facts_about(facts, [a == second]) == [facts[0], facts[1], facts[3]]


def test_what_is_only_compared_is_a_candidate_when_it_is_named():
    sort = z3.DeclareSort("place")
    low, mine, x = z3.Consts("low mine x", sort)
    has, below = z3.Function("has", sort, z3.BoolSort()), z3.Function("place <", sort, sort, z3.BoolSort())
    lemmas = without_witnesses([z3.ForAll([x], z3.Implies(below(x, low), has(x)))])
    facts = [has(low), below(mine, low)]
    assert instances(lemmas.quantified, facts, [mine], widely=False) != instances(lemmas.quantified, facts, [], widely=False)


GALLERY = Path(__file__).parents[1] / "gallery"
TWO_PHASE = ("one_decision", "commit_when_all_are_prepared", "heard_was_sent", "prepared_when_sent", "obeys")
HARD = ("weak_isr", "strong_isr", "log_prefix_convergence")


@pytest.mark.long
def test_everything_about_kip_320_is_proved_for_any_size():
    proof = prove_any_size(request("kip-320", HARD))
    assert proof.verdict == PROVED


@pytest.mark.long
@pytest.mark.parametrize(
    ("revision", "actions_"),
    [
        ("kip-279", {"become_follower", "follower_fetch", "leader_expand_isr", "leader_advance_high_watermark"}),
        ("kip-320-unfenced", {"become_follower"}),
    ],
)
def test_the_same_lemmas_fail_where_kip_320_repaired_something(revision, actions_):
    """With a finite state each, which the model's own step leads out of the claims."""
    any_size = for_any_size(revision, HARD)
    found = {action.name: any_size.unrolled(action) for action in any_size.actions}
    assert {name for name, small in found.items() if small.broken} == actions_
    assert all(found[name].counterexample for name in actions_)


def for_any_size(revision, names):
    """The questions about these properties with the lemmas that are known."""
    asked = request(revision, names)
    return AnySize(PUBLISHED, asked.config, [*asked.properties, *asked.lemmas], timeout=60.0)


# Models of one's own.


@pytest.mark.parametrize(
    ("file", "claim", "lemmas"),
    [
        ("two_phase", "consistent", TWO_PHASE),
        pytest.param("ewd840", "termination_is_detected_rightly", ("beyond_token_is_quiet",), marks=pytest.mark.long),
    ],
)
def test_two_models_of_the_gallery_are_proved_for_any_number_of_nodes(capsys, file, claim, lemmas):
    subject = [f"{GALLERY / file}.py:PROVED", "--property", claim, "--any-size"]
    code, out, _ = run(capsys, "prove", *subject, "--with", *lemmas)
    assert code == 0 and re.search(r"questions: (\d+) of \1 lie in a decidable fragment", out)
    assert ("cutoff: to prove them with 12 members" in out) == (file == "two_phase")
    code, out, _ = run(capsys, "prove", *subject, "--timeout", 2, "--with", *(lemmas[1:] or ["none"]))
    assert code == 16 and "counterexample to induction" in out


def test_initial_states_may_hold_anything_where_every_says_so():
    def anything(config):
        state = Toy(config)
        return every(state, "seen", "mark[]")

    any_size = AnySize(
        replace(toy(send), initial_states=anything), Sizes(), quantified([always(everyone_is_seen, since=None)], DOMAINS), 5.0
    )
    assert {one.name: one.verdict for one in any_size.initial()} == {"everyone_is_seen": UNKNOWN, RANGES: PROVED}
    assert len(anything(Sizes(nodes=2, length=1))) == 4 * 2
    with pytest.raises(UsageError, match="colour is not a variable of the state; it has seen, end, mark"):
        every(Toy(Sizes()), "colour")
