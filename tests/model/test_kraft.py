"""The family `kraft` (KR1, KR2, KR3, KR4, KR5, KR6, KR7): what its rules do, and the engines that judge each other on it."""

import random
from collections import Counter
from itertools import permutations

import pytest
from highwater.explorer.compiling.walker import Walker
from highwater.explorer.local.check import check
from highwater.explorer.local.random_walk import walk_from
from highwater.explorer.request import Request
from highwater.explorer.verdict import VIOLATED
from highwater.model.language import UsageError, cells
from highwater.model.members import NO_BROKER
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KRAFT
from support.cases import KRAFT_FAULTS
from support.exploring import broken_in_a_step, compile_generic, depth_of_states, reachable, search_through
from support.kafka import renamed_cells
from support.play import lines_of, run, take

TINY = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1}


def play(script, revision="4.4", **settings):
    """The state after these steps, from a partition whose leader is broker 1; what a line leaves out is 0."""
    state = KRAFT.initial_states(KRAFT.configure(revision, **settings))[-1]
    for line in lines_of(script):
        KRAFT.normal_form(run(KRAFT, state, [line]))
    return state


MOVING = {"replicas": 1, "min_isr": 1, "reassignments": 1, "preferred_elections": 0, "fences": 0}
CASES = [
    TINY, {**TINY, "crashes": 1, "preferred_elections": 0}, *(pytest.param(one, marks=pytest.mark.long) for one in KRAFT_FAULTS)
]  # fmt: skip


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_the_plain_model_and_the_compiled_one_reach_the_same_states(settings):
    config = KRAFT.configure("4.4", **settings)
    plain = {cells(state): depth for depth, state in reachable(KRAFT, config)}
    search = search_through(KRAFT, config, exact=True, keep_going=True)
    assert depth_of_states(search) == plain


@pytest.mark.parametrize(("revision", "settings"), [("4.4", {"fences": 1}), ("3.2", {"crashes": 1})], ids=str)
def test_the_normal_form_forgets_only_what_cannot_matter(revision, settings):
    """Followed without it, as a trace is replayed, each state has the steps of its own normal form, to the same ones."""
    config, chance = KRAFT.configure(revision, **{**TINY, "max_epoch": 2, "window": 2, **settings}), random.Random(1)

    def onward(state, key):
        steps = [(action.name, arguments, after.copy()) for action, arguments, after in KRAFT.enabled(state)]
        return {(name, arguments, there) for name, arguments, after in steps if (there := cells(normal(after))) != key}

    def normal(state):
        KRAFT.normal_form(state)
        return state

    for _ in range(6):
        state = KRAFT.initial_states(config)[-1]
        for _ in range(25):
            mine = normal(state.copy())
            assert onward(state, cells(mine)) == onward(mine, cells(mine))
            following = [after for _, _, after in KRAFT.enabled(state)]
            if not following:
                break
            state = chance.choice(following).copy()


@pytest.mark.long
@pytest.mark.parametrize("settings", [TINY, *KRAFT_FAULTS], ids=str)
def test_one_state_of_those_that_differ_in_names_is_explored(settings):
    config = KRAFT.configure("4.4", **settings)
    sizes, orbits, like = Counter(), set(), KRAFT.state(config)
    for depth, state in reachable(KRAFT, config):
        order = min(renamed_cells(like, cells(state), new) for new in permutations(range(config.members)))
        sizes[depth] += order not in orbits
        orbits.add(order)
    search = search_through(KRAFT, config, symmetry=True, exact=True, keep_going=True)
    assert search.levels == [size for _, size in sorted(sizes.items()) if size]


@pytest.mark.long
@pytest.mark.parametrize("settings", KRAFT_FAULTS, ids=str)
def test_walks_stay_within_what_is_reachable(settings):
    config = KRAFT.configure("4.4", **settings)
    all_of_them, compiled, seen = {cells(state) for _, state in reachable(KRAFT, config)}, compile_generic(KRAFT, config), set()
    walker = Walker(compiled, [], 30)
    for seed in range(2000):
        length = walk_from(walker, seed)
        state = KRAFT.initial_states(config)[walker.start]
        for code in walker.codes[:length].tolist():
            action, arguments = compiled.decode(code)
            assert action.version(config)(state, *arguments)
            KRAFT.normal_form(state)
            seen.add(cells(state))
    assert seen <= all_of_them and len(seen) > min(70, len(all_of_them)) - 10


ELECTED_TWICE = """
    produce leader=1
    fetch follower=2 leader=1
    fetch follower=2 leader=1
    elect_preferred
    apply_metadata broker=2
    apply_metadata broker=0
    truncate_on_divergence follower=2 leader=0
    fence broker=0 other=1
"""


@pytest.mark.parametrize(("lead_again", "known", "hw"), [("keeps-ends", 1, 1), ("new-replicas", 0, 0)])
def test_two_changes_at_once_are_one_delta(lead_again, known, hw):
    me = play(f"{ELECTED_TWICE} apply_metadata broker=1 change=1", lead_again=lead_again).replica[0][1]
    assert (me.leader, me.leader_epoch, me.fetched_to[2], me.hw) == (1, 2, known, hw)


def test_of_two_changes_one_by_one_each_is_seen():
    me = play(f"{ELECTED_TWICE} apply_metadata broker=1\napply_metadata broker=1").replica[0][1]
    assert (me.leader, me.leader_epoch, me.fetched_to[2], me.hw) == (1, 2, 0, 0)


def test_what_only_zookeeper_has_is_no_setting():
    with pytest.raises(UsageError, match="there is no setting 'session_expiries'"):
        KRAFT.configure("4.4", session_expiries=1)


TWO = {"brokers": 2, "preferred_elections": 0}
UNREGISTERED = {
    **TWO, "fences": 0, "min_isr": 1, "fetch": "in-flight", "crashes": 1, "emptied_disks": 1, "unregistered_starts": 1,
}  # fmt: skip


def refused(script, **how):
    """Whether the last step of a script is not enabled, and all before it are."""
    *before, last = lines_of(script)
    return not take(KRAFT, play("\n".join(before), **how), last)


def test_a_fenced_broker_leaves_every_isr_and_returns():
    """KR2."""
    gone = "fence broker=0 other=1"
    node = play(gone, **TWO).zookeeper.leader_and_isr[0]
    assert (node.leader, node.leader_epoch, node.isr) == (1, 1, 0b10)
    back = play(f"{gone}\napply_metadata broker=0\napply_metadata broker=1\nunfence broker=0", **TWO)
    assert (back.zookeeper.broker_ids, back.zookeeper.leader_and_isr[0].isr) == (0b11, 0b10)
    assert refused(f"{gone}\nunfence broker=0\nfence broker=1 other=0", fences=1, **TWO)  # budget


def test_a_broker_in_controlled_shutdown_stops_when_all_know():
    """KR2."""
    asked = "begin_shutdown broker=0\nstart_leaving broker=0 other=1"
    how = {**TWO, "controlled_shutdowns": 1}
    assert play(asked, **how).zookeeper.leader_and_isr[0].leader == 1
    assert refused(f"{asked}\nstop_leaving broker=0", **how)
    state = play(f"{asked}\napply_metadata broker=1\nstop_leaving broker=0", **how)
    assert (state.broker[0].up, state.zookeeper.broker_ids) == (0, 0b10)


FOR_ALL_ITS_ISR = """
    fence broker=1 other=1
    apply_metadata broker=1
    begin_shutdown broker=0
    start_leaving broker=0 other=0
    apply_metadata broker=0
    apply_metadata broker=1
    unfence broker=1
"""


@pytest.mark.parametrize(("repair", "leader"), [("elected", 0), ("passed-over", NO_BROKER)])
def test_who_shuts_down_is_elected_or_passed_over(repair, leader):
    """KR3, KAFKA-13944: the last member of the ISR shuts down when another broker returns."""
    state = play(FOR_ALL_ITS_ISR, "3.2", **TWO, max_epoch=3, controlled_shutdowns=1, leaving_leader=repair)
    assert state.zookeeper.leader_and_isr[0].leader == leader


@pytest.mark.parametrize(("revision", "isr", "elr"), [("4.0", 0b01, None), ("4.4", 0, 0b11)])
def test_the_last_member_stays_or_is_eligible(revision, isr, elr):
    """KR3."""
    gone = "fence broker=1 other=1\napply_metadata broker=0\napply_metadata broker=1\nfence broker=0 other=0"
    state = play(gone, revision, fences=2, **TWO)
    assert (state.zookeeper.leader_and_isr[0].isr, [*state.metadata[0].elr]) == (isr, [] if elr is None else [elr])


CAUGHT_UP = """
    fence broker=1 other=1
    apply_metadata broker=0
    apply_metadata broker=1
    expand_isr leader=0 follower=1
"""


def test_who_is_fenced_does_not_join():
    """KR4: neither the leader nor the controller lets it in."""
    assert not refused(CAUGHT_UP, revision="3.2", **TWO)
    assert refused(CAUGHT_UP, revision="3.3", **TWO)
    asked = play(ASKED, **{**TWO, "min_isr": 1})
    assert asked.isr_write[0][0].isr == 0b11
    answered = play(f"{ASKED}\nfence broker=1 other=1\nalter_partition leader=0", **{**TWO, "min_isr": 1})
    assert (answered.zookeeper.leader_and_isr[0].isr, answered.isr_write[0][0].isr) == (0b01, 0)


ASKED = """
    produce leader=0
    shrink_isr leader=0 follower=1
    alter_partition leader=0
    learn_isr_write leader=0
    apply_metadata broker=0
    fetch follower=1 leader=0
    fetch follower=1 leader=0
"""


@pytest.mark.parametrize(("revision", "hw"), [("3.6", 1), ("3.7", 0)])
def test_nothing_is_committed_below_min_isr(revision, hw):
    """KR5."""
    assert play("produce leader=0\nfence broker=1 other=1\napply_metadata broker=0", revision, **TWO).replica[0][0].hw == hw


@pytest.mark.parametrize(("ends", "elr"), [("crash broker=1\nfence broker=1 other=1", 0), ("stop_leaving broker=1", 0b10)])
def test_who_crashes_while_it_shuts_down_has_not_stopped_in_order(ends, elr):
    """KR2, KIP-966: its disk may have lost records, and the controller takes it for eligible no more."""
    how = {**TWO, "controlled_shutdowns": 1, "crashes": 1}
    assert play(f"begin_shutdown broker=1\n{ends}\nregister broker=1", **how).metadata[0].elr[0] == elr


FETCHES = pytest.param({"fetch": "in-flight", "crashes": 1}, marks=pytest.mark.long)


@pytest.mark.parametrize("settings", [{"crashes": 1}, {"controlled_shutdowns": 1}, FETCHES], ids=str)
def test_the_invariants_of_steps_hold(settings):
    """Those that kill mutants, on every step of small configurations."""
    config = KRAFT.configure("4.4", **{**TINY, "preferred_elections": 0, "fences": 0, **settings})
    broken, steps = broken_in_a_step(KRAFT, config)
    assert steps > 100 and not broken


@pytest.mark.parametrize(("changed", "elr"), [("stay-eligible", 0b10), ("cleared", 0), ("cleared-while-led", 0)])
def test_who_is_eligible_when_min_isr_changes(changed, elr):
    """KR5, KAFKA-16540."""
    how = {**TWO, "min_isr_changes": 1, "changed_min_isr": changed}
    state = play("fence broker=1 other=1\napply_metadata broker=0\nchange_min_isr min_isr=1", **how)
    assert (state.metadata[0].elr[0], state.zookeeper.leader_and_isr[0].isr) == (elr, 0b01)


def test_a_leader_counts_with_the_min_isr_that_it_knows():
    """KR5."""
    raised = "fence broker=1 other=1\napply_metadata broker=0\nchange_min_isr min_isr=2"
    how = {**TWO, "min_isr": 1, "min_isr_changes": 1}
    assert play(f"{raised}\nproduce leader=0", **how).replica[0][0].hw == 1
    assert refused(f"{raised}\napply_metadata broker=0\nproduce leader=0", **how)
    assert refused(f"{raised}\nchange_min_isr min_isr=1", **how)  # budget


@pytest.mark.parametrize(("script", "isr", "elr"), [("", 0, 0b11), ("update_feature", 0b01, 0)])
def test_a_feature_level_says_whether_replicas_are_eligible(script, isr, elr):
    """KR3: the last member stays without it."""
    gone = "fence broker=1 other=1\napply_metadata broker=0\napply_metadata broker=1\nfence broker=0 other=0"
    state = play(f"{script}\n{gone}", fences=2, feature_changes=1, **TWO)
    assert (state.zookeeper.leader_and_isr[0].isr, state.metadata[0].elr[0]) == (isr, elr)


def test_only_a_release_that_has_the_feature_lets_its_level_change():
    """KR3."""
    KRAFT.configure("4.0", recovery="eligible-replicas", feature_changes=1)
    with pytest.raises(UsageError, match="feature_changes = 1 has no feature to change: releases have eligible leader replicas"):
        KRAFT.configure("4.0", feature_changes=1)


@pytest.mark.parametrize(("reported", "elr"), [("clears", 0), ("leaves", 0b10)])
def test_a_reported_directory_leaves_isr_and_leader(reported, elr):
    """KR7: and who is eligible, since 4.3."""
    how = {**TWO, "directory_reports": 1, "reported_directory": reported}
    before = play("fence broker=1 other=1", **how)
    state = play("fence broker=1 other=1\nreport_directory", **how)
    node, old = state.zookeeper.leader_and_isr[0], before.zookeeper.leader_and_isr[0]
    assert (node.leader, node.leader_epoch, node.isr, node.version) == (old.leader, old.leader_epoch, old.isr, old.version + 1)
    assert (before.metadata[0].elr[0], state.metadata[0].elr[0]) == (0b10, elr)


def test_a_broker_starts_with_a_copy_that_is_behind_if_it_had_reported_that():
    """KR7: since 3.7.1. The copy has the first record and its epoch; the disk has lost nothing, and the start is unclean."""
    settings = {"log_size": 2, "max_records": 2, "crashes": 1, "directory_reports": 1, "preferred_elections": 0}
    written = "produce\nproduce\n"
    state = play(f"{written}crash_while_moving kept=1", **settings)
    me = state.replica[0][0]
    assert (state.broker[0].up, me.leo, me.hw, me.checkpoint, me.epoch_start[0]) == (0, 1, 0, 0, 0)
    assert (state.spent.crashes, state.spent.directory_reports) == (1, 1)
    for revision, how in (("3.6", {}), ("4.4", {"abandoned_copy": "taken-if-whole"})):
        with pytest.raises(AssertionError, match="is not enabled"):
            play(f"{written}crash_while_moving kept=1", revision, **settings, **how)
    with pytest.raises(AssertionError, match="is not enabled"):
        play(f"{written}crash_while_moving kept=2", **settings)  # a whole copy: a report, and a crash
    with pytest.raises(AssertionError, match="is not enabled"):
        play(f"{written}report_directory\ncrash_while_moving kept=1", **{**settings, "directory_reports": 2})


BORN_AGAIN = {**TWO, "recreations": 1, "preferred_elections": 0, "crashes": 1, "log_size": 2, "max_records": 2}


def test_a_topic_that_is_created_again_begins_empty_where_a_broker_hears_of_it():
    """KR7, N7: by its id nothing of the earlier one reaches it. A directory is left until the broker has applied the log."""
    committed = "produce\nfetch follower=1 leader=0\nfetch follower=1 leader=0\nrecreate_topic leader=1"
    state = play(committed, **BORN_AGAIN)
    node, me = state.zookeeper.leader_and_isr[0], state.replica[0][0]
    assert (node.leader, node.leader_epoch, node.isr) == (1, 1, 0b11)
    assert (me.exists, me.earlier_topic, me.leo, me.leader, state.history[0].record[0]) == (1, 1, 0, NO_BROKER, 0)
    heard = play(f"{committed}\napply_metadata broker=1\napply_metadata broker=0", **BORN_AGAIN)
    me = heard.replica[0][0]
    assert (me.exists, me.earlier_topic, me.leader, me.leader_epoch) == (1, 0, 1, 1)


def test_what_the_log_says_of_an_earlier_topic_makes_no_replica():
    """KR7: a broker that applies the log in parts follows nobody before it has the topic's creation."""
    state = play("fence broker=1 other=1\nrecreate_topic leader=0\napply_metadata broker=1", **BORN_AGAIN)
    assert (state.replica[0][1].leader, state.replica[0][1].earlier_topic) == (NO_BROKER, 1)


@pytest.mark.parametrize(("revision", "leader", "exists"), [("3.6", NO_BROKER, 0), ("3.7", 0, 1)])
def test_a_directory_of_an_earlier_topic_is_in_the_way_up_to_3_6(revision, leader, exists):
    """KAFKA-14616: the new topic's replica is not made, until the log says something else of the partition."""
    down = "crash broker=1\nfence broker=1 other=1\nrecreate_topic leader=0\napply_metadata broker=0 change=1\nregister broker=1"
    me = play(down, revision, **BORN_AGAIN).replica[0][1]
    assert (me.leader, me.exists, me.earlier_topic) == (leader, exists, 0)


@pytest.mark.parametrize(("revision", "fetches"), [("3.6", False), ("3.7", True)])
def test_a_broker_that_has_no_replica_of_the_new_topic_fetches_nothing(revision, fetches):
    """KAFKA-14616, KR4: neither before it has registered."""
    down = "crash broker=1\nfence broker=1 other=1\nrecreate_topic leader=0\nfetch_unregistered follower=1"
    settings = {**BORN_AGAIN, "fetch": "in-flight", "unregistered_starts": 1}
    if fetches:
        assert play(down, revision, **settings).fetch_request[0][0][1].sent == 1
    else:
        with pytest.raises(AssertionError, match="is not enabled"):
            play(down, revision, **settings)


def test_a_topic_is_created_again_only_where_that_is_modelled():
    """KR7."""
    with pytest.raises(UsageError, match="recreations = 1 does not go together with reassignments = 1: what becomes"):
        KRAFT.configure("4.4", recreations=1, reassignments=1)


@pytest.mark.parametrize(("named", "last"), [("newest", 0), ("first", 1)])
def test_who_was_the_last_leader_when_another_one_is_named_already(named, last):
    """KR3: broker 1 was, then 0 is elected while the level is 0, and drops out."""
    one, gone = "fence broker={} other={}", "apply_metadata broker=0 change={0}\napply_metadata broker=1 change={0}"
    led = "expand_isr leader=1 follower=0\nalter_partition leader=1\nlearn_isr_write leader=1\nelect_preferred"
    script = "\n".join([
        one.format(0, 0), gone.format(0), one.format(1, 1), "update_feature", "unfence broker=1", "unfence broker=0",
        gone.format(2), led, gone.format(1), one.format(1, 1), gone.format(0), "update_feature", one.format(0, 0),
    ])  # fmt: skip
    how = {"brokers": 2, "window": 3, "min_isr": 1, "fences": 4, "max_epoch": 4, "feature_changes": 2, "named_last": named}
    assert play(script, **how).metadata[0].last_leader[0] == last


@pytest.mark.parametrize(("revision", "epoch"), [("3.5", 1), ("3.6", 0)])
def test_an_isr_that_shrinks_begins_an_epoch_or_not(revision, epoch):
    """KR6."""
    shrunk = "produce leader=0\nshrink_isr leader=0 follower=1\nalter_partition leader=0"
    assert play(shrunk, revision, **TWO).zookeeper.leader_and_isr[0].leader_epoch == epoch


ADDED = "reassign broker=1\napply_metadata broker=0\napply_metadata broker=1"
MOVED = f"produce leader=0\n{ADDED}\nfetch follower=1 leader=0\nfetch follower=1 leader=0\nalter_partition leader=0"


def test_a_partition_has_moved_when_its_target_is_in_the_isr():
    """KR7: the change with which the target joins the ISR removes the others, elects, and begins an epoch."""
    how = {**MOVING, "brokers": 2}
    begun = play(f"produce leader=0\n{ADDED}", **how)
    assert (begun.zookeeper.assigned[0], begun.zookeeper.leader_and_isr[0].leader_epoch) == (0b11, 0)
    state = play(MOVED, **how)
    node = state.zookeeper.leader_and_isr[0]
    assert (node.leader, node.leader_epoch, node.isr, state.zookeeper.assigned[0]) == (1, 1, 0b10, 0b10)
    told = play(f"{MOVED}\napply_metadata broker=0\napply_metadata broker=1", **how)
    assert (told.replica[0][0].exists, told.replica[0][1].leader) == (0, 1)


@pytest.mark.parametrize(("revision", "without_1", "smaller"), [("3.7", 1, 1), ("3.9", 0, 0), ("4.1", 0, 0), ("4.4", 1, 0)])
def test_a_move_ends_with_those_who_are_added_or_with_the_whole_target(revision, without_1, smaller):
    """KR7: KAFKA-15665, from 3.8 to 4.2, waits for the target; KAFKA-19975 only where more are removed than added."""
    how = {"replicas": 2, "preferred_elections": 0, "reassignments": 2}
    joined = """
        produce leader=0
        reassign broker=1
        fence broker=1 other=1
        apply_metadata broker=0 change=1
        apply_metadata broker=2 change=1
        apply_metadata broker=1 change=1
        fetch follower=2 leader=0
        alter_partition leader=0
    """
    assert (play(joined, revision, **how).zookeeper.assigned[0] == 0b110) == without_1
    assert (play("reassign broker=1\nreassign broker=2", revision, **how).zookeeper.assigned[0] == 0b101) == smaller


def test_a_leader_answers_only_replicas_that_it_knows():
    """KR7: new replicas come without an epoch, so that one may fetch before its leader has heard of it."""
    how = {**MOVING, "brokers": 2}
    early = "produce leader=0\nreassign broker=1\napply_metadata broker=1\nfetch follower=1 leader=0"
    assert refused(early, **how)


def test_a_move_is_cancelled():
    """KR7: who was added is no replica any more; if nobody else is in the ISR, that is refused."""
    how = {**MOVING, "brokers": 2, "cancelled_moves": 1}
    state = play(f"produce leader=0\n{ADDED}\nrevert_reassignment", **how)
    assert (state.zookeeper.assigned[0], state.zookeeper.leader_and_isr[0].leader_epoch) == (0b01, 1)
    assert refused("revert_reassignment", **how)


def test_a_broker_that_was_down_deletes_what_has_moved_away():
    """KR7."""
    how = {"replicas": 2, "preferred_elections": 0, "reassignments": 1, "crashes": 1, "fences": 0}
    gone = """
        reassign broker=2
        apply_metadata broker=0
        apply_metadata broker=1
        apply_metadata broker=2
        crash broker=1
        fence broker=1 other=1
        apply_metadata broker=0
        apply_metadata broker=2
        expand_isr leader=0 follower=2
        alter_partition leader=0
    """
    assert play(gone, **how).replica[0][1].exists
    assert not play(f"{gone}\nregister broker=1", **how).replica[0][1].exists


def test_min_isr_above_the_replicas_is_refused():
    with pytest.raises(UsageError, match="min_isr = 2 is more than the replicas of a partition, 1"):
        KRAFT.configure("4.4", brokers=1)


@pytest.mark.parametrize(("revision", "early"), [("3.9", True), ("4.0", False)])
def test_a_broker_that_registers_before_it_is_fenced_leads_on(revision, early):
    """KR8, KAFKA-18106."""
    again = "crash broker=0\nregister_early broker=0"
    how = {**TWO, "crashes": 1, "early_registrations": 1}
    assert refused(again, revision=revision, **how) is not early
    if early:
        state = play(again, revision, **how)
        assert (state.zookeeper.leader_and_isr[0].leader, state.zookeeper.broker_ids, state.broker[0].up) == (0, 0b10, 1)


def test_a_fetch_from_before_a_registration_is_of_whoever_registers():
    """KR4: broker 1 fetches before it is registered, ends, loses its disk, and registers. It joins with what it no longer has."""
    ends = """
        produce leader=0
        shrink_isr leader=0 follower=1
        alter_partition leader=0
        learn_isr_write leader=0
        send_fetch follower=1
        answer_fetch leader=0 follower=1
        receive_fetch follower=1
        apply_metadata broker=0
        apply_metadata broker=1
        crash broker=1
    """
    returns = """
        fetch_unregistered follower=1
        empty_disk broker=1
        fence broker=1 other=1
        apply_metadata broker=0
        register broker=1
        apply_metadata broker=0
        unfence broker=1
        apply_metadata broker=0
        answer_fetch leader=0 follower=1
        alter_partition leader=0
    """
    state = play(ends + returns, **UNREGISTERED)
    assert (state.zookeeper.leader_and_isr[0].isr, state.replica[0][1].leo, state.replica[0][0].hw) == (0b11, 0, 1)
    for without in ({"unregistered_fetch": "not-sent"}, {"revision": "3.4"}):
        assert refused("crash broker=1\nfetch_unregistered follower=1", **UNREGISTERED, **without)


@pytest.mark.parametrize(("revision", "unfenced"), [("3.2", False), ("3.3", True)])
def test_a_broker_that_is_late_with_its_metadata_is_unfenced_or_not(revision, unfenced):
    """KR8, KAFKA-13959."""
    assert refused("fence broker=1 other=1\nunfence broker=1", revision=revision, **TWO) is not unfenced


@pytest.mark.parametrize(("revision", "isr"), [("3.2", 0b01), ("3.3", 0b11)])
def test_an_older_isr_of_the_log_is_taken_or_skipped(revision, isr):
    """KR8, KAFKA-13790: the leader has heard by answers of both changes, and of none by the log."""
    how = {**TWO, "min_isr": 1, "shrink_epoch": "kept"}
    script = """
        produce leader=0
        shrink_isr leader=0 follower=1
        alter_partition leader=0
        learn_isr_write leader=0
        fetch follower=1 leader=0
        fetch follower=1 leader=0
        alter_partition leader=0
        learn_isr_write leader=0
        apply_metadata broker=0
    """
    assert play(script, revision, **how).replica[0][0].isr == isr


@pytest.mark.long
@pytest.mark.parametrize("revision", ["3.2", "4.0", "4.4"])
def test_the_first_finding_is_alive_and_gone_with_its_repair(revision):
    """KR8, at the default sizes: three brokers."""
    members = {"weak_isr", "strong_isr", "isr_reaches_high_watermark"}
    chosen = [claim for claim in properties_of(KRAFT) if claim.name in {*members, "no_committed_data_loss", "commits_agree"}]
    for how, expected in (({}, members), ({"lead_again": "new-replicas"}, set())):
        config = KRAFT.configure(revision, **how)
        found = check(Request(KRAFT, revision, config, chosen, keep_going=True))
        assert found.complete
        assert {finding.property.name for finding in found.findings if finding.verdict == VIOLATED} == expected
