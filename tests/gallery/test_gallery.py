"""Models of one's own against the numbers that others have published: distinct states, depth, verdicts.

The numbers are those of TLC in the manifests of tlaplus/Examples (of DieHard, which ends at a violation there: TLC's in Lamport's
course). Each file is what a user writes.
"""

import ast
import importlib.util
import json
import random
import sys
from pathlib import Path

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import UsageError
from support.elsewhere import output_of
from support.pages import is_written

FOLDER = Path(__file__).parent

PUBLISHED = {
    "diehard": ("DieHard/DieHard", 16, 8, {"not_four_gallons": "violated"}),
    "tcommit": ("transaction_commit/TCommit", 34, 7, {"consistent": "holds"}),
    "two_phase": ("transaction_commit/TwoPhase", 288, 11, {"consistent": "holds"}),
    "ewd840": ("ewd840/EWD840", 302, None, {"termination_is_detected_rightly": "holds"}),
    "token_ring": ("ewd426/TokenRing", 46_656, 1, {}),
    "peterson": ("locks_auxiliary_vars/Peterson", 42, 11, {"one_at_a_time": "holds", "says_what_it_wants": "holds"}),
    "cigarette_smokers": ("CigaretteSmokers/CigaretteSmokers", 6, 2, {"one_smokes_at_most": "holds"}),
    "philosophers": ("DiningPhilosophers/DiningPhilosophers", 67, 29, {"neighbours_do_not_eat_at_once": "holds"}),
    "chang_roberts": ("chang_roberts/MCChangRoberts", 137, 10, {"the_lowest_initiator_wins": "holds"}),
    "chameneos": ("Chameneos/Chameneos", 34_534, 13, {"every_meeting_is_of_two": "holds"}),
    "readers_writers": (
        "ReadersWriters/MC",
        21_527,
        13,
        {"nobody_reads_what_is_written": "holds", "one_writes_at_most": "holds"},
    ),
    "teaching_concurrency": ("TeachingConcurrency/Simple", 723, 11, {"some_y_is_set": "holds", "set_before_read": "holds"}),
    "termination": (
        "ewd998/AsyncTerminationDetection",
        4_097,
        14,
        {"what_is_detected_is_true": "holds", "nothing_happens_after_the_end": "holds"},
    ),
    "alternating_bit": ("SpecifyingSystems/TLC/MCAlternatingBit", 240, 10, {"both_channels_are_full": "witnessed"}),
    "cat": ("Moving_Cat_Puzzle/CatEvenBoxes", 48, 1, {}),
    "lamport_mutex": ("lamport_mutex/MCLamportMutex", 724_274, 61, {"one_at_a_time": "holds"}),
    "paxos_commit": ("transaction_commit/PaxosCommit", 1_321_761, 28, {"consistent": "holds"}),
    "hanoi": ("tower_of_hanoi/HanoiSeq", 3**7, 2**7, {"solved": "witnessed"}),
    "missionaries": ("MissionariesAndCannibals/MissionariesAndCannibals", 64, 13, {"some_are_left": "violated"}),
    "klotski": ("SlidingPuzzles/SlidingPuzzles", 25_955, 168, {"not_solved": "violated"}),
    "paxos": ("PaxosHowToWinATuringAward/MCPaxosTiny", 3_921, 17, {"one_is_chosen": "holds"}),
    "ewd998": ("ewd998/EWD998", 1_520_618, 59, {"what_is_detected_is_true": "holds", "messages_are_counted": "holds"}),
    "write_through_cache": ("SpecifyingSystems/CachingMemory/MCWriteThroughCache", 5_196, 18, {"coherent": "holds"}),
    "coffee_can": ("CoffeeCan/CoffeeCan100Beans", 5_150, 1, {"white_stays_even_or_odd": "holds"}),
    "prisoners": ("Prisoners/Prisoners", 214, 14, {"all_were_there": "holds", "is_counted": "holds"}),
    "scheduling_allocator": (
        "allocator/SchedulingAllocator",
        1_690,
        7,
        {"nobody_shares": "holds", "in_the_schedule_they_wait": "holds"},
    ),
    "elevator": ("MultiCarElevator/Elevator", 4_122, 36, {"pressed_by_somebody": "holds", "called_by_somebody": "holds"}),
    "abd": ("stateright: linearizable-register", 544, None, {"linearizable": "holds", "value_is_read": "witnessed"}),
    "single_decree_paxos": ("stateright: paxos", 16_668, None, {"linearizable": "holds", "value_is_read": "witnessed"}),
    "raft": (
        "raft-tlaplus: standard-raft/Raft",
        37_345,
        35,
        {
            "one_leader_a_term": "holds",
            "leader_has_acknowledged_values": "holds",
            "logs_do_not_diverge": "holds",
            "value_is_acknowledged": "witnessed",
        },
    ),
    "lease": (
        "tests/gallery/Lease.tla",
        109,
        16,
        {"one_holder": "holds", "holder_is_owner": "holds", "held_to_the_end": "witnessed"},
    ),
}
"""Of each model: the original, its distinct states, its depth, and the verdicts.

The transitions are TLC's, too, where it counts as we do (STEPS).
Of missionaries, Klotski and EWD998 nothing is, either, or not of the present file: TLC was run on these (`tlaplus` at cc6b616c),
without what is violated; its counts are here.
Those of stateright are in the tests of its examples, with 2 clients; it publishes no depth. Of Raft (Vanlightly's, at commit
69ad9d60) nothing is published: the counts are those of the same TLC, without its VIEW and SYMMETRY.
The lease has no original: `Lease.tla`, beside it, was written apart from it, and the counts are TLC's.
Of Hanoi nothing is published: with n discs there are 3 to the n states, and 2 to the n less 1 steps to the last of them.
EWD840's depth is published as 10 and is 9 here, breadth-first from 192 initial states; TLC's workers may reach a state later.
"""


STEPS = {
    "peterson": 77, "cigarette_smokers": 15, "philosophers": 336, "chang_roberts": 227, "chameneos": 104_697,
    "readers_writers": 59_674, "write_through_cache": 28_170, "raft": 93_145, "prisoners": 860, "elevator": 14_296,
}  # fmt: skip
"""The states that TLC generates: the initial ones, and one for each step."""


def model_of(name):
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))  # as the command does: a model may import from a file beside it
    spec = importlib.util.spec_from_file_location(f"gallery_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MODEL


@pytest.mark.parametrize("name", PUBLISHED)
def test_python_takes_the_steps_of_the_text_that_is_compiled(name):
    """The functions as they are written, and what is compiled of them, from the states of a random walk."""
    model, chance = of_a_user(model_of(name)), random.Random(0)
    config = model.configure(next(iter(model.revisions)))
    state = chance.choice(model.initial_states(config))
    for _ in range(30):
        following = []
        for action in model.actions:
            for arguments in action.instances(config):
                after, other = state.copy(), state.copy()
                taken = action.version(config)(after, *arguments)
                assert bool(taken) == bool(model.texts[action.name](other, *arguments)), action.label(arguments)
                assert after == other, action.label(arguments)
                following += [after] if taken else []
        state = chance.choice(following) if following else chance.choice(model.initial_states(config))


LONG = {
    "chameneos", "chang_roberts", "ewd998", "klotski", "paxos", "raft", "single_decree_paxos",
    "lamport_mutex", "paxos_commit", "philosophers", "readers_writers", "teaching_concurrency",
    "termination", "write_through_cache", "elevator", "scheduling_allocator", "prisoners",
}  # fmt: skip
"""Models that take longer to compile and to explore than the quick tests have time for."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.long] * (one in LONG)) for one in PUBLISHED])
def test_its_counts_are_those_that_were_published(name):
    _, states, depth, verdicts = PUBLISHED[name]
    found = highwater.check(model_of(name), keep_going=True)
    assert (found.states, found.verdicts, found.complete) == (states, verdicts, True), str(found)
    assert depth in (None, found.depth) and STEPS.get(name, found.transitions) == found.transitions


@pytest.mark.long
def test_paxos_with_one_acceptor_is_that_of_the_other_specification():
    """`Paxos/MCPaxos`, with one acceptor and one value."""
    assert highwater.check(model_of("paxos"), acceptors=1, values=1).states == 25


@pytest.mark.long
@pytest.mark.parametrize(("ballots", "states", "depth"), [(2, 443, 17), (3, 17_153, 25)])
def test_paxos_with_symmetric_acceptors_and_values_is_that_of_tlc(ballots, states, depth):
    """MCPaxosTiny and MCPaxosSmall, with SYMMETRY Permutations(Acceptor) \\union Permutations(Value) added; TLC's counts."""
    found = highwater.check(model_of("paxos"), ballots=ballots, symmetry=True, exact=True)
    assert (found.states, found.depth, found.verdicts["one_is_chosen"]) == (states, depth, "holds")


def test_a_lease_needs_the_margin_of_its_clocks():
    found = highwater.check(model_of("lease"), margin=0, keep_going=True, threads=1)
    assert (found.states, found.depth, found.verdicts["one_holder"]) == (133, 17, "violated")


@pytest.mark.long
@pytest.mark.parametrize(
    ("sizes", "counts"),
    [
        ({"elections": 1}, (89, 101, 20)), ({"elections": 2}, (2_224, 3_277, 28)),
        ({"elections": 2, "restarts": 1}, (12_394, 20_833, 33)), ({"elections": 2, "values": 2}, (39_870, 61_571, 39)),
    ],
)  # fmt: skip
def test_raft_with_two_servers_has_the_counts_of_tlc(sizes, counts):
    found = highwater.check(model_of("raft"), servers=2, **sizes)
    assert found and (found.states, found.transitions, found.depth) == counts


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("alternating_bit", "arrives"), ("cat", "found"),
        *(
            pytest.param(*one, marks=pytest.mark.long)
            for one in (
                ("termination", "detected"), ("prisoners", "is_done"), ("scheduling_allocator", "is_satisfied"),
                ("scheduling_allocator", "is_given_back"), ("elevator", "arrives"),
            )
        ),
    ],
)  # fmt: skip
def test_it_makes_the_progress_that_the_original_makes(name, goal):
    assert highwater.check(model_of(name), properties=[goal], threads=1).verdicts == {goal: "holds"}


LINES = {
    "diehard": 29, "tcommit": 21, "two_phase": 59, "ewd840": 68, "token_ring": 35, "peterson": 61, "cigarette_smokers": 26,
    "philosophers": 75, "chang_roberts": 67, "chameneos": 55, "readers_writers": 72, "teaching_concurrency": 37,
    "termination": 78, "alternating_bit": 61, "cat": 74, "lamport_mutex": 86, "paxos_commit": 126, "hanoi": 56, "coffee_can": 60,
    "missionaries": 25, "klotski": 28, "paxos": 86, "ewd998": 99, "write_through_cache": 119, "abd": 228, "prisoners": 61,
    "single_decree_paxos": 204, "raft": 392, "lease": 17, "scheduling_allocator": 85, "elevator": 187,
}  # fmt: skip
"""Lines of the originals, at commit 32a32c7b, counted like ours: without blank lines, comments and proofs.

Those of stateright, at ab8c8be9, are without tests and `main`."""


def lines_of(name):
    text, _, _ = (FOLDER / f"{name}.py").read_text().partition("\n# Its proof")
    strings = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    gone = {line for node in strings for line in range(node.lineno, node.end_lineno + 1)}
    return sum(bool(line.strip()) and number not in gone for number, line in enumerate(text.splitlines(), 1))


def test_the_page_has_them(request):
    head = "| model | original | distinct states | lines | its lines |\n| --- | --- | --- | --- | --- |\n"
    rows = [
        f"| [{name}](../tests/gallery/{name}.py) | `{original}` | {states:,} | {lines_of(name)} | {LINES[name]} |"
        for name, (original, states, *_) in PUBLISHED.items()
    ]
    assert is_written("docs/gallery.md", "gallery", head + "\n".join(rows), request)


def test_the_result_is_shown_in_a_notebook_and_as_text():
    found = highwater.check(model_of("diehard"))
    assert not found and found.steps("not_four_gallons") == 6 and "big_to_small" in str(found)
    assert repr(found).startswith("<jugs only: violated") and "<svg" in found._repr_html_()
    assert highwater.check(model_of("two_phase"), managers=2)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"model": "kafka"}, "has several revisions"),
        ({"model": "designs", "revision": "nothing"}, "has no revision 'nothing'"),
        ({"model": model_of("tcommit"), "properties": ["nothing"]}, "has no property 'nothing'"),
        ({"model": model_of("tcommit"), "brokers": 2}, "there is no setting 'brokers'"),
    ],
)
def test_what_does_not_fit_is_refused_from_python_too(how, says):
    with pytest.raises(UsageError, match=says):
        highwater.check(**how)


def test_a_file_is_all_that_the_command_needs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = str(FOLDER / "diehard.py")
    document = json.loads(output_of(capsys, 12, ["check", path, "--keep-going", "--json", "-"]).out)
    assert (document["model"], document["revision"], document["distinct_states"]) == ("jugs", "only", 16)
    [trace] = [one["trace"] for one in document["properties"]]
    assert "not_four_gallons" in output_of(capsys, 12, ["replay", path, trace]).out
    assert "The big jug never has four gallons." in output_of(capsys, 0, ["list", path, "properties"]).out
    assert "--brokers N" not in output_of(capsys, 0, ["check", path, "--help"]).out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "nowhere.py"], "there is no file nowhere.py"),
        (["check", "{}/diehard.py:JUGS"], "has no function JUGS"),
        (["check", "{}/test_gallery.py"], "no model, such as MODEL = Model(...)"),
        (["check", "{}/diehard.py", "--brokers", "2"], "unrecognized arguments: --brokers"),
    ],
)
def test_what_is_no_model_is_refused_in_a_sentence(arguments, says, capsys):
    assert says in output_of(capsys, 2, [one.format(FOLDER) for one in arguments]).err
