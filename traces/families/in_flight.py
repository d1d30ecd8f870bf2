"""How messages in flight of the Kafka model are described."""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any

from ...model.language.kinds import NO_MEMBER
from ...model.vocabulary import Producing
from ..words import letter, member, members
from .words import named


def in_flight(s: Any) -> dict[str, str]:
    """All messages in flight."""
    out = {}
    for number, me in enumerate(s.controller):
        for brokers in filter(None, me.naming):
            out[f"UpdateMetadata from controller {number}"] = f"to {members(brokers)}: live {members(me.named_live[0])}"
    for partition in range(s.config.partitions):
        for told in (_commands, _deletions, _fetches, _produces):
            out |= {named(s, partition, fact): text for fact, text in told(s, partition)}
    return out


def _commands(s: Any, partition: int) -> Iterator[tuple[str, str]]:
    """LeaderAndIsr requests: sent, and decided but not sent yet."""
    earlier = s.earlier_command[partition] if partition < len(s.earlier_command) else ()
    for epoch, command in enumerate(earlier):
        if any(command.sent):
            told = f"leader {member(command.leader)} isr {members(command.isr)} v{command.zk_version}"
            yield f"of the deleted topic, epoch {epoch}", f"to {members(reduce(or_, command.sent))}: {told}"
    for epoch, command in enumerate(s.command[partition] if partition < len(s.command) else ()):
        text = f"leader {member(command.leader)} isr {members(command.isr)} v{command.zk_version}"
        for controller in range(s.config.controllers):
            late = "" if s.config.controllers == 1 else f" from controller {controller}"
            if command.sent[controller]:
                yield f"LeaderAndIsr epoch {epoch}{late}", f"to {members(command.sent[controller])}: {text}"
            if command.unsent[controller]:
                yield f"to be sent, epoch {epoch}{late}", f"to {members(command.unsent[controller])}: {text}"


def _deletions(s: Any, partition: int) -> Iterator[tuple[str, str]]:
    """StopReplica, and requests with the flag INIT that do not name the partition."""
    for number, controller in enumerate(s.controller):
        if controller.stopping[partition]:
            yield f"StopReplica from controller {number}", f"to {members(controller.stopping[partition])}"
        if unnamed := controller.init_sent & ~controller.init_names[partition]:
            yield f"INIT from controller {number} does not name it", f"to {members(unnamed)}"


def _fetches(s: Any, partition: int) -> Iterator[tuple[str, str]]:
    """Fetch requests and responses."""
    if partition >= len(s.fetch_request):
        return
    for leader, followers in enumerate(s.fetch_request[partition]):
        for follower, request in enumerate(followers):
            if request.sent:
                checked = ", to be counted" if request.checked else ""
                text = f"from {request.fetch_offset}, epoch {request.leader_epoch}, last {request.last_epoch}{checked}"
                yield f"fetch of {follower} from {leader}", text
    late = s.late_response[partition] if partition < len(s.late_response) else []
    for follower, response in [*enumerate(s.fetch_response[partition]), *enumerate(late)]:
        if response.sent:
            batch = " ".join(f"{x.epoch}{letter(x.record)}" for x in response.log if x.record) or "nothing"
            by = "" if response.leader == NO_MEMBER or s.config.renewals else f", late, by {response.leader}"
            begins = f", the leader's log begins at {response.log_start}" if response.log_start else ""
            yield f"response to {follower}{by}", f"{batch} at {response.base_offset}, hw {response.hw}{begins}"
    for follower, refusal in enumerate(s.fetch_refusal[partition] if partition < len(s.fetch_refusal) else []):
        if refusal.sent:
            text = f"epoch {refusal.epoch} ends at {refusal.end}" if refusal.epoch >= 0 else f"begins at {refusal.end}"
            yield f"refusal to {follower} by {refusal.leader}", f"of a fetch from {refusal.fetch_offset}: {text}"


PRODUCING = {
    Producing.APPENDED: "appended, and is to wait", Producing.WAITING: "waits",
    Producing.LAPSED: "appended before its broker followed, and was to wait",
}  # fmt: skip


def _produces(s: Any, partition: int) -> Iterator[tuple[str, str]]:
    """Produce requests that are to be answered."""
    for broker, request in enumerate(s.produce_request[partition] if partition < len(s.produce_request) else []):
        if request.phase:
            yield f"produce request at {broker}", f"{letter(request.record)}, {PRODUCING[request.phase]} for offset {request.end}"
