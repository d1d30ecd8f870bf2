"""How states of the other models are written: the published one, the designs before the controller, the strategies of commit."""

from typing import Any

from ...model.language.kinds import NO_MEMBER
from ...model.language.notation import Facts
from ...model.strategies.state import Commit
from ..words import letter, member, members
from .words import log, named

DOES = ("", "has yet to read who leads", "has read that nobody leads, and will create the node", "has yet to watch again")


def describe_designs(s: Any) -> Facts:
    """The parts of the designs before the controller: the store, the controller, the brokers, what waits for them."""
    store = {"live": members(s.sessions)}
    for partition, node in enumerate(s.node):
        store[named(s, partition, "leader")] = member(node.leader)
        store[named(s, partition, "isr")] = members(node.isr)
        if any(node.place):
            order = sorted((place, broker) for broker, place in enumerate(node.place) if place)
            store[named(s, partition, "sequence")] = " ".join(str(broker) for _, broker in order)
    facts: Facts = {"store": store}
    if s.command:
        facts["controller"] = {"knows live": members(s.live)}
        if s.live_event:
            facts["controller"]["event /brokers/ids"] = "unseen"
    for broker in range(s.config.brokers):
        facts[f"broker {broker}"] = broker_facts(s, broker)
    return facts


def broker_facts(s: Any, broker: int) -> dict[str, str]:
    """What a broker is, believes, watches and receives."""
    out = {}
    if not s.up >> broker & 1:
        out["process"] = "down"
    elif not s.sessions >> broker & 1:
        out["process"] = "up, and does not know that its session expired"
    for partition, replicas in enumerate(s.replica):
        me = replicas[broker]
        if me.leader == broker:
            out[named(s, partition, "role")] = f"leads, isr {members(me.isr)}"
        elif me.leader != NO_MEMBER:
            out[named(s, partition, "role")] = f"follows {me.leader}"
        if me.watch or me.event:
            out[named(s, partition, "watch")] = "has fired, unseen" if me.event else "set"
        if me.phase:
            out[named(s, partition, "phase")] = DOES[me.phase]
    waiting = [f"follow {request.leader}" for request in (s.queue[broker] if s.queue else ()) if request.waits]
    if waiting:
        out["queue"] = ", ".join(waiting)
    for partition, commands in enumerate(s.command):
        if commands[broker].sent:
            sent = commands[broker]
            out[named(s, partition, "LeaderAndIsr")] = f"leader {member(sent.leader)} isr {members(sent.isr)}"
    return out


def describe_strategies(s: Any) -> Facts:
    """The parts of the strategies of commit: the leader, the replicas, what is committed."""
    facts: Facts = {"partition": {"leader": f"{member(s.leader)} in epoch {s.epoch}", "high watermark": str(s.hw)}}
    if s.config.commit is Commit.ISR:
        facts["partition"]["isr"] = members(s.isr)
    for broker, me in enumerate(s.replica):
        text = " ".join(f"{me.log[offset].epoch}{letter(me.log[offset].record)}" for offset in range(me.leo)) or "empty"
        facts[f"broker {broker}"] = {"log": text, "epoch": str(me.epoch)}
        if not me.up:
            facts[f"broker {broker}"]["process"] = "down"
    committed = " ".join(letter(record) for record in s.committed if record) or "nothing"
    facts["promised"] = {"committed": committed}
    return facts


def describe_published(s: Any) -> Facts:
    """The parts of the published specification: the quorum, the requests, the replicas."""
    quorum = s.quorum
    facts: Facts = {
        "quorum": {"state": f"leader {member(quorum.leader)} epoch {quorum.leader_epoch} isr {members(quorum.isr)}"},
        "requests": {
            f"epoch {e}": f"leader {member(s.request[e].leader)} isr {members(s.request[e].isr)}"
            for e in range(s.next_leader_epoch)
        },
    }
    for broker, me in enumerate(s.replica):
        role = "leads" if me.leader == broker else f"follows {member(me.leader)}"
        if me.leader == NO_MEMBER:
            role = "knows no leader"
        facts[f"replica {broker}"] = {"log": log(me), "role": f"{role} in epoch {me.leader_epoch}, isr {members(me.isr)}"}
    return facts
