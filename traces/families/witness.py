"""The witnesses of a violation in Kafka's words: which replica, which offset, which record, in whose ISR."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...model.language.kinds import MEMBERS, NO_MEMBER
from ..evidence import Evidence
from ..witness import variables, without_indices
from ..words import letter, members
from .words import batch_of, start_of

WORDS: dict[str, str | tuple[str, str]] = {
    "replica.hw": "broker {1}'s high watermark is {value}",
    "replica.no_hw": ("broker {1} has a high watermark", "broker {1}'s high watermark is -1"),
    "replica.log_start": "broker {1}'s log starts at {value}",
    "replica.leo": "broker {1}'s log ends at {value}",
    "replica.log.record": "broker {1} has {record} at offset {2}",
    "replica.log.epoch": "broker {1} has a record of epoch {value} at offset {2}",
    "replica.leader": "broker {1} takes {value} for the leader",
    "replica.leader_epoch": "broker {1} is in leader epoch {value}",
    "replica.isr": "broker {1}'s own ISR is {value}",
    "replica.exists": ("broker {1} has no replica", "broker {1} has a replica"),
    "replica.earlier_topic": (
        "broker {1} has no directory of an earlier topic",
        "broker {1} has a directory of an earlier topic",
    ),
    "replica.zk_version": "broker {1} knows version {value} of leaderAndISR",
    "replica.fetched_to": "broker {1} knows that broker {2} has come to {value}",
    "replica.failed": ("broker {1}'s fetcher has not failed", "broker {1}'s fetcher has failed"),
    "replica.rounds": "broker {1} begins round {value} of its truncation",
    "replica.checkpoint": "broker {1}'s checkpoint is {value}",
    "broker.up": ("broker {0} is down", "broker {0} runs"),
    "broker.exited": ("broker {0} has not exited", "broker {0} has exited, because its log ends beyond its leader's"),
    "broker.registering": ("broker {0} knows its registration", "broker {0} does not know its new registration yet"),
    "broker.knows_live": "broker {0} knows as live {value}",
    "broker.leaving": ("broker {0} stays", "broker {0} is shutting down"),
    "controller.active": ("controller {0} has resigned", "controller {0} takes itself for the controller"),
    "controller.host": "the broker of controller {0} is {value}",
    "controller.recovering": ("controller {0} has read the store", "controller {0} has yet to read the store"),
    "controller.live": "controller {0} knows as live {value}",
    "zookeeper.controller": "/controller is {value}",
    "zookeeper.controller_epoch": "/controller_epoch is {value}",
    "zookeeper.broker_ids": "the brokers that are not fenced are {value}",
    "metadata.elr": "the eligible leader replicas are {value}",
    "metadata.last_leader": "the last leader is {value}",
    "metadata.leaving": "those in controlled shutdown are {value}",
    "zookeeper.sessions": "the sessions alive are those of {value}",
    "zookeeper.assigned": "the replicas are assigned to {value}",
    "zookeeper.reassigned": "the reassignment asked for is to {value}",
    "zookeeper.adding": "the replicas to be added are {value}",
    "zookeeper.adding_preferred": "the first of the replicas to be added is {value}",
    "zookeeper.leader_and_isr.isr": "the published ISR is {value}",
    "zookeeper.leader_and_isr.leader": "the published leader is {value}",
    "zookeeper.leader_and_isr.leader_epoch": "the published leader epoch is {value}",
    "zookeeper.leader_and_isr.version": "the version of leaderAndISR is {value}",
    "zookeeper.leader_and_isr.controller_epoch": "the controller that decided last is {value}",
    "history.served": "the newest epoch in which a broker served as leader is {value}",
    "history.answered": "the producer that was told of offset {1} had sent {record}",
    "history.record": "the record committed at offset {1} is {record}",
    "consumer.record": "the consumer has read {record}",
    "consumer.refused_in": "a leader in epoch {value} answered the consumer out of range",
    "consumer.position": "the consumer's next offset is {value}",
}
"""How a variable of the Kafka model is described, by its path without indices, which are numbered; a flag by both its values."""


PROMISES = {"record": "was committed", "acknowledged": "was acknowledged", "assured": "was acknowledged with acks=all"}
"""What was promised of a record at an offset, by the ghost that keeps it."""


def tell_kafka(s: Any, binding: Mapping[str, int], dimensions: Mapping[str, str], found: Evidence) -> str:
    """The replicas at the offset that is in question; else what was read of them."""
    partition = binding.get("partition", 0)
    where = f"partition {partition}: " if len(s.replica) > 1 and "partition" in binding else ""
    if any(path.endswith(".contradicted") for _, path in found.read):
        return where + contradiction(s, partition)
    brokers = members_of(binding, dimensions)
    if "offset" in binding and brokers:
        return where + at_offset(s, s.replica[partition], partition, binding["offset"], brokers, found)
    if not any(without_indices(path) in WORDS for _, path in found.read):
        return ""
    over_steps = any(number for number, _ in found.met)
    acting = f"{who(s, s.replica[partition], brokers[0], [])}: " if over_steps and brokers else ""
    return where + acting + ", ".join(variables(type(s), found, WORDS))


def members_of(binding: Mapping[str, int], dimensions: Mapping[str, str]) -> list[int]:
    """The brokers among the values, each once."""
    return list(dict.fromkeys(value for name, value in binding.items() if dimensions[name] == MEMBERS))


def tell_published(s: Any, binding: Mapping[str, int], dimensions: Mapping[str, str], found: Evidence) -> str:
    """The same of the published model, which has one partition and no ghosts."""
    brokers = members_of(binding, dimensions)
    if "offset" in binding and brokers:
        return at_offset(s, s.replica, None, binding["offset"], brokers, found)
    return ""


DESIGN_WORDS: dict[str, str | tuple[str, str]] = {
    "up": "the brokers that run are {value}",
    "sessions": "the sessions alive are those of {value}",
    "node.leader": "the published leader is {value}",
    "node.isr": "the published ISR is {value}",
    "replica.leader": "broker {1} takes {value} for the leader",
    "replica.isr": "broker {1}'s own ISR is {value}",
}
"""The same of the designs before V3."""


KRAFT_WORDS: dict[str, str | tuple[str, str]] = {
    "broker.leo": "the log of broker {0} ends at {value}",
    "controller.now.isr": "the controller's ISR is {value}",
    "true_hw": "everything below {value} was once committed",
}
"""The same of the published KRaft specifications."""


def at_offset(
    s: Any, replicas: Sequence[Any], partition: int | None, offset: int, brokers: Sequence[int], found: Evidence
) -> str:
    """`broker 0 (follower in epoch 2) has c of epoch 1 at offset 2, leader 1 has b of epoch 0`, and what that breaks."""
    said: list[int] = []
    parts: list[str] = []
    brokers = [*brokers, *(b for b in range(len(replicas)) if b not in brokers and log_was_read(partition, b, offset, found))]
    for broker in brokers:
        name = who(s, replicas, broker, said)
        me = replicas[broker]
        end = f" (its log ends at {me.leo})" if offset >= me.leo else ""
        rise = rise_of(partition, broker, found)
        parts.append(f"{name}{rise} has {record_at(me, offset)}" + ("" if parts else f" at offset {offset}") + end)
    text = ", ".join(parts)
    for name, verb in PROMISES.items() if partition is not None else ():
        record = found.met.get((0, f"history[{partition}].{name}[{offset}]"), 0)
        if record:
            epoch = f" in epoch {s.history[partition].commit_epoch[offset]}" if name == "record" else ""
            text += f", where {letter(record)} {verb}{epoch}"
    if len(brokers) > 1:
        text += high_watermarks(replicas, brokers, partition, offset, found) + membership(brokers, found)
    return text


def log_was_read(partition: int | None, broker: int, offset: int, found: Evidence) -> bool:
    """Whether the record of a broker at the offset decided, or that it has none there."""
    replica = replica_path(partition, broker)
    return any(path == f"{replica}.leo" or path.startswith(f"{replica}.log[{offset}].") for _, path in found.read)


def rise_of(partition: int | None, broker: int, found: Evidence) -> str:
    """That the broker's high watermark rises in the step, where that decided."""
    path = f"{replica_path(partition, broker)}.hw"
    before, after = found.read.get((0, path)), found.read.get((1, path))
    return f", whose high watermark rises from {before} to {after}," if None not in (before, after) and before != after else ""


def high_watermarks(replicas: Sequence[Any], brokers: Sequence[int], partition: int | None, offset: int, found: Evidence) -> str:
    """Below whose high watermark the offset lies, where the property asked."""
    asked = [b for b in brokers if (0, f"{replica_path(partition, b)}.hw") in found.met and replicas[b].hw > offset]
    if not asked:
        return ""
    owners = " and of ".join(f"broker {b} ({replicas[b].hw})" for b in asked)
    return f"; offset {offset} lies below the high watermark of {owners}"


def membership(brokers: Sequence[int], found: Evidence) -> str:
    """In whose ISR the last broker is, where the property asked."""
    last = brokers[-1]
    for number, path in found.met:
        if not path.endswith(".isr") or number or not found.met[number, path] >> last & 1:
            continue
        owner = re.fullmatch(r"replica(?:\[\d+\])?\[(\d+)\]\.isr", path)
        whose = f"broker {owner[1]}'s ISR" if owner else "the published ISR"
        return f"; broker {last} is in {whose} {members(found.met[number, path])}"
    return ""


def replica_path(partition: int | None, broker: int) -> str:
    """Where a replica stands in the state."""
    return f"replica[{broker}]" if partition is None else f"replica[{partition}][{broker}]"


def who(s: Any, replicas: Sequence[Any], broker: int, said: list[int]) -> str:
    """A broker with its role: the epoch is not said again for a leader of the same epoch."""
    me = replicas[broker]
    up = s.broker[broker].up if hasattr(s, "broker") else 1
    if not up:
        return f"broker {broker} (down)"
    if me.leader_epoch < 0:
        return f"broker {broker}"
    if me.leader == broker:
        name = f"leader {broker}" if me.leader_epoch in said else f"leader {broker} (epoch {me.leader_epoch})"
    elif me.leader == NO_MEMBER:
        name = f"broker {broker} (without a leader in epoch {me.leader_epoch})"
    else:
        name = f"broker {broker} (follower in epoch {me.leader_epoch})"
    said.append(me.leader_epoch)
    return name


def record_at(me: Any, offset: int) -> str:
    """`c of epoch 1`, or that the log ends before."""
    if offset >= me.leo:
        return "nothing"
    if offset < start_of(me):
        return "a record that retention has deleted"
    slot = me.log[offset]
    held = f"{letter(batch_of(slot))} of epoch {slot.epoch}"
    return f"a hole where compaction has deleted {held}" if getattr(slot, "hole", 0) else held


def contradiction(s: Any, partition: int) -> str:
    """Two different records were committed at one offset: which, and by whom."""
    past = s.history[partition]
    for broker, me in enumerate(s.replica[partition]):
        for offset in range(me.log_start, min(me.hw, me.leo)):
            if past.record[offset] and me.log[offset].record != past.record[offset]:
                name = who(s, s.replica[partition], broker, [])
                return (
                    f"{name} has committed {record_at(me, offset)} at offset {offset}, where"
                    f" {letter(past.record[offset])} was committed in epoch {past.commit_epoch[offset]}"
                )
    return "two different records were committed at one offset"
