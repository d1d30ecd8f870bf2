"""Trace validation: a run that something else drove, held against the model.

What a run leaves is a partial trace: events in the brokers' logs, whose order is known where their times differ, and
the end: segments, leader epochs, nodes of ZooKeeper. The model has a behaviour that fits, or it has not. The search
goes over pairs of a state of the model and the events that it has explained so far. Steps that a log would tell must
be told; the others (a fetch, a producer's batch, an election, a crash) may be taken unseen, a bounded number between
two events.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...model.broker.become_follower import keeps_fetching
from ...model.language.actions import Action, Model
from ...model.language.errors import UsageError
from ...model.language.kinds import cells
from ...model.language.settings import changed
from ...model.members import NO_BROKER, contains
from ..trace import Trace, digest_of, step_of, version_of
from .compare import epochs_of, epochs_text
from .disk import NO_EPOCH, Directory, read_directory
from .logs import CUTS, FOLLOWS, ISR, LEADS, STARTS, Event, read_log
from .releases import Release

TOLD = {"become_leader": LEADS, "start_broker": STARTS, "expand_isr": ISR, "shrink_isr": ISR}
"""Steps that a broker's log tells, always."""

UNSEEN = (
    "produce", "fetch", "answer_epoch_request", "truncate_to_answer", "become_follower", "crash", "expire_session",
    "notice_session_expiry", "checkpoint_high_watermark", "see_broker_change", "request_preferred_election",
    "elect_preferred_replica", "elect_leader", "elect_unclean_leader", "take_offline",
)  # fmt: skip
"""Steps that may be taken without being told; those of a follower only where they cut nothing and turn to nobody."""


@dataclass
class Run:
    """What was found of one partition: events by broker, and the end. `state` is the node, its version from 1."""

    topic: str
    partition: int
    events: list[list[Event]]
    logs: list[Directory]
    state: dict[str, Any] | None
    version: int
    live: frozenset[int]
    assigned: tuple[int, ...]


@dataclass
class Fit:
    """What came of the search. `trace`: a behaviour that fits, or None; `most`: events explained by the best attempt.

    `stopped`: the bound that ended the search before it was over, or nothing.
    """

    trace: Trace | None
    events: int
    most: int = 0
    stuck: list[str] = field(default_factory=list)
    states: int = 0
    stopped: str = ""


def read_run(folder: Path, topic: str | None, partition: int) -> Run:
    """What the folders `broker0`, `broker1`, ... and the file `znodes.json` tell; UsageError when they are not there."""
    brokers = sorted(folder.glob("broker[0-9]*"), key=lambda path: int(path.name[6:]))
    file = folder / "znodes.json"
    if not brokers or not file.is_file():
        raise UsageError(f"{folder} has no folders broker0, broker1, ... beside a file znodes.json: nothing to observe")
    try:
        nodes = json.loads(file.read_text())
        if not isinstance(nodes, dict):
            raise TypeError("it is no JSON object")
        topic = topic or only_topic(nodes, file)
        node = nodes.get(f"/brokers/topics/{topic}/partitions/{partition}/state", {})
        assigned = nodes[f"/brokers/topics/{topic}"]["data"]["partitions"][str(partition)]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} does not tell of topic {topic} and partition {partition}: {error!r}") from None
    return Run(
        topic,
        partition,
        [list(read_log(path / "server.log", b, topic, partition)) for b, path in enumerate(brokers)],
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


def configuration(run: Run, model: Model, release: Release, faults: Mapping[str, int]) -> Any:
    """A configuration that has room for the run: sizes from what is there, faults as far as the logs speak of them.

    `faults`: budgets that the user knows better, such as no unclean election.
    """
    batches = batches_of(run.logs)
    lost = sum(event.kind == CUTS for events in run.events for event in events)
    starts = sum(max(0, sum(e.kind == STARTS for e in events) - 1) for events in run.events)
    down = len(run.assigned) - len(run.live & set(run.assigned))
    epochs = [e.epoch for events in run.events for e in events] + [run.state["leader_epoch"] if run.state else 0]
    sizes = {
        "command_order": "any",  # no log tells which commands were lost
        "brokers": len(run.events),
        "log_size": max([e.offset for events in run.events for e in events] + [log.end for log in run.logs] + [1]),
        "max_records": max(1, len(batches) + lost),
        "max_batch": max([1, *batches.values()]),
        "max_epoch": max([0, *epochs]),
        "crashes": starts + down,
        "session_expiries": 2,
        "preferred_elections": 2,
        "unclean_elections": max([2, *epochs]),
    }
    return model.configure(release.revision, **{**release.settings, **sizes, **faults})


class Search:
    """The search for a behaviour. `unseen`: steps without an event between two events, at most; `skew`: milliseconds
    by which the clocks of two brokers may differ."""

    def __init__(self, run: Run, model: Model, config: Any, release: Release, unseen: int, skew: int, states: int) -> None:
        self.run, self.model, self.config, self.release = run, model, config, release
        self.unseen, self.skew, self.states = unseen, skew, states
        self.batches = batches_of(run.logs)
        self.shapes = {(epoch, base): count for (epoch, base, _), count in self.batches.items()}
        self.total = sum(map(len, run.events))
        self.leaders = {e.epoch: e.broker for events in run.events for e in events if e.kind == LEADS}
        if run.state:
            self.leaders[run.state["leader_epoch"]] = run.state["leader"]
        self.actions = [model.action(name) for name in (*UNSEEN, *TOLD)]

    def find(self) -> Fit:
        """The first behaviour that fits; without one, how far the best attempt came."""
        fit = Fit(None, self.total)
        for broker, log in enumerate(self.run.logs):
            if log.damage or [e.offset for e in log.entries] != list(range(len(log.entries))):
                fit.stuck = [f"broker {broker} has {log.damage or 'a log with a hole'}, which no behaviour of the model has"]
                return fit
        queue: list[Any] = []
        seen: dict[Any, int] = {}
        tie = itertools.count()
        for number, state in enumerate(self.model.initial_states(self.config)):
            done = self.setting_up(state)
            if done is not None:
                heapq.heappush(queue, (-sum(done), 0, next(tie), state, done, 0, (number, None)))
        if not queue:
            fit.stuck = ["the logs begin with roles of epoch 0 that no behaviour of the model begins with"]
        while queue:
            _, spent, _, state, done, gap, path = heapq.heappop(queue)
            fit.states += 1
            if fit.states > self.states:
                fit.stopped = f"{self.states} states"
                return fit
            if sum(done) > fit.most or not fit.stuck:
                fit.most, fit.stuck = sum(done), [str(e) for e in self.next_events(done)]
            if sum(done) == self.total and self.fits_the_end(state):
                fit.trace = self.trace(path)
                return fit
            for action, arguments, after, reached in self.steps(state, done):
                hidden = 0 if reached != done else gap + 1
                key = (cells(after), reached)
                if hidden > self.unseen or seen.get(key, self.unseen + 1) <= hidden:
                    continue
                seen[key] = hidden
                entry = (action, arguments, after)
                cost = spent + (reached == done)
                heapq.heappush(queue, (cost - 3 * sum(reached), cost, next(tie), after, reached, hidden, (path, entry)))
        return fit

    def setting_up(self, state: Any) -> tuple[int, ...] | None:
        """Events before the model's first state: the brokers start and take the roles of epoch 0. None: other roles."""
        done = []
        for broker, events in enumerate(self.run.events):
            at, me = 0, state.replica[self.run.partition][broker]
            leads = Event(0, broker, LEADS, epoch=0, offset=0)
            role = leads if me.leader == broker else Event(0, broker, FOLLOWS, leader=me.leader)
            for expected in (Event(0, broker, STARTS), *([role] if self.release.magic >= 2 or role.kind == FOLLOWS else [])):
                at = self.after_cuts(events, at)
                if at < len(events) and same(expected, events[at]):
                    at += 1
                elif at < len(events) and events[at].kind == expected.kind:
                    return None
            done.append(self.after_cuts(events, at))
        return tuple(done)

    def after_cuts(self, events: Sequence[Event], at: int) -> int:
        """The next event that is no cut of an empty log, which some releases log."""
        while at < len(events) and events[at].kind == CUTS and events[at].offset == 0 and at < 3:
            at += 1
        return at

    def next_events(self, done: tuple[int, ...]) -> list[Event]:
        """What may be explained next: of each broker its next event, unless one of another broker was surely before."""
        waiting = [events[at] for events, at in zip(self.run.events, done, strict=True) if at < len(events)]
        first = min((e.milliseconds for e in waiting), default=0)
        return [e for e in waiting if e.milliseconds <= first + self.skew]

    def steps(self, state: Any, done: tuple[int, ...]) -> Iterator[tuple[Action, tuple[int, ...], Any, tuple[int, ...]]]:
        """The steps that the run allows, each with the events that are explained after it."""
        after = state.copy()
        for action in self.actions:
            step = action.version(self.config)
            for arguments in action.instances(self.config):
                if not step(after, *arguments):
                    continue  # a step that is refused leaves the state as it was
                named = dict(zip(action.parameters, arguments, strict=True))
                reached = self.explain(action.name, named, state, after, done)
                if reached is not None:
                    yield action, arguments, after, reached
                after = state.copy()

    def explain(self, name: str, named: dict[str, int], before: Any, after: Any, done: tuple[int, ...]) -> tuple[int, ...] | None:
        """The events explained once this step is taken; None when the run cannot have taken it now."""
        if name.startswith(("elect", "take_offline")) and not self.may_elect(after):
            return None
        if name == "produce" and not self.may_produce(before, named, done):
            return None
        if name == "crash" and not self.may_crash(named["broker"], done):
            return None
        if name.startswith("checkpoint") and not self.is_on_disk(after, named["broker"]):
            return None
        for event in self.expected(name, named, before, after):
            broker = event.broker
            at = done[broker]
            if at >= len(self.run.events[broker]) or self.run.events[broker][at] not in self.next_events(done):
                return None
            if not same(event, self.run.events[broker][at]):
                return None
            done = (*done[:broker], at + 1, *done[broker + 1 :])
        return done

    def expected(self, name: str, named: dict[str, int], before: Any, after: Any) -> Iterator[Event]:
        """What the brokers' logs would tell of this step."""
        partition = self.run.partition
        if name in ("expand_isr", "shrink_isr"):
            isr = after.replica[partition][named["leader"]].isr
            yield Event(0, named["leader"], ISR, isr=frozenset(b for b in range(self.config.brokers) if contains(isr, b)))
            return
        broker = named.get("broker", named.get("follower", -1))
        if broker < 0 or name in ("crash", "expire_session", "notice_session_expiry", "fetch"):
            return
        old, me = before.replica[partition][broker], after.replica[partition][broker]
        if name == "start_broker":
            yield Event(0, broker, STARTS)
        cut = [Event(0, broker, CUTS, offset=me.leo)] if me.leo < old.leo else []
        if self.release.magic < 2:
            yield from cut  # 0.10 cuts before it fetches, later releases once they have asked
        turned = me.leader_epoch != old.leader_epoch or me.leader != old.leader
        if turned and me.leader == broker and self.release.magic >= 2:
            isr = frozenset(b for b in range(self.config.brokers) if contains(me.isr, b))
            yield Event(0, broker, LEADS, epoch=me.leader_epoch, offset=me.leo, isr=isr)
        keeps = keeps_fetching(before, old, me.leader, me.leader_epoch)
        if turned and me.leader not in (broker, NO_BROKER) and not keeps:
            yield Event(0, broker, FOLLOWS, leader=me.leader)
        if self.release.magic >= 2:
            yield from cut

    def may_elect(self, after: Any) -> bool:
        """The decision is one whose leader the run tells, or says nothing of."""
        node = after.zookeeper.leader_and_isr[self.run.partition]
        leader = -1 if node.leader == NO_BROKER else node.leader
        return bool(self.leaders.get(node.leader_epoch, leader) == leader)

    def may_produce(self, before: Any, named: dict[str, int], done: tuple[int, ...]) -> bool:
        """The batch is on some disk in the end, or somebody will cut his log yet."""
        me = before.replica[self.run.partition][named["leader"]]
        count = self.shapes.get((me.leader_epoch, me.leo))
        cuts = any(e.kind == CUTS for events, at in zip(self.run.events, done, strict=True) for e in events[at:])
        return count == named["batch"] + 1 or cuts

    def may_crash(self, broker: int, done: tuple[int, ...]) -> bool:
        """It starts again later, or is down in the end; before that its log tells nothing more."""
        events = self.run.events[broker]
        at = done[broker]
        return events[at].kind == STARTS if at < len(events) else broker not in self.run.live

    def is_on_disk(self, after: Any, broker: int) -> bool:
        """The high watermark is the one that the broker's checkpoint has in the end: no other one is of use here."""
        return bool(after.replica[self.run.partition][broker].hw == self.run.logs[broker].checkpoint)

    def fits_the_end(self, state: Any) -> bool:
        """Logs, batches as a whole, and the node of leader and ISR are as the model has them."""
        names: dict[int, tuple[int, int, int]] = {}
        for broker, log in enumerate(self.run.logs):
            me = state.replica[self.run.partition][broker]
            if me.leo != len(log.entries) or log.damage:
                return False
            reached = me.hw if state.broker[broker].up else me.checkpoint
            if reached < min(log.checkpoint or 0, log.end):
                return False  # what was checkpointed has been reached
            if self.release.magic >= 2 and epochs_of(self.release, state, me) != epochs_text(log.epochs):
                return False
            for offset, entry in enumerate(log.entries):
                slot = me.log[offset]
                identity = (entry.epoch, entry.base, entry.batch)
                if entry.offset != offset or entry.epoch not in (slot.epoch, NO_EPOCH):
                    return False
                if names.setdefault(slot.record, identity) != identity:
                    return False
        if len(set(names.values())) != len(names):
            return False
        node = state.zookeeper.leader_and_isr[self.run.partition]
        if self.run.state is None:
            return bool(node.version == 0)
        isr = frozenset(b for b in range(self.config.brokers) if contains(node.isr, b))
        leader = -1 if node.leader == NO_BROKER else node.leader
        told = (self.run.state["leader"], self.run.state["leader_epoch"], frozenset(self.run.state["isr"]), self.run.version)
        return told == (leader, node.leader_epoch, isr, node.version)

    def trace(self, path: Any) -> Trace:
        """The behaviour, as a trace that can be replayed, shown and performed."""
        steps = []
        while path[1] is not None:
            path, (action, arguments, after) = path
            steps.append(step_of(action, arguments, digest_of(after)))
        settings = changed(self.config, self.model.configure(self.release.revision))
        initial = self.model.initial_states(self.config)[path[0]]
        version, found = version_of(self.model), tuple(reversed(steps))
        return Trace(self.model.name, version, self.release.revision, settings, path[0], found, "", digest_of(initial))


def same(expected: Event, told: Event) -> bool:
    """Whether what the model's step would have told is what the log tells."""
    if (expected.kind, expected.broker) != (told.kind, told.broker):
        return False
    if expected.kind in (LEADS, CUTS) and expected.offset != told.offset:
        return False
    if expected.kind == LEADS and expected.epoch != told.epoch:
        return False
    if expected.kind == FOLLOWS and expected.leader != told.leader:
        return False
    if expected.kind == LEADS and (not told.isr or not expected.isr):
        return True  # which ISR a leader begins with is told from 2.4 on
    return expected.isr == told.isr
