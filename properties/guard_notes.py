"""Why nothing falls without some rules of the Kafka model; `docs/guards.md` shows each sentence beside its counts."""

NOTES: dict[str, dict[tuple[str, str], str]] = {
    "kafka": {
        ("end_session", "delete_controller_path(s)"): (
            "The node would outlive its owner, and nobody else could be elected. That a real store deletes it is "
            "tested in `tests/zookeeper`."
        ),
        ("watch_controller_path", "unseen_events(s, broker) + 1"): (
            "Availability: without it the event that no controller is there is lost if nothing else waits, and the "
            "broker does not compete; nothing wrong is done, and no property asks that something is done."
        ),
        ("notice_session_expiry", "watch_controller_path(s, broker)"): (
            "The watch of the old session stays as it was. Who competes late or twice still has to create /controller,"
            " which one does."
        ),
        ("see_event", "s.broker[client].controller_watch -= 1"): (
            "Whoever sees an event twice looks at the store twice; it competes again, and one creation wins, or "
            "resigns again."
        ),
        ("see_controller_change", "see_event(s, broker)"): (
            "Availability: without it the event is never done with, and those behind it wait; nothing wrong is done, "
            "and no property asks that something is done."
        ),
        ("recover_controller", "dispatch(s, controller, partition, holders(s, partition) & me.live)"): (
            "Availability: without it decisions that the last controller wrote and did not send are never sent (D2); "
            "nothing wrong is done, and no property asks that something is done."
        ),
        ("recover_controller", "note_reassignments(s, controller)"): (
            "Availability: without it a successor does not take up the moves that the last controller began (D.7); nothing "
            "wrong is done. `tests/properties/test_reassignment.py` asks that it is."
        ),
        ("new_replicas_in_isr", "s.zookeeper.reassigned[partition] == 0"): (
            "A controller reads a partition of which nothing is asked any more, and finds nobody in RAR to lead it."
        ),
        ("has_caught_up", "s.controller[controller].moving[partition] != MOVING"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("has_caught_up", "not (new_replicas_in_isr(s, partition))"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("is_fenced", "not (s.config.fenced_controllers)"): (
            "The rule is the switch itself: without it a replaced controller's writes fail in designs from before "
            "KAFKA-6082, too, and less can happen."
        ),
        ("switch_isr", "finish(s, controller, partition)"): (
            "In the coarse variant it ends the move within the step; without it `finish_reassignment` does so later, as "
            "in the fine variant."
        ),
        ("delete_topic", "delete_reassignment(s, partition)"): (
            "The request outlives its topic, and no other can be made. Nothing acts on it, since a move needs leaderAndISR."
        ),
        ("truncate_on_divergence", "min(end_of_epochs_up_to(s, me, epoch), end)"): (
            "Availability: the log is cut less far, and the next fetch finds again that it diverges; it is not fetched into "
            "while it does."
        ),
        ("see_broker_change", "see_event(s, me.host)"): (
            "Availability: without it the watch is not set again, and the controller does not see who comes and goes "
            "later; nothing wrong is done, and no property asks that something is done."
        ),
        ("see_topic_change", "see_event(s, me.host)"): (
            "Availability: without it the watch is not set again, and the controller does not see which topics come "
            "and go later; nothing wrong is done, and no property asks that something is done."
        ),
        ("needs_decision", "not (s.controller[controller].known[partition] == 1)"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("needs_decision", "not (is_affected(s, controller, partition) or s.zookeeper.preferred_election[partition] == 1)"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("read_partition", "s.config.controller_steps != FINE"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("read_partition", "not is_working(s, controller)"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("read_partition", "not has_session(s, s.controller[controller].host)"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("read_partition", "not needs_decision(s, controller, partition)"): (
            "What is read is only used by a decision, which has its own conditions: without the rule a controller "
            "reads for nothing."
        ),
        ("elect_unclean_leader", "publish(s, controller, partition, broker, only(broker))"): (
            "The budget is spent on an election that does not happen, and the partition waits."
        ),
        (
            "elect_preferred_replica_on_schedule",
            "publish(s, controller, partition, s.zookeeper.preferred[partition], "
            "s.zookeeper.leader_and_isr[partition].isr)",
        ): (
            "The budget is spent on an election that does not happen, and the leader stays."
        ),
        ("create_topic", "fire_topics_watch(s)"): (
            "Availability: without it no controller hears of the topic, unless it is elected later; nothing wrong is "
            "done, and no property asks that something is done."
        ),
        ("delete_topic", "forget_history(s, partition)"): (
            "The history is a ghost, which only properties read; a deleted topic is not created again, so nothing "
            "contradicts it."
        ),
        ("remove_controller", "not may_be_elected(s)"): (
            "It bounds the exploration: nobody deletes /controller when the budget has no other controller."
        ),
        ("serve", "note_epoch(me, epoch, me.leo)"): (
            "Its first record enters the epoch into the cache as well; until then the leader answers by the epochs before."
        ),
        ("serve", "advance_high_watermark(s, partition, broker)"): (
            "The high watermark advances with the next fetch, write or change of the ISR instead."
        ),
        ("begin", "fetch_from_end(me)"): (
            "Availability: without it the follower never fetches again; nothing wrong is done, and no property asks "
            "that something is done."
        ),
        ("forget_role", "stop_fetching(s, partition, broker)"): (
            "Without a leader nothing is fetched, and the next role stops the fetcher before it begins."
        ),
        ("stop_replica", "not s.replica[partition][broker].exists"): (
            "There is nothing to delete; only the broker's controller epoch grows."
        ),
        ("delete_unnamed", "not has_unnamed(s, broker, controller)"): (
            "There is nothing to delete; only the broker's controller epoch grows."
        ),
        ("delete_unnamed", "max(s.broker[broker].controller_epoch, controller)"): (
            "The broker remembers an earlier controller than the last that it obeyed. At these sizes there is one "
            "earlier controller, and its commands do no harm."
        ),
        ("delete_unnamed", "delete_replica(s, partition, broker)"): (
            "The replica of a deleted partition stays, and takes part in nothing: C2 is about space on disk."
        ),
        ("can_answer", "their.leader != leader"): (
            "A broker that does not lead answers from its log. Before KIP-320 a stale leader answers likewise (S6), "
            "and the same properties fall anyhow."
        ),
        ("answer_with_end_of_epoch", "send_answer(s, partition, follower, requested, end)"): (
            "Availability: without it the follower waits for an answer for ever; nothing wrong is done, and no "
            "property asks that something is done."
        ),
        ("truncate_to_end_of_epoch", "fetch_from_end(me)"): (
            "Availability: without it the follower obeys the same answer again and does not fetch; nothing wrong is "
            "done, and no property asks that something is done."
        ),
        ("truncate_to_common_epoch", "fetch_from_end(me)"): (
            "The follower obeys the same answer again: it cuts to the same end, and fetches when it has another answer."
        ),
        ("truncate_on_divergence", "not leads(s, partition, leader)"): (
            "Before fencing a stale leader refuses a fetch likewise, and what its log says of the follower's is what "
            "this broker's says."
        ),
        ("truncate_on_divergence", "truncate(s, me, 0)"): (
            "Availability: without it the log is not cut, and the next fetch is refused as well; nothing wrong is "
            "done, and no property asks that something is done."
        ),
        ("truncate_on_divergence", "truncate(s, me, min(end_of_epochs_up_to(s, me, epoch), end))"): (
            "Availability: without it the log is not cut, and the next fetch is refused as well; nothing wrong is "
            "done, and no property asks that something is done."
        ),
        ("fail_epoch_request", "me.phase == FETCHING"): (
            "The failure then also hits a follower that fetches: it cuts what is above its high watermark, as the "
            "documents' fallback does."
        ),
        ("fail_epoch_request", "s.spent.message_losses += 1"): (
            "It counts a fault: without it the fault happens again and again, and nothing falls."
        ),
        ("produce", "advance_high_watermark(s, partition, leader)"): (
            "The high watermark advances with the next fetch, write or change of the ISR instead."
        ),
        ("append_batch", "append(me, record, source.log[offset].epoch)"): (
            "Availability: without it followers get no records; nothing wrong is done, and no property asks that "
            "something is done."
        ),
        ("fetch", "s.config.fetch != RENDEZVOUS"): (
            "Both ways to fetch exist side by side; each is explored by itself at other sizes."
        ),
        ("fetch", "note_fetch(s, partition, leader, follower, me.leo)"): (
            "Availability: without it the leader does not learn how far followers are, and commits only alone; nothing"
            " wrong is done, and no property asks that something is done."
        ),
        ("fetch", "append_batch(s, me, their)"): (
            "Availability: without it followers get no records; nothing wrong is done, and no property asks that "
            "something is done."
        ),
        ("send_fetch", "s.fetch_response[partition][follower].sent"): (
            "The later answer takes the place of the first; an answer to another offset than the log's end is dropped."
        ),
        ("send_fetch", "me.leo >= their.leo and their.fetched_to[follower] == me.leo and (me.hw == min(their.hw, me.leo))"): (
            "Efficiency: fetches from which neither side learns anything."
        ),
        ("answer_fetch", "not is_accepted(s, their, request.fetch_offset, request.leader_epoch, request.last_epoch)"): (
            "With fetches in flight at two brokers; the same rule in `is_accepted` falls with three brokers."
        ),
        ("answer_fetch", "note_fetch(s, partition, leader, follower, request.fetch_offset)"): (
            "Availability: without it the leader does not learn how far followers are, and commits only alone; nothing"
            " wrong is done, and no property asks that something is done."
        ),
        ("answer_fetch", "write_response(s, partition, leader, follower, request.fetch_offset)"): (
            "Availability: without it the follower never gets an answer; nothing wrong is done, and no property asks "
            "that something is done."
        ),
        ("receive_fetch", "append(me, response.log[slot].record, response.log[slot].epoch)"): (
            "Availability: without it followers get no records; nothing wrong is done, and no property asks that "
            "something is done."
        ),
        ("receive_fetch", "drop_response(s, partition, follower)"): (
            "Availability: without it the response stays, and the follower asks nothing more; nothing wrong is done, "
            "and no property asks that something is done."
        ),
        ("change_isr", "advance_high_watermark(s, partition, leader)"): (
            "The high watermark advances with the next fetch, write or change of the ISR instead."
        ),
        ("fetches_from", "me.phase != FETCHING"): (
            "It tells which followers the leader counts as active, and so when it shrinks the ISR: that may be at any time."
        ),
        ("fetches_from", "not (not s.config.fenced or me.leader_epoch == s.replica[partition][leader].leader_epoch)"): (
            "It tells which followers the leader counts as active, and so when it shrinks the ISR: that may be at any time."
        ),
        ("shrink_isr", "not contains(me.isr, follower)"): "The ISR is written as it is; only its version grows.",
        ("shrink_isr", "me.fetched_to[follower] >= me.leo and fetches_from(s, partition, follower, leader)"): (
            "A leader may shrink the ISR at any time: who leaves has no right to be elected."
        ),
        ("expand_isr", "contains(me.isr, follower)"): "The ISR is written as it is; only its version grows.",
        ("lose_memory", "resign(s, broker)"): (
            "What the controller of a stopped process does until its session ends is what one in a long pause may do."
        ),
        ("lose_memory", "forget_role(s, partition, broker)"): (
            "A stopped broker does nothing with what it believes, and takes its roles anew from the store when it starts."
        ),
        ("lose_power", "not loses_something(s, broker, kept)"): (
            "A power loss that loses nothing is a crash, which spends another budget."
        ),
        ("lose_power", "s.spent.power_losses += 1"): "Each power loss is counted as a crash too, and that count ends them.",
        ("lose_power", "truncate(s, me, max(kept, me.flushed))"): "What is left is a crash: the disk loses nothing.",
        ("lose_epoch_file", "s.broker[broker].up"): (
            "The cache of a running broker is lost too: a fault beyond those of the documents, and nothing falls."
        ),
        ("lose_epoch_file", "not has_epochs(s, broker)"): "The budget is spent on a cache that is empty.",
        ("lose_epoch_file", "s.spent.lost_epoch_files += 1"): (
            "It counts a fault: without it the fault happens again and again, and nothing falls."
        ),
        ("start_broker", "contains(s.zookeeper.sessions, broker)"): (
            "In the store the node of the old session would be in its way: `tests/zookeeper` tests that a second one "
            "is refused."
        ),
        ("start_broker", "watch_controller_path(s, broker)"): (
            "Availability: without it the event that no controller is there is lost, and the broker does not compete; "
            "nothing wrong is done, and no property asks that something is done."
        ),
    },
}


REMARKS: dict[str, list[str]] = {
    "kafka": [
        "The rules of the design that are a constant or an order: the high watermark is the least over the ISR (`smallest` in",
        "`advance_high_watermark`); a leader stops fetching first (`stop_fetching` in `serve`); a follower truncates before it",
        "fetches (`begin_truncation` in `follow`); each decision has the next epoch (`node.leader_epoch + 1` in",
        "`write_decision`).",
    ],
}


def notes_of(model: str) -> dict[tuple[str, str], str]:
    """The sentences on a model's rules, by function and rule."""
    return NOTES.get(model, {})


def remarks_on(model: str) -> list[str]:
    """Lines for the page of a model: where the rules are that the design documents give as a constant or an order."""
    return REMARKS.get(model, [])
