"""What the logs of brokers report about a partition, release by release: a few kinds of events, with their time.

A log line is `[2026-11-21 23:58:21,116] INFO text (class)`. The words differ between releases; each kind of event has
the patterns that 0.10 to 3.9 use; 0.10 does not report that a broker leads. The time is that of the broker's clock.
A change of the ISR is logged before it is written; one that ZooKeeper refuses is not an event. From 2.7 on it is logged once
it is written. A broker registers at each start, and once more in a new session: only that is an event.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

LEADS, FOLLOWS, CUTS, ISR, STARTS, REGISTERS = "leads", "follows", "cuts", "isr", "starts", "registers"
DECIDES = "decides"
BEGINS, REFUSED, WRITTEN = "begins", "refused", "written"

LINE = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] [A-Z]+ (.*)")
TOPIC = r"(?P<topic>[\w.-]+)-(?P<partition>\d+)"
OLD = r"\[(?P<topic>[\w.-]+),(?P<partition>\d+)\]"
CHANGED = r"from [\d,]* to (?P<isr>[\d,]+)"
STARTED = r"starts at leader epoch (?P<epoch>\d+) from offset (?P<offset>\d+)(?:.* ISR \[(?P<isr>[\d,]+)\])?"
ADDED = r"Added fetcher (?:to broker|for partitions)"

PATTERNS = [
    (LEADS, rf"\b{TOPIC}(?: with topic id \S+)? {STARTED}"),
    (FOLLOWS, rf"{ADDED} List\(\[{TOPIC}, initOffset (?P<offset>\d+) to broker BrokerEndPoint\((?P<leader>\d+)"),
    (FOLLOWS, rf"{ADDED} BrokerEndPoint\(id=(?P<leader>\d+),.*\b{TOPIC} -> \(offset=(?P<offset>\d+)"),
    (FOLLOWS, rf"{ADDED} (?P<leader>\d+) for .*\b{TOPIC} -> InitialFetchState\(.*,(?P<offset>\d+)\)"),
    (CUTS, rf"Truncating log {TOPIC} to offset (?P<offset>\d+)"),
    (CUTS, rf"Log partition={TOPIC}, dir=.*\] Truncating to offset (?P<offset>\d+)"),
    (ISR, rf"(?:Expanding|Shrinking) ISR for partition {OLD} {CHANGED}"),
    (ISR, rf"(?:Expanding|Shrinking) ISR for partition {TOPIC} {CHANGED}"),
    (ISR, rf"Partition {TOPIC} broker=\d+\] (?:Expanding|Shrinking) ISR {CHANGED}"),
    (ISR, rf"Partition {OLD} on broker \d+: (?:Expanding|Shrinking) ISR {CHANGED}"),
    (REFUSED, rf"Partition {OLD} on broker \d+: Cached zkVersion"),
    (REFUSED, rf"Partition {TOPIC} broker=\d+\] Cached zkVersion"),
    (WRITTEN, rf"Partition {TOPIC} broker=\d+\] ISR updated to (?P<isr>[\d,]+) +and version updated"),
    (REGISTERS, r"Registered broker \d+ at path /brokers/ids/"),
    (BEGINS, r"\bstarting \(kafka\.server\.KafkaServer\)"),
    (STARTS, r"\[Kafka ?Server (?:id=)?\d+\],? started"),
]
OF_BROKERS = (STARTS, REGISTERS, BEGINS)
"""Events of a broker, not of a partition."""

UNDER_KRAFT = [
    (LEADS, rf"\bLeader {TOPIC}(?: with topic id \S+)? {STARTED}"),
    (FOLLOWS, rf"\bFollower {TOPIC} {STARTED}.* Current leader is (?P<leader>-?\d+)\."),
    (CUTS, rf"Log partition={TOPIC}, dir=.*\] Truncating to offset (?P<offset>\d+)"),
    (STARTS, r"\[BrokerServer id=\d+\] Transition from SHUTDOWN to STARTING"),
]
"""What brokers log that apply the metadata of KRaft, 3.9 to 4.4: also in which epoch they follow, and from where."""

KRAFT = [(kind, re.compile(pattern)) for kind, pattern in UNDER_KRAFT]
Patterns = list[tuple[str, re.Pattern[str]]]
COMPILED = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in PATTERNS]


@dataclass(frozen=True)
class Event:
    """One line that matters. `milliseconds`: the broker's clock; numbers that the kind does not have are -1.

    `says`: of a batch of the metadata log of KRaft, all of it that matters.
    """

    milliseconds: int
    broker: int
    kind: str
    epoch: int = -1
    offset: int = -1
    leader: int = -1
    isr: frozenset[int] = frozenset()
    says: Any = None

    def __str__(self) -> str:
        told = {
            LEADS: f"leads in epoch {self.epoch} from offset {self.offset}",
            FOLLOWS: f"follows broker {self.leader}",
            CUTS: f"cuts its log to {self.offset}",
            ISR: f"makes {sorted(self.isr)} the ISR",
            STARTS: "starts",
            REGISTERS: "registers in a new session",
        }
        if self.kind == DECIDES:
            return f"the metadata log says {self.says}"
        return f"broker {self.broker} {told[self.kind]}"


def read_log(file: Path, broker: int, topic: str, partition: int, patterns: Patterns = COMPILED) -> list[Event]:
    """The events of one partition in a broker's log, in their order; lines that say nothing of it are passed over."""
    events: list[Event] = []
    is_starting = False
    with file.open(errors="replace") as lines:
        for line in lines:
            found = LINE.match(line)
            event = found and event_in(found[1], found[2], broker, topic, partition, patterns)
            if not event:
                continue
            is_starting = event.kind == BEGINS or (is_starting and event.kind != STARTS)
            if event.kind == REFUSED:
                last = max((at for at, e in enumerate(events) if e.kind == ISR), default=None)
                events = [e for at, e in enumerate(events) if at != last]
            elif event.kind != BEGINS and not (event.kind == REGISTERS and is_starting):
                events.append(event)
    if any(e.kind == WRITTEN for e in events):
        events = [replace(e, kind=ISR) if e.kind == WRITTEN else e for e in events if e.kind != ISR]
    return events


def event_in(stamp: str, text: str, broker: int, topic: str, partition: int, patterns: Patterns = COMPILED) -> Event | None:
    """The event that a line tells, if it is one of this partition, or of the broker as a whole."""
    for kind, pattern in patterns:
        found = pattern.search(text)
        if not found or (kind == LEADS and re.search(r"\bFollower ", text[: found.end()])):
            continue
        groups = {name: value for name, value in found.groupdict().items() if value is not None}
        if kind not in OF_BROKERS and (groups["topic"], groups["partition"]) != (topic, str(partition)):
            continue
        return Event(
            milliseconds_of(stamp),
            broker,
            kind,
            int(groups.get("epoch", -1)),
            int(groups.get("offset", -1)),
            int(groups.get("leader", -1)),
            frozenset(int(b) for b in groups.get("isr", "").split(",") if b),
        )
    return None


def milliseconds_of(stamp: str) -> int:
    """A log line's time."""
    return round(datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S,%f").timestamp() * 1000)
