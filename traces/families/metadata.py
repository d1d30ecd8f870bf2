"""How the log of metadata is written (the family `kraft`)."""

from typing import Any

from ..words import member, members
from .words import named


def metadata_log(s: Any) -> dict[str, str]:
    """What the log says at its end, and who has yet to apply how much of it."""
    log, store = s.metadata[0], s.zookeeper
    out = {"unfenced": members(store.broker_ids)}
    if log.leaving:
        out["in controlled shutdown"] = members(log.leaving)
    if s.config.changing_min_isrs:
        out["min.insync.replicas"] = str(log.change[log.length].min_isr[0])
    if s.config.changing_features:
        out["eligible leader replicas"] = "on" if log.elr_feature[0] else "off"
    for partition, node in enumerate(store.leader_and_isr):
        text = f"leader {member(node.leader)} epoch {node.leader_epoch} isr {members(node.isr)}"
        if partition < len(log.elr) and log.elr[partition]:
            text += f" elr {members(log.elr[partition])}"
        out[named(s, partition, "state")] = text
        if partition < len(log.elr) and log.last_leader[partition] != 15:
            out[named(s, partition, "last leader")] = member(log.last_leader[partition])
        if s.config.reassignments and store.reassigned[partition]:
            out[named(s, partition, "to move to")] = members(store.reassigned[partition])
        if s.config.replicas:
            out[named(s, partition, "assigned")] = members(store.assigned[partition])
        if s.config.preferred_elections:
            out[named(s, partition, "preferred")] = member(store.preferred[partition])
    return out


def applied(s: Any, broker: int) -> str:
    """How far the broker is behind the end of the log."""
    behind = s.metadata[0].length - s.metadata[0].applied[broker]
    return f"{behind} change{'' if behind == 1 else 's'} behind" if behind else "at its end"
