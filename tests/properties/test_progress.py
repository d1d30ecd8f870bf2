"""Progress of the Kafka model at small sizes (Q20): the engine against networkx, and what is known to be stuck."""

from dataclasses import replace
from pathlib import Path

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import HOLDS, VIOLATED
from highwater.model.language.steps import STRONG, WEAK
from highwater.model.vocabulary import Phase, Purpose
from highwater.properties.catalogue import progress_of, properties_of
from highwater.properties.registry import KAFKA
from highwater.traces.text import read_file
from support import judge
from support.kafka import tiny, unkept
from support.mutants import without
from support.pages import is_written
from support.play import last_state, play

GOLDEN = Path(__file__).parents[2] / "traces" / "golden"
PROGRESS = [claim for claim in progress_of(KAFKA) if claim.of_progress]


def found(config, revision="kip-320", names=()):
    """What is found of each property, all of them unless some are named."""
    chosen = [p for p in PROGRESS if not names or p.name in names]
    outcome = check(Request(KAFKA, revision, config, [], progress=chosen, generic=True))
    assert outcome.complete
    return {f.property.name: f for f in outcome.findings if f.verdict in (HOLDS, VIOLATED)}


def test_the_page_has_the_goals(request):
    rows = [f"| `{p.name}` | `{p.kind}` | {(p.function.__doc__ or '').splitlines()[0]} |" for p in progress_of(KAFKA)]
    assert is_written("docs/progress.md", "goals", "| property | kind | goal |\n| --- | --- | --- |\n" + "\n".join(rows), request)


CASES = [
    ("kip-320", {"session_expiries": 1}),
    ("high-watermark", {"crashes": 1, "max_epoch": 2}),
    ("high-watermark", {"session_expiries": 2}),
]


@pytest.mark.parametrize(("revision", "settings"), CASES)
def test_the_engine_agrees_with_networkx(revision, settings):
    config = tiny(revision, **settings)
    findings = found(config, revision)
    graph = judge.graph_of(KAFKA, config)
    for finding in (f.property for f in findings.values()):
        stuck = set().union(*judge.stuck_states(graph, judge.fairness_of(KAFKA), finding, config).values())
        assert (findings[finding.name].verdict == VIOLATED) == bool(stuck), finding.name
        if stuck and finding.kind == "recoverable":
            assert findings[finding.name].depth == min(graph.nodes[v]["depth"] for v in stuck)


SERVING = {"leader_can_serve", "leader_serves_again", "follower_can_join", "follower_joins"}


def test_as_printed_v3_forgets_who_was_away():
    """Q20: V3 A sends a decision to who lives, and nobody tells a broker that comes back in another session: the store has a
    leader that it does not know, and a command that came too late for its session is never sent again (L1)."""
    settings = {"session_expiries": 1, "max_epoch": 2}
    assert unkept(tiny("high-watermark", **settings), *SERVING) == set()
    as_printed = tiny("high-watermark", told_newcomers=0, **settings)
    assert unkept(as_printed, *SERVING) == {"follower_can_join", "follower_joins"}


def test_as_printed_v3_leaves_an_offline_partition_offline():
    """Q20: V3 A.2 looks at partitions whose leader is no longer live: -1 never was, so who comes back is not elected."""
    settings = {"session_expiries": 2, "max_epoch": 2}
    assert "leader_can_serve" not in unkept(tiny("high-watermark", **settings), *SERVING)
    assert "leader_can_serve" in unkept(tiny("high-watermark", retried_offline=0, **settings), *SERVING)


def test_an_election_that_nobody_answers_is_held_again():
    """L1, M1: V3's last comment. A leader that drops its command by a bug never serves, and no session ends; a controller
    that waits for the response elects another."""
    names = {"leader_can_serve", "leader_serves_again"}
    settings = {"ignored_commands": 1, "preferred_elections": 1, "max_epoch": 3}
    assert unkept(tiny("kip-320", **settings), *names) == names
    assert unkept(tiny("kip-320", elections="answered", **settings), *names) == set()


@pytest.mark.parametrize(("fairness", "stuck"), [(STRONG, False), (WEAK, True)])
def test_a_leader_whose_writes_are_refused_obeys_between_them(fairness, stuck):
    """L1: a replaced leader tries to remove its follower again and again, by an old version. Each time it waits for the answer,
    so that the command to follow is never enabled for long; it is obeyed because it is enabled again and again."""
    actions = tuple(replace(action, fairness=fairness) if action.fairness == STRONG else action for action in KAFKA.actions)
    config = tiny(store="answered", preferred_elections=1, max_epoch=2)
    (joins,) = [progress for progress in PROGRESS if progress.name == "follower_joins"]
    request = Request(replace(KAFKA, actions=actions), "kip-320", config, [], progress=[joins], generic=True)
    (finding,) = check(request).findings
    assert finding.verdict == (VIOLATED if stuck else HOLDS)
    if stuck:
        cycle = finding.trace.steps[finding.trace.cycle - 1 :]
        assert [step.label.split()[0] for step in cycle] == ["shrink_isr", "write_isr", "learn_isr_write"]


@pytest.mark.parametrize(
    "settings",
    [
        {"topic_deletions": 1, "session_expiries": 1, "max_epoch": 2},
        {"topic_deletions": 1, "preferred_elections": 1, "max_epoch": 2},
        {"store": "answered", "reassignments": 1, "replicas": 1, "max_epoch": 2},
        {"crashes": 1, "reassignments": 1, "replicas": 1, "max_epoch": 3},
        {"store": "answered", "lost_answers": 1, "preferred_elections": 1, "max_epoch": 3},
        {"store": "answered", "lost_answers": 1, "crashes": 1, "max_epoch": 3},
    ],
    ids=["deleted", "deleted, a bound on versions", "moved away", "left behind", "lost answer", "lost answer of an election"],
)
@pytest.mark.parametrize("revision", ["kip-101", "kip-320", "kip-320-2.8"])
def test_what_is_no_standstill(revision, settings):
    """Nothing is required of a topic that is to be deleted, of a replica that is moved away, or where a bound ends a node's
    versions; and a controller whose answer was lost decides again (V3 A.3: "go back to 1.1"), or recognises its decision."""
    assert unkept(tiny(revision, **settings)) == set()


@pytest.mark.parametrize("revision", ["high-watermark", "kip-320"])
def test_nobody_tells_a_broker_that_restarts_unnoticed(revision):
    """KAFKA-1120: up to 2.1 the controller compares who lives with whom it knows; by broker epochs (KIP-380, R6) it notices."""
    told = {"crashes": 1, "start_up": "told"}
    assert {"leader_can_serve", "follower_can_join"} <= unkept(tiny(revision, **told))
    assert unkept(tiny(revision, **told, broker_epochs=1)) == set()


def test_a_controller_that_looks_before_it_has_decided_may_elect_nobody():
    """M5: a leader whose write was refused writes no more in its epoch; its session ended, and nobody elects another.

    With KIP-497 it asks the controller, which refuses nothing to whom it does not know: it asks again.
    """
    sizes = {"store": "answered", "session_expiries": 1, "preferred_elections": 1, "max_epoch": 3}
    joins = ["follower_can_join", "follower_joins"]
    assert not unkept(tiny("kip-320-2.8", **sizes, isr_writer="leader"), *joins)
    assert unkept(tiny("kip-320-2.8", whole_changes=0, **sizes, isr_writer="leader"), *joins) == set(joins)
    assert not unkept(tiny("kip-320-2.8", whole_changes=0, **sizes), *joins)


@pytest.mark.parametrize(("recognised", "stuck"), [(1, False), (0, True)])
def test_a_controller_whose_answer_was_lost_would_not_try_again(recognised, stuck):
    """Z12, R2: the store has the elected leader by then, so nothing needs a decision, and nobody is told of the last one."""
    config = tiny(store="answered", lost_answers=1, preferred_elections=1, max_epoch=3, recognised_decisions=recognised)
    with without(KAFKA, "decide.write_decision: never: not done and can_decide_the_same_again(s, controller, partition)"):
        assert ("leader_can_serve" in unkept(config, plain=True)) == stuck


@pytest.mark.parametrize("revision", ["v3", "high-watermark", "kip-320-2.8"])
def test_nobody_recognises_a_first_leader_whose_answer_was_lost(revision):
    """PartitionStateMachine.initializeLeaderAndIsrForPartition: that the node exists is an error, whoever wrote it (Z12)."""
    sizes = {"brokers": 1, "partition_additions": 1, "store": "answered", "path_change": "topic-alone"}
    assert unkept(tiny(revision, lost_answers=1, **sizes), "leader_can_serve", plain=True) == {"leader_can_serve"}
    assert not unkept(tiny(revision, **sizes), "leader_can_serve", plain=True)
    if tiny(revision).recognised_decisions:
        with without(KAFKA, "decide.has_own_decision: request.leader_epoch == 0"):
            assert not unkept(tiny(revision, lost_answers=1, **sizes), "leader_can_serve", plain=True)


LOST = "request_preferred_election\nelect_preferred_replica\nlose_decision_answer"


@pytest.mark.parametrize(
    ("asks", "settings", "epoch"),
    [(1, {}, 2), (0, {"max_epoch": 1}, -1), (0, {"recognised_decisions": 1}, -1), (0, {"controller_changes": 1}, -1)],
    ids=["again", "no epoch is left", "recognised", "another controller"],
)
def test_when_a_controller_decides_the_same_again(asks, settings, epoch):
    """Z12: with the present version and the next epoch. A replaced controller is refused for good (R5)."""
    sizes = {"brokers": 2, "store": "answered", "lost_answers": 1, "preferred_elections": 1, "max_epoch": 2}
    state = play("kip-320", LOST, preferred=1, **{**sizes, **settings})
    if "controller_changes" in settings:
        state.zookeeper.controller_epoch = 1
    assert KAFKA.action("write_decision").function(state, 0, 0)
    request, node = state.decision[0][0], state.zookeeper.leader_and_isr[0]
    assert (request.asked, request.leader_epoch) == (asks, epoch)
    assert not asks or (request.version, request.leader) == (node.version, node.leader)
    assert sum(one.unsent[0].bit_count() for one in state.command[0]) == (2 if settings.get("recognised_decisions") else 0)


@pytest.mark.parametrize(
    ("purpose", "switch_epoch", "asks", "then"),
    [
        (Purpose.UNCLEAN, 1, 1, Purpose.ELECTION),
        (Purpose.PREFERRED, 1, 1, Purpose.PREFERRED),
        (Purpose.SWITCH, 1, 1, Purpose.SWITCH),
        (Purpose.SWITCH, 0, 0, Purpose.ELECTION),
    ],
)
def test_what_a_decision_that_is_made_again_is_about(purpose, switch_epoch, asks, then):
    """An unclean leader is in the ISR by the second time (A3). V3 F's switch has no epoch, and 3.1 finds another ISR (F2)."""
    sizes = {"brokers": 3, "replicas": 2, "store": "answered", "lost_answers": 1, "preferred_elections": 1, "max_epoch": 3}
    state = play("kip-320", LOST, preferred=1, reassignments=1, switch_epoch=switch_epoch, **sizes)
    state.decision[0][0].purpose = purpose
    assert KAFKA.action("write_decision").function(state, 0, 0)
    assert (state.decision[0][0].asked, state.decision[0][0].purpose) == (asks, then)


def test_a_first_leader_is_not_decided_again():
    """Its node is created, which has no condition: the second attempt finds it, and fails."""
    sizes = {"brokers": 2, "store": "answered", "lost_answers": 1, "start": "empty", "max_epoch": 2}
    created = ["see_controller_change", "recover_controller", "create_topic", "see_topic_change", "init_leader"]
    state = play("kip-320", "\n".join([*created, "lose_decision_answer"]), **sizes)
    assert KAFKA.action("write_decision").function(state, 0, 0) and not state.decision[0][0].asked


ELECTED = "request_preferred_election\nelect_preferred_replica"


def test_only_the_elected_leader_answers_its_election():
    """L1: where a leader ignores that it is elected again, it answers all the same, but not for another, nor out of turn."""
    settings = {"elections": "answered", "lead_again": "ignored", "preferred": 1, "preferred_elections": 1, "max_epoch": 2}
    answer, state = KAFKA.action("answer_command").function, play("kip-320", ELECTED, brokers=2, **settings)
    old, elected, again = 0, 1, play("kip-320", ELECTED + "\nelect_instead broker=0", brokers=2, **settings)
    assert not answer(state.copy(), 0, old, 1, 0)
    assert not answer(state.copy(), 0, elected, 1, 0)  # not before it leads
    assert not answer(again.copy(), 0, old, 2, 0)  # the request to follow comes first over the same connection
    with without(KAFKA, "answer_command.has_an_answer: without: command.leader == broker"):
        assert answer(state.copy(), 0, old, 1, 0)
    with without(KAFKA, "answer_command.has_an_answer: not (obeys(s, partition, broker, epoch, controller))"):
        assert answer(again.copy(), 0, old, 2, 0)


@pytest.mark.parametrize("dropped", [False, True])
def test_q20_truncation_need_not_end(dropped):
    """At the end of the trace question and answer repeat, and leave the same state each time; KAFKA-10706 ends them."""
    trace = read_file(str(GOLDEN / "q20_truncation_repeats.kip-320.trace"))
    trace = trace.under(trace.revision)  # without digests
    if dropped:
        trace = replace(trace, settings={**trace.settings, "cut_of_nothing": "dropped"})
    state, seen = last_state(trace, 20), []  # up to the second question
    for _ in range(1 if dropped else 6):
        for name in ("answer_epoch_request", "truncate_to_answer"):
            (state,) = [after for action, _, after in KAFKA.enabled(state) if action.name == name]
        seen.append(state)
    assert all(one.replica[0][0].phase == (Phase.FETCHING if dropped else Phase.ASKING) for one in seen)
    assert dropped or seen[-2] == seen[-1]


def test_names_of_properties_are_unique():
    names = [p.name for p in (*properties_of(KAFKA), *progress_of(KAFKA))]
    assert len(set(names)) == len(names)
