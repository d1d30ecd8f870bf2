"""What a picture draws of a state: each replica's log as cells, its marks, and where replicas disagree."""

from collections.abc import Sequence
from typing import Any

from ..words import letter
from .words import batch_of, start_of

Scene = dict[str, dict[str, Any]]
"""By part ("broker 1"): `logs`, one for each partition, and `badges`."""


def published_scene(s: Any) -> Scene:
    """Replicas of one partition."""
    rings = disagreements(s.replica)
    return {f"replica {number}": {"logs": [drawn(me, 0, rings)], "badges": []} for number, me in enumerate(s.replica)}


def kafka_scene(s: Any) -> Scene:
    """Brokers with their replicas."""
    rings = [disagreements(replicas) for replicas in s.replica]
    out: Scene = {}
    for broker, process in enumerate(s.broker):
        logs = [
            drawn(replicas[broker], partition, rings[partition])
            for partition, replicas in enumerate(s.replica)
            if replicas[broker].exists
        ]
        out[f"broker {broker}"] = {"logs": logs, "badges": badges(s, broker, process)}
    return out


def badges(s: Any, broker: int, process: Any) -> list[str]:
    """What a reader looks for first: who leads, who is in the published ISR, who is down or without a session."""
    out = []
    if not process.up:
        out.append("down")
    elif not s.zookeeper.sessions >> broker & 1:
        out.append("no session")
    for partition, node in enumerate(s.zookeeper.leader_and_isr):
        name = "" if len(s.replica) == 1 else f"p{partition} "
        me = s.replica[partition][broker]
        if me.leader == broker:
            out.append(f"{name}leads in epoch {me.leader_epoch}")
        if node.isr >> broker & 1:
            out.append(f"{name}in the ISR")
    return out


def drawn(me: Any, partition: int, rings: Sequence[int]) -> dict[str, Any]:
    """A log: a cell for each record with its epoch and its batch's letter, the marks, the offsets to be ringed.

    What compaction has deleted is in brackets.
    """
    cells = []
    for offset in range(me.leo):
        slot = me.log[offset]
        if offset < start_of(me):
            cells.append([0, ""])
            continue
        name = letter(batch_of(slot))
        cells.append([slot.epoch, f"({name})" if getattr(slot, "hole", 0) else name])
    ringed = [offset for offset in rings if offset < me.leo]
    return {"partition": partition, "cells": cells, "hw": me.hw, "leo": me.leo, "differs": ringed}


def disagreements(replicas: Sequence[Any]) -> list[int]:
    """The offsets at which two replicas hold different records."""
    out = []
    for offset in range(max((me.leo for me in replicas), default=0)):
        held = {(me.log[offset].epoch, batch_of(me.log[offset])) for me in replicas if start_of(me) <= offset < me.leo}
        if len(held) > 1:
            out.append(offset)
    return out
