"""Who sends what to whom under ZooKeeper: the arrows of a space-time diagram of the Kafka model.

Some messages are variables of the state (a LeaderAndIsr request, a fetch in flight, an unseen event of a watch): `pending`
lists them. Others are one step of two actors, such as a write to the store.
"""

from typing import Any

from ...model.language.kinds import NO_MEMBER
from ...model.language.notation import Ends, Key
from ...model.vocabulary import Phase, Writing
from ..words import in_set, letter, members
from .kafka import answer, controller_part
from .words import WATCHED

LEADER_AND_ISR, STOP, FETCH, RECORDS, LATE, FETCH_REFUSAL, REQUEST, ANSWER = (
    "LeaderAndIsr", "StopReplica", "fetch", "records", "late records", "refusal", "epoch request", "epoch answer",
)  # fmt: skip
WATCH, WRITE, READ, WRITTEN = "watch", "store write", "store read", "store answer"
LABELS = {
    LEADER_AND_ISR: LEADER_AND_ISR, WRITE: "write", READ: "read", WATCH: WATCH, FETCH: FETCH, ANSWER: "answer",
}  # fmt: skip
"""What is written before the text of an arrow."""

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

COMMANDS: dict[str, tuple[str, ...]] = {
    "become_leader": (LEADER_AND_ISR, "partition", "broker", "epoch", "controller"),
    "become_follower": (LEADER_AND_ISR, "partition", "broker", "epoch", "controller"),
    "remember_command": (LEADER_AND_ISR, "partition", "broker", "epoch", "controller"),
    "stop_replica": (STOP, "controller", "partition", "broker"),
}
"""The key of what an action receives that may stay in the state: a command may come again, and is drawn as received once."""


def pending(s: Any) -> dict[Key, Ends]:
    """What is on its way in a state of the Kafka model: sender, receiver and words; a variable that is missing sends nothing."""
    out: dict[Key, Ends] = {}
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


def store_pending(s: Any) -> dict[Key, Ends]:
    """Writes to the store that are asked for, and answers that are not read, where the model has them as separate steps."""
    out: dict[Key, Ends] = {}
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


def data_pending(s: Any) -> dict[Key, Ends]:
    """Fetches in flight, and the exchange before a truncation."""
    out: dict[Key, Ends] = {}
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
