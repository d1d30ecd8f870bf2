"""How states of the published KRaft specifications are written."""

from typing import Any

from ...model.language.notation import Facts
from ...model.published_kraft.state import NOTHING, Outcome, Recovery, Role, Stage, Status
from ..words import letter, member, members
from .words import log


def describe_published_kraft(s: Any) -> Facts:
    """The controller, the brokers, what waits in the network, what producers were told."""
    now = s.controller.now
    facts: Facts = {"controller": {"state": f"{partition(s, now)}; change {s.changes}"}}
    if fenced := [str(broker) for broker, row in enumerate(s.controller.registration) if row.fenced]:
        facts["controller"]["fenced"] = " ".join(fenced)
    if now.adding or now.removing:
        facts["controller"]["reassignment"] = f"adds {members(now.adding)}, removes {members(now.removing)}"
    for broker, me in enumerate(s.broker):
        facts[f"broker {broker}"] = broker_facts(me, broker)
    for at, what in enumerate(waiting(s)):
        facts.setdefault("network", {})[f"message {at + 1}"] = what
    facts["promised"] = {"committed": values(list(s.consumed)[: s.true_hw]) or "nothing"}
    for name in ("acknowledged", "refused"):
        if told := getattr(s, name):
            facts["promised"][name] = values_in(s, told)
    return facts


def partition(s: Any, now: Any) -> str:
    """The partition as the controller has it."""
    elr = f" elr {members(now.elr)}" if s.config.recovery is Recovery.ELIGIBLE_REPLICAS else ""
    return f"leader {member(now.leader)} epoch {now.leader_epoch} isr {members(now.isr)}{elr}"


def broker_facts(me: Any, broker: int) -> dict[str, str]:
    """What a broker is and knows."""
    known = me.known
    out = {"log": log(me)}
    if me.status is not Status.RUNNING:
        out["process"] = me.status.says
    if me.role is Role.LEADER:
        maximal = f", commits by {members(known.maximal_isr)}" if known.maximal_isr != known.isr else ""
        out["role"] = f"leads in epoch {known.leader_epoch}, isr {members(known.isr)}{maximal}"
        peers = [f"{other}:{peer.leo}" for other, peer in enumerate(me.peer) if peer.leo != NOTHING]
        if peers:
            out["followers at"] = " ".join(peers)
    elif me.role is Role.FOLLOWER:
        out["role"] = f"follows {member(known.leader)} in epoch {known.leader_epoch}"
    else:
        out["role"] = f"has no leader in epoch {known.leader_epoch}" if known.replicas else "has no replica"
    out["metadata"] = f"change {me.applied}"
    return out


def values(slots: Any) -> str:
    """`a in epoch 1`."""
    return ", ".join(f"{letter(slot.record)}@{offset} in epoch {slot.epoch}" for offset, slot in enumerate(slots))


def values_in(s: Any, some: int) -> str:
    """The values of a set."""
    return " ".join(letter(value + 1) for value in range(s.config.values) if some >> value & 1)


def waiting(s: Any) -> list[str]:
    """Each message that somebody has yet to receive."""
    out = []
    for entry in s.start:
        if entry.stage is Stage.ASKED:
            out.append(f"broker {entry.broker} asks to be registered")
        elif entry.stage is Stage.ANSWERED:
            out.append(f"broker {entry.broker} is registered in broker epoch {entry.broker_epoch}")
    for it in s.alteration:
        if it.waits:
            out.append(f"broker {it.leader} asks for isr {members(it.isr)} in partition epoch {it.partition_epoch}")
        for outcome in Outcome:
            if it.answer[outcome].waits:
                out.append(f"broker {it.leader} is answered about isr {members(it.isr)}: {outcome.text}")
    for entry in s.fetch:
        if entry.waits:
            out.append(fetch(entry))
    return out


def fetch(entry: Any) -> str:
    """A fetch request or response."""
    if not entry.response:
        return f"broker {entry.follower} fetches from {entry.leader} at {entry.offset} in epoch {entry.leader_epoch}"
    what = " ".join(f"{slot.epoch}{letter(slot.record)}" for slot in entry.records if slot.record) or "nothing"
    if entry.diverging:
        what = f"epoch {entry.end_epoch} ends at {entry.end}"
    elif entry.error:
        what = entry.error.text
    return f"broker {entry.leader} answers {entry.follower} at {entry.offset}: {what}, high watermark {entry.hw}"
