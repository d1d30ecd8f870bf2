"""Trace validation under KRaft: the search for a behaviour of the family `kraft` that fits what a run has left.

The log of metadata reports every decision, so the controller's steps are known, with their order. Searched for is how far
each broker had applied the log when, and what brokers did among themselves.
"""

from collections.abc import Iterator
from typing import Any

from ...model.kraft.quorum import active
from ...model.members import NO_BROKER
from ..words import in_set
from .controller import broker_id
from .fitting import Done, Fitting
from .isr_requests import PartitionState
from .logs import CUTS, DECIDES, FOLLOWS, LEADS, STARTS, Event
from .metadata_observe import Says

DECIDING = ("fence", "unfence", "register", "elect_preferred", "elect_unclean", "alter_partition")
UNSEEN = (
    "apply_metadata", "produce", "fetch", "truncate_on_divergence", "cut_to_leader_end", "shrink_isr", "learn_isr_write", "crash",
    "checkpoint_high_watermark",
)  # fmt: skip


class MetadataFitting(Fitting):
    """The search. Decisions are events of one more broker, the controller."""

    names = (*UNSEEN, *DECIDING)

    def setting_up(self, state: Any) -> Done | None:
        """Events before the model's first state: the brokers start and take the roles of epoch 0. None: other roles."""
        done = []
        for broker, events in enumerate(self.run.events[:-1]):
            me = state.replica[self.run.partition][broker]
            kind = LEADS if me.leader == broker else FOLLOWS
            role = Event(0, broker, kind, epoch=0, offset=0, leader=-1 if kind == LEADS else me.leader)
            at = int(bool(events) and events[0].kind == STARTS)
            if at < len(events) and (events[at].kind, events[at].epoch) == (kind, 0) and events[at].leader in (-1, role.leader):
                at += 1
            elif at < len(events) and events[at].epoch == 0:
                return None
            done.append(at)
        return (*done, 0)

    def explain(self, name: str, named: dict[str, int], before: Any, after: Any, done: Done) -> Done | None:
        """The events explained once this step is taken; None when the run cannot have taken it now."""
        if name == "crash" and not self.may_crash(named["broker"], done):
            return None
        if name.startswith("checkpoint") and not self.may_checkpoint(after, named["broker"], done):
            return None
        return self.account(self.expected(name, named, before, after), done)

    def expected(self, name: str, named: dict[str, int], before: Any, after: Any) -> Iterator[Event]:
        """What the brokers' logs and the log of metadata tell of this step."""
        broker = named.get("broker", named.get("follower", -1))
        if name == "register":
            yield Event(0, broker, STARTS)
        if name in DECIDING and (name != "alter_partition" or self.says(before, -1) != self.says(after, -1)):
            yield Event(0, len(self.run.logs), DECIDES, says=self.says(after, broker if name == "register" else -1))
        if name not in ("register", "apply_metadata", "truncate_on_divergence", "cut_to_leader_end"):
            return
        old, me = before.replica[self.run.partition][broker], after.replica[self.run.partition][broker]
        if me.leader_epoch != old.leader_epoch and me.leader == broker:
            yield Event(0, broker, LEADS, epoch=me.leader_epoch, offset=me.leo, isr=self.members(me.isr))
        elif me.leader_epoch != old.leader_epoch or (name == "register" and me.leader != broker):
            leader = broker_id(me.leader) if me.leader != NO_BROKER else -1
            yield Event(0, broker, FOLLOWS, epoch=me.leader_epoch, offset=me.leo, leader=leader)
        if me.leo < old.leo:
            yield Event(0, broker, CUTS, offset=me.leo)

    def says(self, state: Any, registered: int) -> Any:
        """What the model's log says at its end, as a batch of the real one would; partition epochs are counted there."""
        node, elrs = state.zookeeper.leader_and_isr[self.run.partition], state.metadata[0].elr
        elr = tuple(in_set(elrs[self.run.partition])) if self.run.partition < len(elrs) else ()
        image = PartitionState(broker_id(node.leader), node.leader_epoch, 0, tuple(in_set(node.isr)), elr)
        return Says(registered, tuple(in_set(active(state))), image)

    def fits_the_store(self, state: Any) -> bool:
        """All decisions are explained: the log's end is the model's."""
        return True
