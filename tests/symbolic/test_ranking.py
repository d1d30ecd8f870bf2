"""Progress proved by rankings: what is proved holds in the explorer, and what does not hold is not proved."""

import json

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.command_line import prove as prove_command
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.ranking import KEPT, LED_DOWN
from highwater.explorer.symbolic.solving import BROKEN, PROVED
from highwater.explorer.verdict import EXIT_HOLDS, EXIT_NOT_INDUCTIVE, HOLDS
from highwater.model.language.errors import UsageError
from highwater.model.language.kinds import fill
from highwater.properties import rankings
from highwater.properties.property import always
from highwater.properties.ranked import Ranking
from support import toys_of_progress as toys
from support.elsewhere import refused
from support.kafka import TINY

CAN_PASS = toys.SIGNAL_PROPERTIES[1]
PASSES = toys.SIGNAL_PROPERTIES[0]
COMES_IN, COMES_OUT = toys.QUEUE_PROPERTIES
RUNS, _, IS_REPAIRED = toys.MACHINE_PROPERTIES


def a_part_for_each(s):
    """What broke down was repaired with a part each time, but for the last one."""
    return s.used + s.broken == s.breaks


def works_unless_it_may_fail(s):
    """A signal that cannot fail has not failed."""
    return s.config.stuck or not s.failed


PARTS, WORKS = (always(a_part_for_each, "only"),), (always(works_unless_it_may_fail, "only"),)


def stands_still(s):
    """The machine is broken."""
    return s.broken


def is_red(s):
    """The signal has yet to change."""
    return 1 - s.green


def is_outside(s, process):
    """It is not in."""
    return 1 - s.process[process].inside


def somebody_else_is_in(s, process):
    """Whether it has to wait for another one."""
    for other in range(s.config.members):
        if other != process and s.process[other].inside:
            return 1
    return 0


REPAIR = Ranking("machine_is_repaired", (stands_still,), ("repair",))
COME_OUT = Ranking("comes_out", (somebody_else_is_in,), ("come_out",))
PASS = Ranking("train_passes", (is_red,), ("change_signal", "pass_signal"))
CASES = [
    (toys.MACHINE, IS_REPAIRED, REPAIR, PARTS, {"breaks": 3, "spares": 3}, PROVED),
    (toys.MACHINE, RUNS, REPAIR, PARTS, {"breaks": 5, "spares": 5}, PROVED),
    (toys.MACHINE, IS_REPAIRED, REPAIR, (), {"breaks": 3, "spares": 3}, BROKEN),  # without what rules out lost parts
    (toys.MACHINE, IS_REPAIRED, REPAIR, PARTS, {"breaks": 2, "spares": 1}, BROKEN),
    (toys.MACHINE, RUNS, REPAIR, PARTS, {"breaks": 2, "spares": 1}, BROKEN),
    (toys.STRONG_QUEUE, COMES_OUT, COME_OUT, (), {"processes": 3}, PROVED),
    (toys.WEAK_QUEUE, COMES_IN, Ranking("comes_in", (somebody_else_is_in,), ("go_in", "come_out")), (), {}, BROKEN),
    (toys.WEAK_SIGNAL, CAN_PASS, PASS, WORKS, {}, PROVED),
    (toys.WEAK_SIGNAL, PASSES, PASS, WORKS, {}, BROKEN),
    (toys.STRONG_SIGNAL, CAN_PASS, PASS, WORKS, {"stuck": 1}, BROKEN),
]


def attempt(model, one, ranking, lemmas, settings):
    config = model.configure("only", **settings)
    return prove(ProofRequest(model, "only", config, [], list(lemmas), progress=[(one, ranking)]))


@pytest.mark.parametrize(("model", "one", "ranking", "lemmas", "settings", "expected"), CASES)
def test_toys(model, one, ranking, lemmas, settings, expected):
    proof = attempt(model, one, ranking, lemmas, settings)
    assert proof.verdict == expected
    refuted = [asked.refuted for asked in proof.ranked[one.name] if asked.refuted is not None]
    assert bool(refuted) == (expected == BROKEN)
    for found in refuted:
        assert breaks_the_rule(model, proof.request.config, one, ranking, lemmas, found)
    if expected == PROVED:
        outcome = check(Request(model, "only", proof.request.config, [], progress=[one], generic=True))
        assert [finding.verdict for finding in outcome.findings] == [HOLDS]


def breaks_the_rule(model, config, claim, ranking, lemmas, found):
    """In plain Python: the state satisfies the lemmas and waits; nothing helpful leads down, or the step raises a measure."""
    before = state_of(model, config, found.before)
    assert all(lemma.holds(before) for lemma in lemmas) and waits(claim, before, found.binding)
    ranks = tuple(int(measure(before, *found.binding)) for measure in ranking.measures)
    assert ranks == found.measures
    if found.question == LED_DOWN:
        return not any(leads_down(action, arguments, before, claim, ranking, found.binding)
                       for action, arguments in helpful(model, config, ranking))  # fmt: skip
    after = state_of(model, config, found.after)
    assert found.question == KEPT and not claim.function(after, *found.binding)
    still = [
        pair for pair in helpful(model, config, ranking) if leads_down(*pair, before, claim, ranking, found.binding)
        and not leads_down(*pair, after, claim, ranking, found.binding)
    ]  # fmt: skip
    return not waits(claim, after, found.binding) or found.measures_after > ranks or bool(still)


def state_of(model, config, numbers):
    return fill(model.state(config), numbers)


def waits(claim, state, binding):
    return (claim.premise is None or claim.premise(state, *binding)) and not claim.function(state, *binding)


def helpful(model, config, ranking):
    chosen = [action for action in model.actions if action.name in ranking.helpful]
    return [(action, arguments) for action in chosen for arguments in action.instances(config)]


def leads_down(action, arguments, state, claim, ranking, binding):
    after = state.copy()
    if not action.version(state.config)(after, *arguments):
        return False
    ranks = [tuple(int(measure(s, *binding)) for measure in ranking.measures) for s in (after, state)]
    return bool(claim.function(after, *binding)) or (waits(claim, after, binding) and ranks[0] < ranks[1])


def test_a_helpful_step_that_may_be_put_off_is_refused():
    with pytest.raises(UsageError, match="want is called helpful for comes_in, and may be put off for ever"):
        attempt(toys.STRONG_QUEUE, COMES_IN, Ranking("comes_in", (is_outside,), ("want",)), (), {})


PROVE = ["prove", "--revision", "kip-279", *(f"--{name.replace('_', '-')}={value}" for name, value in TINY.items())]


def test_exchanges_of_truncation_end(tmp_path, capsys):
    """Q7, Q8: at any depth, under KIP-279."""
    file = tmp_path / "proof.json"
    assert main([*PROVE, "--property", "exchange_ends", "--json", str(file)]) == EXIT_HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "1 of 1 values from which a helpful step decreases the ranking" in said
    assert "in every reachable state, at any depth" in said
    (found,) = json.loads(file.read_text())["progress"]
    assert (found["name"], found["verdict"], found["fails_at"]) == ("exchange_ends", "proved", [])


def test_a_wrong_ranking_is_refused_with_the_step(monkeypatch, capsys):
    wrong = Ranking("exchange_ends", rankings.MEASURES[:3], rankings.HELPFUL)
    monkeypatch.setattr(prove_command, "rankings_for", lambda subject: [(subject.progress[0], wrong)])
    code = main([*PROVE, "--property", "exchange_ends", "--with", "leader_does_not_fetch"])
    said = " ".join(capsys.readouterr().out.split())
    assert code == EXIT_NOT_INDUCTIVE and "counterexample to the ranking of exchange_ends for partition=0 broker=0" in said
    assert "no step of answer_epoch_request, truncate_to_answer decreases the ranking from here" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--property", "leader_serves_again"], "leader_serves_again cannot be proved: it has no ranking"),
        (["--property", "exchange_ends", "--guards"], "--guards needs properties of kind always or step"),
        (["--property", "exchange_ends", "--bounded", "2"], "exchange_ends is a property of progress"),
    ],
)
def test_what_cannot_be_is_said(capsys, arguments, sentence):
    assert sentence in refused(capsys, *PROVE, *arguments)
