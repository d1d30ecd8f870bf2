"""How states of Kafka's replication are written, under ZooKeeper and under KRaft, in Kafka's words.

A log reads `0a 0b|1c`: three records, the leader epoch before each, letters for batches, a bar at the high
watermark; `from 1: 0b|1c` starts at offset 1.
"""

from collections.abc import Sequence
from typing import Any

from ...model.choices import Condition, FetchBelowStart
from ...model.language.kinds import NO_MEMBER
from ...model.language.notation import Facts
from ...model.release_choices import Fetchers
from ...model.truncation.names import Truncation
from ...model.vocabulary import Phase, Starting
from ..words import letter, member, members
from .in_flight import in_flight
from .metadata import applied, metadata_log
from .words import MOVES, PHASES, WATCHED, WRITES, log, named


def describe_kafka(s: Any) -> Facts:
    """The parts of the Kafka model: the store, controllers, brokers, what is in flight, what is promised."""
    facts: Facts = {"zookeeper": _store(s)}
    for epoch, controller in enumerate(s.controller):
        facts[controller_part(s, epoch)] = _controller(s, epoch, controller)
    for broker in range(s.config.brokers):
        facts[f"broker {broker}"] = _broker(s, broker)
    facts["in flight"] = in_flight(s)
    facts["promised"] = _promised(s)
    return facts


def describe_kraft(s: Any) -> Facts:
    """The parts of the family `kraft`: the log of metadata in place of store and controllers."""
    facts: Facts = {"metadata": metadata_log(s)}
    for broker in range(s.config.brokers):
        told = _broker(s, broker)
        if s.broker[broker].up:
            told = {"metadata": applied(s, broker), **told}
        facts[f"broker {broker}"] = told
    facts["in flight"] = in_flight(s)
    facts["promised"] = _promised(s)
    return facts


def controller_part(s: Any, number: int) -> str:
    """The name of a controller's part."""
    return "controller" if len(s.controller) == 1 else f"controller {number}"


def _store(s: Any) -> dict[str, str]:
    """What is published, and which sessions live."""
    store = s.zookeeper
    out = {"live": members(store.broker_ids)}
    if s.config.controller_changes or s.config.start:
        out["/controller"] = f"{member(store.controller)} (epoch {store.controller_epoch})"
    if store.sessions != store.broker_ids:
        out["sessions"] = members(store.sessions)
    for partition, node in enumerate(store.leader_and_isr):
        text = "none"
        if node.version:
            text = f"leader {member(node.leader)} epoch {node.leader_epoch} isr {members(node.isr)} v{node.version}"
        out[named(s, partition, "state")] = text
        if s.config.start or s.config.topic_deletions or s.config.replicas:
            out[named(s, partition, "assigned")] = members(store.assigned[partition])
        if s.config.preferred_elections:
            out[named(s, partition, "preferred")] = member(store.preferred[partition])
        if store.preferred_election[partition]:
            out[named(s, partition, "request")] = "preferred election"
        if partition < len(store.adding) and (store.adding[partition] or store.removing[partition]):
            text = "to be removed"
            if store.adding[partition]:
                text = f"to be added, to {members(store.adding[partition])}"
                text += f", broker {store.adding_preferred[partition]} first" if partition < len(store.adding_preferred) else ""
            out[named(s, partition, "partition")] = text
        if partition < len(store.deleting) and store.deleting[partition]:
            out[named(s, partition, "to be deleted")] = "the topic"
        if s.config.reassignments and store.reassigned[partition]:
            out[named(s, partition, "to move to")] = members(store.reassigned[partition])
    return out


def _controller(s: Any, epoch: int, me: Any) -> dict[str, str]:
    """What a controller knows, and what it has yet to do."""
    out = {}
    if me.active:
        out["runs on"] = "a broker apart" if me.host == NO_MEMBER else f"broker {me.host}"
        out["knows live"] = members(me.live)
    for dead in filter(None, me.dead_before):
        out["does not look at"] = f"{members(dead)}, dead before its election"
    if me.recovering:
        out["has yet to"] = "read the store"
    for watch, name in zip((me.brokers_watch, me.topics_watch, me.moves_watch), WATCHED, strict=True):
        if watch:
            out[f"event {name}"] = f"unseen, number {watch}"
    for partition in range(s.config.partitions):
        if partition < len(s.decision) and s.decision[partition][epoch].asked:
            asked = s.decision[partition][epoch]
            condition = "if no later epoch is there" if s.config.decision_condition is Condition.EPOCH else f"if v{asked.version}"
            text = f"leader {member(asked.leader)} epoch {asked.leader_epoch} isr {members(asked.isr)}, {condition}"
            out[named(s, partition, "asks the store for")] = text
        if partition < len(me.stopped) and me.stopped[partition]:
            out[named(s, partition, "has confirmations from")] = members(me.stopped[partition])
        if partition < len(me.fresh) and me.fresh[partition]:
            out[named(s, partition, "new to it")] = "the partition"
        if partition < len(me.awaited) and me.awaited[partition] >= 0:
            out[named(s, partition, "waits for an answer")] = f"to the election of epoch {me.awaited[partition]}"
        if s.config.reassignments and me.moving[partition]:
            out[named(s, partition, "reassignment")] = MOVES[me.moving[partition]]
        if partition < len(me.isr_read) and me.isr_read[partition]:
            out[named(s, partition, "watches leaderAndISR")] = f"since v{me.isr_read[partition]}"
        if me.active and not me.recovering and me.known[partition] != (s.zookeeper.assigned[partition] != 0):
            out[named(s, partition, "thinks")] = "it exists" if me.known[partition] else "it does not exist"
    return out


def _broker(s: Any, broker: int) -> dict[str, str]:
    """The process and its replicas."""
    process = s.broker[broker]
    out = {}
    if not process.up:
        out["process"] = "down, by its own will" if process.exited else "down"
    elif not s.config.quorums and not s.zookeeper.sessions >> broker & 1:
        out["process"] = "up, and does not know that its session expired"
    if s.config.upgrades:
        out["release"] = "new" if process.upgraded else "old"
    if process.controller_watch:
        out["event /controller"] = f"unseen, number {process.controller_watch}"
    if process.registering:
        out["registration"] = "has no answer from the store yet"
    for known in process.knows_live if process.up else ():
        out["knows live"] = members(known)
    if process.leaving:
        out["shutdown"] = "asks the controller to move its leaders" if process.up else "has stopped in good order"
    if process.controller_epoch:
        out["obeys"] = f"controller {process.controller_epoch}"
    for partition in range(s.config.partitions):
        for fact, text in _replica(s, partition, broker).items():
            out[named(s, partition, fact)] = text
    return out


def _replica(s: Any, partition: int, broker: int) -> dict[str, str]:
    """One broker's copy of a partition."""
    me = s.replica[partition][broker]
    out = _starting(s, partition, broker)
    if not me.exists:
        return {**out, "log": "no replica"} if s.zookeeper.assigned[partition] >> broker & 1 else out
    if s.config.recreated_topics and me.earlier_topic:
        return {**out, "log": "a directory of the earlier topic"}
    out["log"] = log(me)
    if me.leader == broker:
        out["role"] = f"leads in epoch {me.leader_epoch}, isr {members(me.isr)} v{me.zk_version}"
        followers = [b for b in range(s.config.brokers) if b != broker and (me.fetched_to[b] or me.isr >> b & 1)]
        if followers:
            out["followers at"] = " ".join(f"{b}:{me.fetched_to[b]}" for b in followers)
        if partition < len(s.isr_write) and s.isr_write[partition][broker].phase:
            write = s.isr_write[partition][broker]
            out["asks the store to write"] = f"isr {members(write.isr)}, {WRITES[write.phase]} v{write.version}"
        if partition < len(s.isr_write) and s.isr_write[partition][broker].earlier:
            out["request of an earlier epoch"] = "has no answer yet"
        if me.answer_end >= 0:
            out["truncation due"] = f"although it leads: {answer(s, me)}"
        if me.term_start:
            out["term began at"] = str(me.term_start)
    elif me.leader_epoch >= 0:
        out["role"] = _following(s, me)
    starts = [(e, me.epoch_start[e]) for e in range(s.config.epochs) if me.epoch_start[e] >= 0]
    out["epochs"] = " ".join(f"{e}@{at}" for e, at in starts) or "none"
    if me.no_hw:
        out["high watermark"] = "-1"
    if s.config.crashes:
        out["checkpoint"] = "-1" if me.no_checkpoint else str(me.checkpoint)
    if s.config.power_losses:
        out["flushed"] = str(me.flushed)
    return out


def _asked(s: Any, me: Any) -> str:
    """The epochs that a request names."""
    return (
        f"epoch {me.asked_epoch}" if s.config.truncation is Truncation.BY_KNOWN_EPOCH else f"its epochs from {me.asked_epoch} on"
    )


def answer(s: Any, me: Any) -> str:
    """The answer to a follower's request."""
    if me.answer_end < 0:
        return "undefined" if me.asked_epoch < 0 else f"{_asked(s, me)}: unknown"
    if me.answer_epoch >= 0:
        return f"epoch {me.answer_epoch} ends at {me.answer_end}"
    if s.config.truncation is Truncation.ON_DIVERGENCE:
        return f"the histories differ from {me.answer_end} on"
    return f"the logs agree up to {me.answer_end}" if me.asked_epoch >= 0 else f"all below {me.answer_end} is deleted"


def _starting(s: Any, partition: int, broker: int) -> dict[str, str]:
    """What a starting broker has yet to do for the partition."""
    if partition >= len(s.start) or not s.start[partition][broker].phase:
        return {}
    start = s.start[partition][broker]
    if start.phase is Starting.TO_READ:
        return {"starting": "has yet to read what is published"}
    text = f"leader {member(start.leader)} epoch {start.leader_epoch} isr {members(start.isr)}"
    return {"starting": f"has read: {text if start.is_assigned else 'the partition is not its own'}"}


def _following(s: Any, me: Any) -> str:
    """The leader of a replica, and what its fetcher does."""
    if me.leader == NO_MEMBER:
        return f"knows no leader in epoch {me.leader_epoch}"
    doing = PHASES[me.phase]
    if me.asked_epoch >= 0 and me.phase is Phase.ASKING:
        doing = f"asks for {_asked(s, me)}"
    elif me.phase is Phase.ANSWERED:
        doing = f"is answered: {answer(s, me)}"
    if me.failed:
        doing = "cannot append: the batch does not continue its log"
        if s.config.fetch_below_start is FetchBelowStart.DIVERGING or s.config.renewals:
            doing = "has failed: the leader's log starts beyond its own high watermark"
        if me.no_hw:
            doing = "has failed: no log can be cut to -1"
        if s.config.fetchers is Fetchers.SHARED and s.config.partitions > 1:
            doing = "fetches no more: its fetcher has ended"
    again = f", round {me.rounds}" if me.rounds > 1 else ""
    return f"follows {me.leader} in epoch {me.leader_epoch}, {doing}{again}"


def _promised(s: Any) -> dict[str, str]:
    """What is committed, acknowledged, consumed, and lost: not present in an implementation."""
    out = {}
    for partition, past in enumerate(s.history):
        epochs = sorted({e for e, record in zip(past.commit_epoch, past.record, strict=True) if record})
        committed = [f"{_at(past.record, [e == c for c in past.commit_epoch])} in epoch {e}" for e in epochs]
        out[named(s, partition, "committed")] = ", ".join(committed) or "nothing"
        if any(past.acknowledged):
            out[named(s, partition, "acknowledged")] = _at(past.acknowledged)
        if any(past.answered):
            out[named(s, partition, "acknowledged")] = _at(past.answered)
        if past.contradicted:
            out[named(s, partition, "contradiction")] = "two different records were committed at one offset"
        if past.lost:
            out[named(s, partition, "lost")] = "committed records, by an unclean election"
    for partition, past in enumerate(s.generation):
        if past.again:
            out[named(s, partition, "created again")] = f"after {past.born} batches; obeyed by {members(past.obeyed)}"
    for partition, client in enumerate(s.client):
        view = f", the view names {member(client.external_view)}" if client.external_view != NO_MEMBER else ""
        out[named(s, partition, "clients")] = f"write to {member(client.leader)}{view}"
    for partition, alert in enumerate(s.alert):
        if alert.raised:
            out[named(s, partition, "alert")] = "it takes too long"
    for partition, consumer in enumerate(s.consumer):
        state = f"at {consumer.position}"
        state += f", out of range in epoch {consumer.refused_in}" if consumer.refused_in >= 0 else ""
        out[named(s, partition, "consumer")] = state
    return out


def _at(records: Sequence[int], chosen: Sequence[bool] = ()) -> str:
    """Batches with their offsets, `a@0-1 b@2`; only the offsets that are chosen, when any are named."""
    kept = [r if not chosen or chosen[offset] else 0 for offset, r in enumerate(records)]
    out = []
    for offset, record in enumerate(kept):
        if record and (offset == 0 or kept[offset - 1] != record):
            last = offset
            while last + 1 < len(kept) and kept[last + 1] == record:
                last += 1
            out.append(f"{letter(record)}@{offset}" + (f"-{last}" if last > offset else ""))
    return " ".join(out)
