"""Who sends what to whom in a trace of the Kafka model: the arrows of a space-time diagram.

A message is on its way from the step that sends it to the step that receives it, or for ever. Some are variables of the state
(a LeaderAndIsr request, a fetch in flight, an unseen event of a watch): `pending` lists them. Others are one step of two actors,
such as a write to the store. What neither knows is said of any model: an actor that changes another part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.language.kinds import NO_MEMBER
from ..model.vocabulary import Phase, Writing
from .notation import answer, controller_part
from .trace import Step
from .words import WATCHED, Facts, in_set, letter, members

Key = tuple[Any, ...]
"""A kind of message, then what tells it from others of its kind."""


@dataclass(frozen=True)
class Message:
    """A message. `sent` and `received` are numbers of steps; `received` is None if it never arrives.

    If sender and receiver are the same, it stands for a step of that actor.
    """

    sender: str
    receiver: str
    kind: str
    text: str
    sent: int
    received: int | None

    def as_json(self) -> dict[str, Any]:
        """As it stands in a document."""
        return {"from": self.sender, "to": self.receiver, "kind": self.kind, "text": self.text, "received": self.received}


LEADER_AND_ISR, STOP, FETCH, RECORDS, LATE, FETCH_REFUSAL, REQUEST, ANSWER = (
    "LeaderAndIsr", "StopReplica", "fetch", "records", "late records", "refusal", "epoch request", "epoch answer",
)  # fmt: skip
WATCH, WRITE, READ, WRITTEN = "watch", "store write", "store read", "store answer"

RECEIVES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("become_leader", "become_follower", "remember_command"), (LEADER_AND_ISR,)),
    "stop_replica": (STOP,),
    **dict.fromkeys(("write_decision", "write_isr"), (WRITE,)),
    **dict.fromkeys(("learn_isr_write", "learn_earlier_answer"), (WRITTEN,)),
    **dict.fromkeys(("answer_fetch", "count_fetch", "refuse_fetch"), (FETCH,)),
    "receive_fetch": (RECORDS,),
    "receive_late_response": (LATE,),
    "receive_refusal": (FETCH_REFUSAL,),
    "answer_epoch_request": (REQUEST,),
    "truncate_to_answer": (ANSWER,),
    **dict.fromkeys(
        ("see_controller_change", "see_broker_change", "see_topic_change", "see_reassignment", "recover_controller"), (WATCH,)
    ),
}
"""Which actions receive a message that is a variable; when it goes by any other step, it is lost."""

STORE = "zookeeper"

AT_ONCE: dict[str, tuple[str, str, str, str]] = {
    **dict.fromkeys(
        ("init_leader", "elect_leader", "elect_unclean_leader", "take_offline", "take_offline_but_one", "move_leader_away",
         "elect_preferred_replica", "elect_preferred_replica_on_schedule", "switch_isr", "remove_old_replica", "init_added"),
        ("controller", STORE, WRITE, "leaderAndISR"),
    ),
    "look_at_isr": (STORE, "controller", READ, "leaderAndISR"),
    "drop_preferred_election": ("controller", STORE, WRITE, "no election"),
    "finish_reassignment": ("controller", STORE, WRITE, "assignment"),
    "recover_controller": (STORE, "controller", READ, "everything"),
    "shrink_isr": ("leader", STORE, WRITE, "smaller ISR"),
    "expand_isr": ("leader", STORE, WRITE, "larger ISR"),
    **dict.fromkeys(("start_broker", "notice_session_expiry"), ("broker", STORE, WRITE, "registers")),
    "expire_session": (STORE, "broker", "session", "session expired"),
    "fetch": ("leader", "follower", FETCH, ""),
    "forget_end": ("leader", "follower", FETCH, "an error"),
    "count_diverging_fetch": ("follower", "leader", FETCH, "another history"),
    "delete_change_request": ("controller", STORE, WRITE, "request deleted"),
    "update_topic_path": ("controller", STORE, WRITE, "topic's partitions"),
    "finish_topic_deletion": ("controller", STORE, WRITE, "topic deleted"),
    **{
        action: (STORE, STORE, "step", f"operator: {what}")
        for action, what in {
            "request_preferred_election": "preferred election", "request_reassignment": "reassignment",
            "create_topic": "new topic", "delete_topic": "topic deleted", "request_addition": "one more partition",
            "request_removal": "a partition less", "delete_topic_path": "topic's path deleted",
            "create_topic_again": "the topic again", "remove_controller": "/controller deleted",
        }.items()
    },
}  # fmt: skip
"""Steps of two actors: from, to (the store, or the parameter that names the actor), kind and words."""

AT_ONCE_IN: dict[str, dict[str, tuple[str, str, str, str]]] = {
    "kafka": AT_ONCE,
    "published": {name: ("quorum", "quorum", "step", name) for name in ("controller_shrink_isr", "controller_elect_leader")},
    "designs": {"expire_session": ("store", "broker", "session", "session expired")},
}
"""The same by model: there the store has the name of its part."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "become_leader": (LEADER_AND_ISR, "partition", "broker", "epoch", "controller"),
    "become_follower": (LEADER_AND_ISR, "partition", "broker", "epoch", "controller"),
    "remember_command": (LEADER_AND_ISR, "partition", "broker", "epoch", "controller"),
    "stop_replica": (STOP, "controller", "partition", "broker"),
}
"""The key of what an action receives that may stay in the state: a command may come again, and is drawn as received once."""

ACTORS = ("controller", "leader", "broker", "follower", "process")


def pending(s: Any) -> dict[Key, tuple[str, str, str]]:
    """What is on its way in a state of the Kafka model: sender, receiver and words; a variable that is missing sends nothing."""
    out: dict[Key, tuple[str, str, str]] = {}
    for partition, commands in enumerate(s.command):
        for epoch, command in enumerate(commands):
            for number, brokers in enumerate(command.sent):
                for broker in in_set(brokers):
                    key = (LEADER_AND_ISR, partition, broker, epoch, number)
                    role = "lead" if command.leader == broker else f"follow {command.leader}"
                    role = "no leader" if command.leader == NO_MEMBER else role
                    out[key] = (controller_part(s, number), f"broker {broker}", f"{role} in epoch {epoch}")
    for number, controller in enumerate(s.controller):
        for partition, brokers in enumerate(getattr(controller, "stopping", ())):
            for broker in in_set(brokers):
                out[STOP, number, partition, broker] = (controller_part(s, number), f"broker {broker}", "StopReplica")
        for name, variable in zip(WATCHED, ("brokers_watch", "topics_watch", "moves_watch"), strict=True):
            if getattr(controller, variable, 0):
                out[WATCH, number, name] = (STORE, controller_part(s, number), name)
    for broker, process in enumerate(s.broker):
        if getattr(process, "controller_watch", 0):
            out[WATCH, broker, "/controller"] = (STORE, f"broker {broker}", "/controller")
    return out | data_pending(s) | store_pending(s)


def store_pending(s: Any) -> dict[Key, tuple[str, str, str]]:
    """Writes to the store that are asked for, and answers that are not read, where the model has them as separate steps."""
    out: dict[Key, tuple[str, str, str]] = {}
    for partition, decisions in enumerate(getattr(s, "decision", ())):
        for number, decision in enumerate(decisions):
            if decision.asked:
                out[WRITE, "decision", partition, number] = (controller_part(s, number), STORE, "leaderAndISR")
    for partition, writes in enumerate(getattr(s, "isr_write", ())):
        for broker, write in enumerate(writes):
            if write.earlier:
                out[WRITTEN, "earlier", partition, broker] = (STORE, f"broker {broker}", "of an earlier epoch")
            if write.phase is Writing.REQUESTED:
                out[WRITE, "ISR", partition, broker] = (f"broker {broker}", STORE, f"ISR {members(write.isr)}")
            elif write.phase:
                out[WRITTEN, partition, broker] = (
                    STORE,
                    f"broker {broker}",
                    "refused" if write.phase is Writing.REFUSED else "written",
                )
    return out


def data_pending(s: Any) -> dict[Key, tuple[str, str, str]]:
    """Fetches in flight, and the exchange before a truncation."""
    out: dict[Key, tuple[str, str, str]] = {}
    for partition, requests in enumerate(s.fetch_request):
        for leader, followers in enumerate(requests):
            for follower, request in enumerate(followers):
                if request.sent:
                    text = f"from {request.fetch_offset}"
                    out[FETCH, partition, follower, leader] = (f"broker {follower}", f"broker {leader}", text)
    for partition, responses in enumerate(s.fetch_response):
        for follower, response in enumerate(responses):
            leader = s.replica[partition][follower].leader
            if response.sent and leader != NO_MEMBER:
                batch = " ".join(f"{x.epoch}{letter(x.record)}" for x in response.log if x.record) or "nothing"
                out[RECORDS, partition, follower] = (f"broker {leader}", f"broker {follower}", batch)
    for partition, lates in enumerate(s.late_response):
        for follower, late in enumerate(lates):
            if late.sent:
                batch = " ".join(f"{x.epoch}{letter(x.record)}" for x in late.log if x.record)
                out[LATE, partition, follower] = (f"broker {late.leader}", f"broker {follower}", batch)
    for partition, refusals in enumerate(s.fetch_refusal):
        for follower, refusal in enumerate(refusals):
            if refusal.sent:
                where = (f"broker {refusal.leader}", f"broker {follower}")
                out[FETCH_REFUSAL, partition, follower] = (*where, f"not from {refusal.fetch_offset}")
    for partition, replicas in enumerate(s.replica):
        for follower, me in enumerate(replicas):
            if me.leader in (NO_MEMBER, follower):
                continue
            if me.phase is Phase.ASKING:
                out[REQUEST, partition, follower] = (f"broker {follower}", f"broker {me.leader}", "epoch request")
            elif me.phase is Phase.ANSWERED and me.rounds > 0:  # else a response has come, and a truncation is due
                out[ANSWER, partition, follower] = (f"broker {me.leader}", f"broker {follower}", answer(s, me))
    return out


def messages(model: str, steps: Sequence[Step], states: Sequence[Any], told: Sequence[Facts]) -> list[list[Message]]:
    """The messages of a trace by the step that sends them; those of the initial state first. `told`: each state's facts."""
    post = Post(states)
    if model == "kafka":
        post.open(0)
    for number, step in enumerate(steps[: len(states) - 1], 1):
        received = post.take(step, number) if model == "kafka" else 0
        known = AT_ONCE_IN.get(model, {})
        at_once = at_once_in(step, number, told[number - 1], told[number], known)
        asked = any(key[0] == WRITE and sent == number for key, (sent, _) in post.waiting.items())
        if (not received or step.action in known) and not (asked and at_once.kind == WRITE):
            post.out[number].append(at_once)
    for key in list(post.waiting):
        post.close(key, None)
    return post.out


class Post:
    """What is on its way while a trace runs. A command stays in the state when it was received: each is received once."""

    def __init__(self, states: Sequence[Any]) -> None:
        self.states = states
        self.out: list[list[Message]] = [[] for _ in states]
        self.waiting: dict[Key, tuple[int, tuple[str, str, str]]] = {}
        self.obeyed: set[Key] = set()

    def open(self, number: int) -> None:
        """Note what the state after a step has on its way that the one before had not."""
        for key, value in pending(self.states[number]).items():
            if key not in self.waiting and key not in self.obeyed:
                self.waiting[key] = (number, value)

    def close(self, key: Key, received: int | None) -> None:
        """A message is received, or will never be."""
        sent, (sender, receiver, text) = self.waiting.pop(key)
        self.out[sent].append(Message(sender, receiver, key[0], text, sent, received))

    def take(self, step: Step, number: int) -> int:
        """Close the messages that a step receives or loses, then open those that it sends; how many it received."""
        arguments = dict(step.arguments)
        kind, *names = COMMANDS.get(step.action, ("",))
        command = (kind, *(arguments.get(name) for name in names))
        received = 0
        now = pending(self.states[number])
        for key in list(self.waiting):
            taken = key == command if key[0] in (LEADER_AND_ISR, STOP) else key not in now
            if taken and key[0] in RECEIVES.get(step.action, ()):
                received += 1
                self.obeyed |= {key} if key in now else set()
                self.close(key, number)
            elif key not in now:
                self.close(key, None)
        self.obeyed &= set(now)
        self.open(number)
        return received


def at_once_in(step: Step, number: int, before: Facts, after: Facts, known: Mapping[str, tuple[str, str, str, str]]) -> Message:
    """What a step does between two actors, or one actor by itself. `known`: the steps whose actors follow from their names."""
    arguments = dict(step.arguments)
    own = {name for name, value in arguments.items() if f"{name}[{value}]" in after}
    lanes = {name: lane_of(name, value, after) for name, value in arguments.items() if name in ACTORS or name in own}
    actor = next(iter(lanes.values()), "")
    if step.action in known:
        start, end, kind, text = known[step.action]
        sender, receiver = (lanes.get(name, name if name in (STORE, *after) else actor) for name in (start, end))
        if kind == FETCH and not text:
            text = new_records(before, after, receiver)
    elif "leader" in lanes and "follower" in lanes and lanes["leader"] != lanes["follower"]:
        sender, receiver, kind, text = lanes["leader"], lanes["follower"], "step", step.action
    else:
        store, changed = next(iter(after), actor), [p for p, facts in after.items() if facts != before.get(p) and p != "promised"]
        actor = actor or (changed[0] if len(changed) == 1 else "")
        writes = bool(actor) and store != actor and before.get(store) != after.get(store)
        sender, receiver = actor or store, store if writes else actor or store
        kind, text = WRITE if writes else "step", step.action
    return Message(sender, receiver, kind, text, number, number)


def lane_of(name: str, value: int, facts: Facts) -> str:
    """The part that a parameter names: `controller 1`, or `controller` where there is one; a broker, a replica, `node[1]`."""
    for part in (f"{name} {value}", f"{name}[{value}]", f"broker {value}", f"replica {value}", name):
        if part in facts and not (name == "controller" and part.startswith(("broker", "replica"))):
            return part
    return next(iter(facts), "")


def new_records(before: Facts, after: Facts, part: str) -> str:
    """What a fetch brought to a follower: the records that its log has more."""
    for fact, text in after.get(part, {}).items():
        old = before.get(part, {}).get(fact, "")
        if fact.endswith("log") and text != old:
            more = text.replace("|", " ").split()[len(old.replace("|", " ").split()) :]
            return " ".join(more) or "high watermark"
    return "nothing new"
