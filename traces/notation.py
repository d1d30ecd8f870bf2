"""How states are told: for each part of the cluster a few labelled facts, in Kafka's words.

A log reads `0a 0b|1c`: three records, the leader epoch before each, letters for batches, a bar at the high
watermark. A description is a mapping from parts ("broker 1") to facts ("log" -> "0a|"); a step is told by
the facts that it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..model.language.kinds import NO_MEMBER, walk

Facts = dict[str, dict[str, str]]

PHASES = ("", "asks for epochs", "has an answer", "fetches")


def letter(record: int) -> str:
    """A batch's name: a to z, then with a number."""
    return chr(ord("a") + (record - 1) % 26) + (str((record - 1) // 26) if record > 26 else "")


def members(mask: int) -> str:
    """A set of brokers: `{0 2}`."""
    return "{" + " ".join(str(b) for b in range(15) if mask >> b & 1) + "}"


def member(broker: int) -> str:
    """A broker, or `nobody`."""
    return "nobody" if broker == NO_MEMBER else str(broker)


def log(replica: Any) -> str:
    """`0a 0b|1c`; `|` alone is an empty log."""
    out = "" if replica.hw else "|"
    for offset in range(replica.leo):
        slot = replica.log[offset]
        number = slot.record if hasattr(slot, "record") else slot.id + 1
        mark = "|" if offset + 1 == replica.hw else " "
        out += f"{slot.epoch}{letter(number)}{mark}"
    return out.rstrip()


def describe_kafka(s: Any) -> Facts:
    """The parts of the Kafka model: the store, controllers, brokers, what is in flight, what is promised."""
    facts: Facts = {"zookeeper": _store(s)}
    for epoch, controller in enumerate(s.controller):
        facts["controller" if len(s.controller) == 1 else f"controller {epoch}"] = _controller(s, controller)
    for broker in range(s.config.brokers):
        facts[f"broker {broker}"] = _broker(s, broker)
    facts["in flight"] = _in_flight(s)
    facts["promised"] = _promised(s)
    return facts


def _name(s: Any, partition: int, fact: str) -> str:
    """The name of a fact of a partition; with one partition it goes without saying which."""
    return fact if s.config.partitions == 1 else f"p{partition} {fact}"


def _store(s: Any) -> dict[str, str]:
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
        out[_name(s, partition, "state")] = text
        if s.config.start or s.config.topic_deletions or s.config.replicas:
            out[_name(s, partition, "assigned")] = members(store.assigned[partition])
        if s.config.preferred_elections:
            out[_name(s, partition, "preferred")] = member(store.preferred[partition])
        if store.preferred_election[partition]:
            out[_name(s, partition, "request")] = "preferred election"
    return out


def _controller(s: Any, me: Any) -> dict[str, str]:
    out = {}
    if me.active:
        out["runs on"] = "a broker apart" if me.host == NO_MEMBER else f"broker {me.host}"
        out["knows live"] = members(me.live)
    if me.recovering:
        out["has yet to"] = "read the store"
    for watch, name in ((me.brokers_watch, "/brokers/ids"), (me.topics_watch, "/brokers/topics")):
        if watch:
            out[f"event {name}"] = f"unseen, number {watch}"
    for partition in range(s.config.partitions):
        if me.has_read[partition]:
            out[_name(s, partition, "has read")] = f"v{me.read_version[partition]}"
        if me.known[partition] != (s.zookeeper.assigned[partition] != 0):
            out[_name(s, partition, "thinks")] = "it exists" if me.known[partition] else "it does not exist"
    return out


def _broker(s: Any, broker: int) -> dict[str, str]:
    process = s.broker[broker]
    out = {}
    if not process.up:
        out["process"] = "down"
    elif not process.connected:
        out["process"] = "without a session"
    elif not s.zookeeper.sessions >> broker & 1:
        out["process"] = "does not know that its session expired"
    if process.controller_watch:
        out["event /controller"] = f"unseen, number {process.controller_watch}"
    if process.controller_epoch:
        out["obeys"] = f"controller {process.controller_epoch}"
    for partition in range(s.config.partitions):
        for fact, text in _replica(s, partition, broker).items():
            out[_name(s, partition, fact)] = text
    return out


def _replica(s: Any, partition: int, broker: int) -> dict[str, str]:
    me = s.replica[partition][broker]
    if not me.exists:
        return {"log": "no replica"} if s.zookeeper.assigned[partition] >> broker & 1 else {}
    out = {"log": log(me)}
    if me.leader == broker:
        out["leads"] = f"epoch {me.leader_epoch} isr {members(me.isr)} v{me.zk_version}"
        out["followers at"] = " ".join(
            f"{b}:{me.fetched_to[b]}" for b in range(s.config.brokers) if b != broker and (me.fetched_to[b] or me.isr >> b & 1)
        )
        if me.term_start:
            out["term began at"] = str(me.term_start)
    elif me.leader_epoch >= 0:
        out["follows"] = f"{member(me.leader)} epoch {me.leader_epoch}"
        doing = PHASES[me.phase]
        if me.phase == 2:
            end = "undefined" if me.answer_end < 0 else f"ends at {me.answer_end}"
            doing = f"is told: epoch {me.answer_epoch} {end}" if me.answer_epoch >= 0 else "is told: undefined"
        if me.failed:
            doing = "failed: a batch does not continue its log"
        out["and"] = doing + (f", round {me.rounds + 1}" if me.rounds else "")
    starts = [(e, me.epoch_start[e]) for e in range(s.config.epochs) if me.epoch_start[e] >= 0]
    out["epochs"] = " ".join(f"{e}@{at}" for e, at in starts) or "none"
    if s.config.crashes:
        out["checkpoint"] = str(me.checkpoint)
    if s.config.power_losses:
        out["flushed"] = str(me.flushed)
    return out


def _in_flight(s: Any) -> dict[str, str]:
    out = {}
    for partition in range(s.config.partitions):
        for epoch, command in enumerate(s.command[partition]):
            for controller in range(s.config.controllers):
                late = "" if s.config.controllers == 1 else f" from controller {controller}"
                text = f"leader {member(command.leader)} isr {members(command.isr)} v{command.zk_version}"
                if command.sent[controller]:
                    name = f"LeaderAndIsr epoch {epoch}{late}"
                    out[_name(s, partition, name)] = f"to {members(command.sent[controller])}: {text}"
                if command.unsent[controller]:
                    name = f"to be sent, epoch {epoch}{late}"
                    out[_name(s, partition, name)] = f"to {members(command.unsent[controller])}: {text}"
        for number, controller in enumerate(s.controller):
            if controller.stopping[partition]:
                out[_name(s, partition, f"StopReplica from controller {number}")] = members(controller.stopping[partition])
            if controller.init_sent and not controller.init_names[partition]:
                out[_name(s, partition, f"INIT from controller {number} does not name it")] = members(controller.init_sent)
    for partition, leaders in enumerate(s.fetch_request):
        for leader, followers in enumerate(leaders):
            for follower, request in enumerate(followers):
                if request.sent:
                    name = _name(s, partition, f"fetch {follower} to {leader}")
                    out[name] = f"from {request.fetch_offset}, epoch {request.leader_epoch}, last {request.last_epoch}"
    for partition, responses in enumerate(s.fetch_response):
        for follower, response in enumerate(responses):
            if response.sent:
                slots = [x for x in response.log if x.record]
                batch = " ".join(f"{x.epoch}{letter(x.record)}" for x in slots) or "nothing"
                out[_name(s, partition, f"fetched for {follower}")] = f"{batch} from {response.base_offset}, hw {response.hw}"
    return out


def _promised(s: Any) -> dict[str, str]:
    out = {}
    for partition, past in enumerate(s.history):
        committed = [
            f"{letter(past.record[o])}@{o} in epoch {past.commit_epoch[o]}"
            for o in range(s.config.log_size)
            if past.record[o]
        ]
        out[_name(s, partition, "committed")] = ", ".join(committed) or "nothing"
        acknowledged = [f"{letter(past.acknowledged[o])}@{o}" for o in range(s.config.log_size) if past.acknowledged[o]]
        if acknowledged:
            out[_name(s, partition, "acknowledged")] = ", ".join(acknowledged)
        if past.contradicted:
            out[_name(s, partition, "contradiction")] = "two different records were committed at one offset"
        if past.lost:
            out[_name(s, partition, "lost")] = "an unclean election lost committed records"
    for partition, consumer in enumerate(s.consumer):
        state = f"at {consumer.position}"
        state += ", out of range" if consumer.out_of_range else ""
        state += ", has read a wrong record" if consumer.wrong_record else ""
        out[_name(s, partition, "consumer")] = state
    return out


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
        facts[f"replica {broker}"] = {
            "log": log(me),
            "role": f"{role}, epoch {me.leader_epoch}, isr {members(me.isr)}",
        }
    return facts


def describe_variables(s: Any) -> Facts:
    """Any other model: every variable by its path."""
    facts: Facts = {}
    for path, _, value in walk(type(s), s):
        part, _, rest = path.partition(".")
        facts.setdefault(part, {})[rest or "value"] = str(value)
    return facts


NOTATIONS: dict[str, Callable[[Any], Facts]] = {"kafka": describe_kafka, "published": describe_published}


def describe(model: str, state: Any) -> Facts:
    """The facts of a plain state of the model of this name."""
    return NOTATIONS.get(model, describe_variables)(state)


def differences(before: Facts | None, after: Facts) -> Iterator[tuple[str, str, str]]:
    """What a step changed, as (part, fact, text); a fact that is gone has the text `-`."""
    for part, facts in after.items():
        old = (before or {}).get(part, {})
        for fact, text in facts.items():
            if before is None or old.get(fact) != text:
                yield part, fact, text
        for fact in old:
            if fact not in facts:
                yield part, fact, "-"


def change_lines(model: str, states: list[Any]) -> Iterator[list[str]]:
    """For the initial state and after each step, one line per part with what changed."""
    before: Facts | None = None
    for state in states:
        after = describe(model, state)
        by_part: dict[str, list[str]] = {}
        for part, fact, text in differences(before, after):
            by_part.setdefault(part, []).append(f"{fact} {text}".rstrip())
        yield [f"{part:<11} {'; '.join(facts)}" for part, facts in by_part.items()]
        before = after
