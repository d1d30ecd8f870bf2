"""Trace validation: the search for a behaviour of the model that fits what a run has left.

It goes over pairs of a state of the model and the events that it has explained so far. Steps that a log would report
must be reported; the others (a fetch, a producer's batch, an election, a crash) may happen unreported. A state from which the end
cannot be reached any more is given up at once: most of all one whose log differs from what is on disk below every cut
that is yet to come. So the search ends: there is a behaviour, or there is none of that size.
"""

import heapq
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from ...model.broker.become_follower import keeps_fetching
from ...model.language.actions import Model
from ...model.language.kinds import cells
from ...model.language.steps import Action
from ...model.members import NO_BROKER
from ...model.state import History
from ..trace import Trace, record
from ..words import in_set, plural
from .compare import epochs_of, epochs_text
from .controller import broker_id
from .disk import NO_EPOCH, Entry
from .logs import CUTS, DECIDES, FOLLOWS, ISR, LEADS, REGISTERS, STARTS, Event
from .observe import Fit, Observed
from .releases import Release
from .walks import described_by

TOLD = ("become_leader", "start_broker", "expand_isr", "shrink_isr", "notice_session_expiry")
"""Steps that a broker's log tells, always."""

UNSEEN = (
    "produce", "fetch", "answer_epoch_request", "truncate_to_answer", "become_follower", "crash", "expire_session",
    "checkpoint_high_watermark", "see_broker_change", "request_preferred_election", "elect_preferred_replica", "elect_leader",
    "elect_unclean_leader", "take_offline", "take_offline_but_one",
)  # fmt: skip
"""Steps that may be taken without being told; those of a follower only if they cut nothing and do not change whom it follows."""

Done = tuple[int, ...]


class Fitting:
    """The search for a behaviour. `skew`: milliseconds by which the clocks of two brokers may differ; `states`: to look at."""

    names: tuple[str, ...] = (*UNSEEN, *TOLD)

    def __init__(self, run: Observed, model: Model, config: Any, release: Release, skew: int, states: int) -> None:
        self.run, self.model, self.config, self.release = run, model, config, release
        self.skew, self.states = skew, states
        self.total = sum(map(len, run.events))
        self.leaders = {e.epoch: e.broker for events in run.events for e in events if e.kind == LEADS}
        if run.state:
            self.leaders[run.state["leader_epoch"]] = run.state["leader"]
        self.actions = [model.action(name) for name in self.names]
        self.preferred = [action for action in self.actions if action.name == "elect_preferred_replica"]
        self.away = [broker for broker in range(config.brokers) if broker not in run.live]

    def find(self) -> Fit:
        """The first behaviour that fits; without one, how far the best attempt came."""
        fit = Fit(None, self.total)
        if contradiction := self.run.contradiction():
            fit.stuck = [contradiction]
            return fit
        queue: list[Any] = []
        seen: set[Any] = set()
        tie = itertools.count()
        for number, state in enumerate(self.model.initial_states(self.config)):
            done = self.setting_up(state)
            if done is not None:
                heapq.heappush(queue, (-sum(done), 0, next(tie), state, done, (number, None)))
        fit.stuck = ["the logs begin with roles of epoch 0 that no behaviour of the model begins with"]
        while queue:
            _, spent, _, state, done, path = heapq.heappop(queue)
            fit.states += 1
            if fit.states > self.states:
                fit.stopped = plural(self.states, "state")
                return fit
            if sum(done) > fit.most or fit.states == 1:
                fit.most, fit.stuck = sum(done), [str(e) for e in self.next_events(done)]
            if sum(done) == self.total and self.fits_the_end(state):
                fit.trace = self.trace(path)
                return fit
            for action, arguments, after, reached in self.steps(state, done):
                key = (self.key(after), reached)
                if key in seen:
                    continue
                seen.add(key)
                cost = spent + (reached == done)
                heapq.heappush(queue, (cost - 3 * sum(reached), cost, next(tie), after, reached, (path, (action, arguments))))
        return fit

    def key(self, state: Any) -> tuple[int, ...]:
        """What later steps, and the end, depend on: the normal form, but nothing of what only properties read.

        The node's version is what elections and told changes of the ISR make it. Of a broker that is away in the end the
        checkpoint counts, though no crash is to come.
        """
        checkpoints = tuple(state.replica[self.run.partition][broker].checkpoint for broker in self.away)
        normal = state.copy()
        if self.model.normal_form is not None:
            self.model.normal_form(normal)
        for partition in range(self.config.partitions):
            normal.history[partition] = History(self.config)
        return (*cells(normal), *checkpoints)

    def setting_up(self, state: Any) -> Done | None:
        """Events before the model's first state: the brokers start and take the roles of epoch 0. None: other roles."""
        done, is_old = [], self.release.magic < 2
        for broker, events in enumerate(self.run.events):
            at, me = 0, state.replica[self.run.partition][broker]
            begins = [Event(0, broker, STARTS)]
            if me.leader != broker:
                begins += [Event(0, broker, CUTS, offset=0)] * is_old + [Event(0, broker, FOLLOWS, leader=me.leader)]
            elif not is_old:
                begins.append(Event(0, broker, LEADS, epoch=0, offset=0))
            for expected in begins:
                if at < len(events) and same(expected, events[at]):
                    at += 1
                elif at < len(events) and events[at].kind == expected.kind:
                    return None
            done.append(at)
        return tuple(done)

    def next_events(self, done: Done) -> list[Event]:
        """What may be explained next: of each broker its next event, unless one of another broker was surely before."""
        waiting = [events[at] for events, at in zip(self.run.events, done, strict=True) if at < len(events)]
        first = min((e.milliseconds for e in waiting), default=0)
        return [e for e in waiting if e.milliseconds <= first + self.skew]

    def steps(self, state: Any, done: Done) -> Iterator[tuple[Action, tuple[int, ...], Any, Done]]:
        """The steps that the run allows, each with the events that are explained after it.

        A request for an election comes right before the election: nothing else reads it.
        """
        is_requested = state.zookeeper.preferred_election[self.run.partition]
        after = state.copy()
        for action in self.preferred if is_requested else self.actions:
            step = action.version(self.config)
            for arguments in action.instances(self.config):
                if not step(after, *arguments):
                    continue  # a step that is refused leaves the state as it was
                named = dict(zip(action.parameters, arguments, strict=True))
                reached = self.explain(action.name, named, state, after, done)
                if reached is not None and self.may_end(after, reached):
                    yield action, arguments, after, reached
                after = state.copy()

    def explain(self, name: str, named: dict[str, int], before: Any, after: Any, done: Done) -> Done | None:
        """The events explained once this step is taken; None when the run cannot have taken it now."""
        if name.startswith(("elect", "take_offline")) and not self.may_elect(after):
            return None
        if name == "request_preferred_election" and not self.may_request(before):
            return None
        if name == "crash" and not self.may_crash(named["broker"], done):
            return None
        if name == "expire_session" and before.broker[named["broker"]].up and not self.may_expire(named["broker"], done):
            return None
        if name.startswith("checkpoint") and not self.may_checkpoint(after, named["broker"], done):
            return None
        return self.account(self.expected(name, named, before, after), done)

    def account(self, expected: Iterable[Event], done: Done) -> Done | None:
        """The events explained once these are too; None when what is reported now is something else."""
        for event in expected:
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
        if name in ("fetch", "expand_isr", "shrink_isr"):
            isr = after.replica[partition][named["leader"]].isr
            if isr != before.replica[partition][named["leader"]].isr:
                yield Event(0, named["leader"], ISR, isr=self.members(isr))
            return
        broker = named.get("broker", named.get("follower", -1))
        if name == "notice_session_expiry":
            yield Event(0, broker, REGISTERS)
        if broker < 0 or name in ("crash", "expire_session", "notice_session_expiry"):
            return
        old, me = before.replica[partition][broker], after.replica[partition][broker]
        if name == "start_broker":
            yield Event(0, broker, STARTS)
        turned = me.leader_epoch != old.leader_epoch or me.leader != old.leader
        keeps = keeps_fetching(before, old, me.leader, me.leader_epoch)
        follows = turned and me.leader not in (broker, NO_BROKER) and not keeps
        is_old = self.release.magic < 2
        if is_old and follows:
            yield Event(0, broker, CUTS, offset=me.leo)  # 0.10 cuts before it fetches, and says so when nothing is cut
        if not is_old and turned and me.leader == broker:
            yield Event(0, broker, LEADS, epoch=me.leader_epoch, offset=me.leo, isr=self.members(me.isr))
        if follows:
            yield Event(0, broker, FOLLOWS, leader=me.leader)
        if not is_old and me.leo < old.leo:
            yield Event(0, broker, CUTS, offset=me.leo)  # later releases cut once they have asked

    def members(self, isr: int) -> frozenset[int]:
        """A set of brokers, as the logs and the nodes have it."""
        return frozenset(in_set(isr))

    def may_elect(self, after: Any) -> bool:
        """The decision is one whose leader the run tells, or says nothing of."""
        node = after.zookeeper.leader_and_isr[self.run.partition]
        leader = broker_id(node.leader)
        return bool(self.leaders.get(node.leader_epoch, leader) == leader)

    def may_request(self, before: Any) -> bool:
        """The next election may be of the preferred replica."""
        preferred = before.zookeeper.preferred[self.run.partition]
        following = before.zookeeper.leader_and_isr[self.run.partition].leader_epoch + 1
        return following <= self.config.max_epoch and bool(self.leaders.get(following, preferred) == preferred)

    def may_crash(self, broker: int, done: Done) -> bool:
        """It starts again later, or is down in the end; before that its log tells nothing more."""
        events = self.run.events[broker]
        at = done[broker]
        return events[at].kind == STARTS if at < len(events) else broker not in self.run.live

    def may_expire(self, broker: int, done: Done) -> bool:
        """The broker lives: it registers once more before it starts again, or is away in the end."""
        following = [e.kind for e in self.run.events[broker][done[broker] :] if e.kind in (REGISTERS, STARTS)]
        return following[0] == REGISTERS if following else broker not in self.run.live

    def may_checkpoint(self, after: Any, broker: int, done: Done) -> bool:
        """Only a crash makes the checkpoint matter: one still in the logs, or a last one, which leaves what is on disk."""
        if any(e.kind == STARTS for e in self.run.events[broker][done[broker] :]):
            return True
        return broker not in self.run.live and self.is_left(broker, after.replica[self.run.partition][broker].checkpoint)

    def may_end(self, state: Any, done: Done) -> bool:
        """No log has what it cannot lose again: below every cut that is yet to come it is what is on disk in the end.

        Nor is one longer than it is where its broker next begins to lead.
        """
        names: dict[int, tuple[int, int, int]] = {}
        for broker, log in enumerate(self.run.logs):
            me = state.replica[self.run.partition][broker]
            coming = [e for e in self.run.events[broker][done[broker] :] if e.kind in (CUTS, LEADS)]
            if coming and coming[0].kind == LEADS and me.leo > coming[0].offset:
                return False
            stays = min((e.offset for e in coming if e.kind == CUTS), default=me.leo)
            if min(me.leo, stays) > log.end or not is_prefix(me, log.entries[: min(me.leo, stays)], names):
                return False
        return len(set(names.values())) == len(names)

    def fits_the_end(self, state: Any) -> bool:
        """Who is there, high watermarks, leader epochs, and the node of leader and ISR are as the model has them."""
        for broker, log in enumerate(self.run.logs):
            me = state.replica[self.run.partition][broker]
            if me.leo != log.end:
                return False
            if not state.broker[broker].up and not self.is_left(broker, me.checkpoint):
                return False
            cuts = [e.offset for e in self.run.events[broker] if e.kind == CUTS]
            if state.broker[broker].up and me.hw < min([log.checkpoint or 0, log.end, *cuts]):
                return False  # what was checkpointed has been reached
            if self.release.magic >= 2 and epochs_of(self.release, state, me) != epochs_text(log.epochs):
                return False
        return self.members(state.zookeeper.broker_ids) == self.run.live and self.fits_the_store(state)

    def fits_the_store(self, state: Any) -> bool:
        """The node of leader and ISR is as the model has it."""
        node = state.zookeeper.leader_and_isr[self.run.partition]
        if self.run.state is None:
            return bool(node.version == 0)
        told = (self.run.state["leader"], self.run.state["leader_epoch"], frozenset(self.run.state["isr"]), self.run.version)
        return told == (broker_id(node.leader), node.leader_epoch, self.members(node.isr), node.version)

    def is_left(self, broker: int, checkpoint: int) -> bool:
        """The checkpoint is that on disk; before 2.4 one may lie beyond a log that was cut, which the model cuts with it."""
        told = self.run.logs[broker].checkpoint
        if told is None or checkpoint == told:
            return True
        return checkpoint < told and any(e.kind == CUTS for e in self.run.events[broker])

    def trace(self, path: Any) -> Trace:
        """The behaviour, as a trace that can be replayed, shown and performed."""
        taken = []
        while path[1] is not None:
            path, step = path
            taken.append(step)
        return record(self.model, described_by(self.model, self.release)[0], self.config, path[0], reversed(taken))


def is_prefix(me: Any, entries: list[Entry], names: dict[int, tuple[int, int, int]]) -> bool:
    """The replica's log begins with these entries. `names`: the batch on disk of each of the model's, which this adds to."""
    for offset, entry in enumerate(entries):
        slot = me.log[offset]
        identity = (entry.epoch, entry.base, entry.batch)
        if entry.epoch not in (slot.epoch, NO_EPOCH) or names.setdefault(slot.record, identity) != identity:
            return False
    return True


def same(expected: Event, told: Event) -> bool:
    """Whether what the model's step would have told is what the log tells."""
    if (expected.kind, expected.broker) != (told.kind, told.broker):
        return False
    if expected.kind in (LEADS, CUTS) and expected.offset != told.offset:
        return False
    if expected.kind == LEADS and expected.epoch != told.epoch:
        return False
    if expected.kind == DECIDES:
        return bool(expected.says == told.says)
    if expected.kind == FOLLOWS and expected.epoch >= 0 and (expected.epoch, expected.offset) != (told.epoch, told.offset):
        return False
    if expected.kind == FOLLOWS and expected.leader != told.leader:
        return False
    if expected.kind == LEADS and (not told.isr or not expected.isr):
        return True  # brokers log the ISR that a leader begins with from 2.4 on
    return expected.isr == told.isr
