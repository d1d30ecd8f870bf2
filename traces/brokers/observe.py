"""Trace validation: what a run that something else drove has left, read.

A run leaves a partial trace: events in the brokers' logs, whose order is known where their times differ, and the end:
segments, leader epochs, nodes of ZooKeeper. `fitting` looks for a behaviour of the model that fits.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ..trace import Trace
from .disk import Directory, read_directory
from .logs import CUTS, ISR, LEADS, REGISTERS, STARTS, Event, read_log
from .releases import Release


@dataclass
class Observed:
    """What was found of one partition: events by broker, and the end. `state` is the node, its version from 1."""

    topic: str
    partition: int
    events: list[list[Event]]
    logs: list[Directory]
    state: dict[str, Any] | None
    version: int
    live: frozenset[int]
    assigned: tuple[int, ...]

    @property
    def last_epoch(self) -> int:
        """The highest leader epoch in the logs; all elections up to it have happened."""
        told = [e.epoch for events in self.events for e in events]
        return max(0, int(self.state["leader_epoch"]) if self.state else 0, *told)

    def damage(self) -> str:
        """Why no behaviour has these logs, whatever is in them."""
        for broker, log in enumerate(self.logs):
            if log.damage or [e.offset for e in log.entries] != list(range(len(log.entries))):
                return f"broker {broker} has {log.damage or 'a log with a hole'}, which no behaviour of the model has"
        return ""

    def contradiction(self) -> str:
        """Why no behaviour fits, whatever happened between the events; nothing when that has to be searched for."""
        if damage := self.damage():
            return damage
        changes = sum(e.kind == ISR for events in self.events for e in events)
        elections = self.state["leader_epoch"] if self.state else 0
        if self.state and self.version != 1 + elections + changes:
            return (
                f"the node of leader and ISR was written {self.version} times, but the logs report "
                f"{1 + elections + changes} writes: its creation, {elections} elections and {changes} changes of the ISR"
            )
        return ""


@dataclass
class Fit:
    """The outcome of the search. `trace`: a behaviour that fits, or None; `most`: events explained by the best attempt.

    `stopped`: the bound that ended the search before it was over, or nothing.
    """

    trace: Trace | None
    events: int
    most: int = 0
    stuck: list[str] = field(default_factory=list)
    states: int = 0
    stopped: str = ""


def read_run(folder: Path, topic: str | None, partition: int) -> Observed:
    """What the folders `broker0`, `broker1`, ... and the file `znodes.json` tell; UsageError when they are not there."""
    brokers = sorted(folder.glob("broker[0-9]*"), key=lambda path: int(path.name[6:]))
    file = folder / "znodes.json"
    if not brokers or not file.is_file():
        under = "broker0, broker1, ... beside a file znodes.json (ZooKeeper), nor node0, node1, ... (KRaft)"
        raise UsageError(f"{folder} has no folders {under}: nothing to observe")
    try:
        nodes = json.loads(file.read_text())
        if not isinstance(nodes, dict):
            raise TypeError("it is not a JSON object")
        topic = topic or only_topic(nodes, file)
        node = nodes.get(f"/brokers/topics/{topic}/partitions/{partition}/state", {})
        assigned = nodes[f"/brokers/topics/{topic}"]["data"]["partitions"][str(partition)]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} does not tell of topic {topic} and partition {partition}: {error!r}") from None
    return Observed(
        topic,
        partition,
        [read_log(path / "server.log", b, topic, partition) for b, path in enumerate(brokers)],
        [read_directory(path / "data", topic, partition) for path in brokers],
        node.get("data"),
        node.get("version", -1) + 1,
        frozenset(nodes.get("/brokers/ids", {}).get("children", [])),
        tuple(assigned),
    )


def only_topic(nodes: dict[str, Any], file: Path) -> str:
    """The topic, when there is only one."""
    topics = [path.split("/")[3] for path in nodes if path.startswith("/brokers/topics/") and path.count("/") == 3]
    if len(topics) != 1:
        raise UsageError(f"{file} tells of {len(topics)} topics ({', '.join(sorted(topics)[:5])}): choose one with --topic")
    return topics[0]


def batches_of(logs: Sequence[Directory]) -> dict[tuple[int, int, int], int]:
    """Every batch on some disk, (epoch, base offset, batch) and its records."""
    found: dict[tuple[int, int, int], int] = {}
    for log in logs:
        for key, entries in itertools.groupby(log.entries, lambda e: (e.epoch, e.base, e.batch)):
            found[key] = len(list(entries))
    return found


def room_for(run: Observed, known: Mapping[str, int]) -> dict[str, int]:
    """Sizes that have room for the run's logs and elections; UsageError where no behaviour begins with its roles, by its numbers.

    What is told bounds everything but the logs: one may have been longer than any offset that is told or is left.
    `known`: what the user knows better, such as that, or that there was no unclean election.
    """
    firsts = {e.broker for events in run.events for e in events if e.kind == LEADS and e.epoch == 0}
    if run.assigned[0] != 0 or firsts - {0, 1}:
        raise UsageError(
            f"the preferred replica is broker {run.assigned[0]} and the first leader is {min(firsts, default='unknown')}; the "
            "model needs broker 0 as the preferred replica and broker 0 or 1 as the first leader: renumber the brokers and "
            "their folders"
        )
    batches = batches_of(run.logs)
    log_size = max([e.offset for events in run.events for e in events] + [log.end for log in run.logs])
    log_size = max(1, log_size, known.get("log_size", 1))
    lost = sum(max(1, log_size - e.offset) for events in run.events for e in events if e.kind == CUTS)
    return {
        "brokers": len(run.logs),
        "max_records": max(1, len(batches) + lost),
        "max_batch": max([1, *batches.values()]),
        "preferred_elections": max(1, run.last_epoch),  # with none a behaviour begins with one leader only
        "unclean_elections": run.last_epoch,
        **known,
        "log_size": log_size,
    }


def configuration(run: Observed, model: Model, release: Release, known: Mapping[str, int]) -> Any:
    """A configuration that has room for the run."""
    room = room_for(run, known)
    away = len(set(run.assigned) - run.live)
    sizes = {
        "command_order": "any",  # no log tells which commands were lost
        "max_epoch": run.last_epoch,
        "crashes": sum(max(0, sum(e.kind == STARTS for e in events) - 1) for events in run.events) + away,
        "session_expiries": sum(e.kind == REGISTERS for events in run.events for e in events) + away,
    }
    return model.configure(release.revision, **{**release.settings, **sizes, **room})
