"""The words that families share: their facts, and how batches and logs are written."""

from typing import Any

from ..words import letter

PHASES = ("", "asks for epochs", "has an answer", "fetches", "is told out-of-range", "has yet to cut its log")

WATCHED = ("/brokers/ids", "/brokers/topics", "/admin/partitions_reassigned")
WRITES = ("", "if", "written as", "refused at")
MOVES = (
    "", "has yet to begin", "in progress", "has found that all caught up", "has switched the ISR", "has written the assignment",
)  # fmt: skip

SHORT_FOR = {
    "hw": "high watermark", "leo": "log end offset", "ar": "assigned replicas", "rar": "reassigned replicas",
    "hwm": "high watermark", "zk": "zookeeper store", "cut": "truncate", "cuts": "truncate", "isr": "isr in sync replicas",
}  # fmt: skip
"""What documents abbreviate, or say in another word than the model."""

UNLABELLED = ("role", "phase")
"""Facts whose text says what they are about."""

FOREMOST = ("log", "role", "process", "state", "value")
"""The facts that say most about a state, where there is no room for all."""

GONE = {
    "process": "process up",
    "log": "replica deleted",
    "event /controller": "has seen the event /controller",
    "event /brokers/ids": "has seen the event /brokers/ids",
    "event /brokers/topics": "has seen the event /brokers/topics",
    "event /admin/partitions_reassigned": "has seen the event /admin/partitions_reassigned",
    "runs on": "is no longer the controller",
    "has yet to": "has read the store",
    "asks the store for": "has its answer from the store",
    "asks the store to write": "has its answer from the store, or no longer leads",
    "waits for an answer": "the leader has answered, or another is to be elected",
    "starting": "has acted on what it read",
    "thinks": "agrees with the store about the topic",
    "request": "the election request is deleted",
    "partition": "its request is deleted",
    "to be deleted": "the topic is deleted",
    "has confirmations from": "no longer awaits confirmations",
    "new to it": "",
    "created again": "",
    "to move to": "the reassignment request is deleted",
    "reassignment": "has forgotten the reassignment",
    "acknowledged": "nothing acknowledged",
    "obeys": "",
    "knows live": "",
    "sessions": "",
    "followers at": "",
    "term began at": "",
    "epochs": "",
    "checkpoint": "",
    "flushed": "",
    "watch": "no watch is set",
    "shutdown": "",
    "watches leaderAndISR": "",
    "phase": "has finished the race",
    "queue": "queue empty",
}
"""How the end of a fact is written; empty where another fact of the same step says it."""

DONE = {
    "fetch of": "answered", "response to": "read or dropped", "refusal to": "read or dropped",
    "to be sent": "is sent, or dropped", "registration": "is known",
}  # fmt: skip
"""How the end of a message is written, by the beginning of its name."""


def gone(name: str, text: str) -> str | None:
    """How the end of a fact is written whose last text was `text`; empty where another fact says it."""
    if name == "role":
        return "no longer leads" if text.startswith("leads") else "no longer follows"
    if name == "process" and text != "down":
        return "registered in a new session"
    begins = (f"{name} {end}" for begin, end in DONE.items() if name.startswith(begin))
    return GONE[name] if name in GONE else next(begins, None)


def ends(old: dict[str, str], facts: dict[str, str]) -> tuple[str, ...]:
    """The facts whose end is written when a broker stops or a controller resigns: the others follow from these."""
    if facts.get("process") == "down":
        return ("role",)
    return ("runs on",) if "runs on" in old and "runs on" not in facts else ()


def in_cell(name: str, text: str, changed: bool) -> str:
    """A fact in a cell: the log and what says itself what it is without its name, and in few words if the reader has seen it."""
    text = text if name == "log" or name in UNLABELLED else f"{name} {text}"
    if not changed and name == "process":
        return "down" if text.endswith("down") else "session expired"
    return text if changed else text.split(",")[0].replace(" in epoch ", ", epoch ")


def log(replica: Any) -> str:
    """`0a 0b|1c`; `|` alone is an empty log. A high watermark beyond the end, which no log should have, is shown.

    `from 2: |1c` begins at offset 2.
    """
    start = start_of(replica)
    out = f"from {start}: " if start else ""
    out += "|" if replica.hw <= start else ""
    for offset in range(start, replica.leo):
        slot = replica.log[offset]
        mark = "|" if offset + 1 == replica.hw else " "
        held = f"{slot.epoch}{letter(batch_of(slot))}"
        out += (f"({held})" if getattr(slot, "hole", 0) else held) + mark
    if replica.hw > replica.leo:
        out += f"(high watermark {replica.hw}, beyond its end)"
    return out.rstrip()


def batch_of(slot: Any) -> int:
    """The number of a record's batch; the published model counts from 0."""
    return int(slot.record if hasattr(slot, "record") else slot.id + 1)


def start_of(replica: Any) -> int:
    """Where a log begins: what lies below is deleted."""
    return int(getattr(replica, "log_start", 0))


def named(s: Any, partition: int, fact: str) -> str:
    """The name of a fact of a partition; with one partition it goes without saying which."""
    return fact if s.config.partitions == 1 else f"p{partition} {fact}"
