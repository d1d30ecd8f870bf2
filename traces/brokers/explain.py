"""Where Kafka does otherwise than the model, and it is known why: one entry for each abstraction or difference.

A difference is explained when an entry's condition holds of the step at which it showed: of the states before and
after, the release, and what differs. `docs/brokers.md` says the same at length; what no entry explains is a finding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.log import starts_batch
from ...model.members import NO_BROKER, contains
from ..trace import Step
from .compare import READS, Difference
from .releases import Release


@dataclass(frozen=True)
class Case:
    """One step at which something differs."""

    release: Release
    before: Any
    after: Any
    step: Step
    differences: Sequence[Difference]

    def replicas(self, state: Any) -> list[Any]:
        """Every copy of every partition."""
        return [replica for partition in state.replica for replica in partition]

    @property
    def named(self) -> dict[str, int]:
        """The step's arguments."""
        return dict(self.step.arguments)

    @property
    def facts(self) -> set[str]:
        """What differs."""
        return {d.fact for d in self.differences}

    @property
    def marks(self) -> list[tuple[int, int]]:
        """Pairs of differing high watermarks (model, broker); empty if anything else differs, apart from what consumers read."""
        if self.facts - {"high watermark", READS}:
            return []
        return [(int(d.model), int(d.broker)) for d in self.differences if d.fact == "high watermark"]

    @property
    def me(self) -> Any:
        """The replica that the step is of, before it; None when it is of none."""
        broker = self.named.get("broker", self.named.get("follower", self.named.get("leader")))
        if broker is None:
            return None
        return self.before.replica[self.named.get("partition", 0)][broker]


@dataclass(frozen=True)
class Reason:
    """Why they differ: a name, when it applies, what Kafka does, and what the model does."""

    name: str
    applies: Callable[[Case], bool]
    sentence: str
    here: str


def has_empty_epoch(state: Any, replica: Any) -> bool:
    """Its cache has an epoch of which its log has no record."""
    epochs = {replica.log[o].epoch for o in range(replica.leo)}
    return any(replica.epoch_start[e] >= 0 and e not in epochs for e in range(state.config.epochs))


def dead_leader(case: Case) -> bool:
    """The model's broker follows one that is down."""
    me = case.me
    if me is None or case.step.action != "become_follower":
        return False
    leader = case.after.replica[case.named.get("partition", 0)][case.named["broker"]].leader
    return leader != NO_BROKER and not case.after.broker[leader].up


def starts_without_leader(case: Case) -> bool:
    """The broker that starts finds a partition that has no leader: the model's knows the published epoch (V3 E.2)."""
    if case.step.action != "start_broker" or case.facts != {"leader"}:
        return False
    return any(partition[case.named["broker"]].leader == NO_BROKER for partition in case.after.replica)


def epoch_at_append(case: Case) -> bool:
    """A follower asks for another epoch, or is answered another: some cache of the model has an epoch without records."""
    if not case.release.epoch_at_append or not case.facts & {"what it does", "leader epochs", "log"}:
        return False
    return any(has_empty_epoch(case.before, r) for r in case.replicas(case.before))


def restart_forgets(case: Case) -> bool:
    """The broker that starts had an epoch of which it had no record."""
    me = case.me
    return case.step.action == "start_broker" and me is not None and has_empty_epoch(case.before, me)


def cut_of_nothing(case: Case) -> bool:
    """The follower had an epoch of which it had no record, and its log stayed as it was."""
    me = case.me
    if me is None or case.step.action not in ("truncate_to_answer", "become_follower") or case.release.line not in ("2.0", "2.1"):
        return False
    after = case.after.replica[case.named.get("partition", 0)][case.named.get("broker", case.named.get("follower", 0))]
    only = case.facts <= {"leader epochs", "what it does"}
    return only and me.leo == after.leo and has_empty_epoch(case.before, me) and not has_empty_epoch(case.after, after)


def within_batch(case: Case) -> bool:
    """The model's cut ended at the start of a batch, not at the offset that was asked for."""
    me = case.me
    if me is None or case.step.action not in ("truncate_to_answer", "become_follower", "start_broker"):
        return False
    ends = [me.answer_end, me.hw, me.checkpoint if case.before.config.crashes else me.hw]
    return any(0 < end < me.leo and not starts_batch(me, end) for end in ends)


def older_than_all(case: Case) -> bool:
    """The model's leader has answered undefined: it knows no epoch as old."""
    me = case.me
    return case.step.action == "truncate_to_answer" and me is not None and me.answer_end < 0 and not case.release.epoch_at_append


def out_of_range(case: Case) -> bool:
    """A follower is ahead of its leader."""
    if "leader" not in case.named or "follower" not in case.named:
        return False
    partition = case.before.replica[case.named.get("partition", 0)]
    return bool(partition[case.named["follower"]].leo > partition[case.named["leader"]].leo)


def overlaps(case: Case) -> bool:
    """The model's follower cannot append: the batch begins before the end of its log."""
    failed = [me for partition in case.after.replica for me in partition if me.failed]
    return bool(failed) and case.release.magic < 2 and "log" in case.facts


def waits_for_others(case: Case) -> bool:
    """A leader's high watermark is lower than the model's, and a follower outside its ISR is behind the model's."""
    for partition in case.after.replica:
        for broker, me in enumerate(partition):
            if me.leader != broker:
                continue
            behind = [f for f, end in enumerate(me.fetched_to) if f != broker and not contains(me.isr, f) and 0 < end < me.hw]
            marks = case.marks
            if behind and marks and all(broker < model for model, broker in marks):
                return True
    return False


def mark_beyond_end(case: Case) -> bool:
    """A log was cut, and its broker's high watermark was not, until the next fetch (before 2.4)."""
    marks = case.marks
    old = case.release.line in ("0.10.2", "0.11.0", "1.0", "1.1", "2.0", "2.1")
    cut = case.step.action in ("truncate_to_answer", "become_follower", "start_broker", "cut_to_leader_end")
    return old and cut and bool(marks) and all(broker > model for model, broker in marks)


def first_of_a_session(case: Case) -> bool:
    """A fetch in another epoch than the leader's, which the model accepts: it does not know which is the first of a session."""
    config, named = case.before.config, case.named
    if case.step.action not in ("fetch", "answer_fetch") or not config.fenced or config.fenced_fetches:
        return False
    partition = case.before.replica[named.get("partition", 0)]
    return bool(partition[named["follower"]].leader_epoch != partition[named["leader"]].leader_epoch)


REASONS = (
    Reason("dead leader", dead_leader,
        "a command that names no leader, or one that the broker believes dead, is ignored: role and epoch stay",
        "a command that names a dead leader is obeyed"),
    Reason("starts without a leader", starts_without_leader,
        "a broker that starts knows no leader epoch until a command names a leader",
        "it knows the published one, as V3 E.2 says, unless `start_up = told`"),
    Reason("epoch with its first record", epoch_at_append,
        "up to 2.0.0 a leader's epoch enters its cache with the first record (KAFKA-7415)",
        "`epoch_entry`: so in `kip-101` and `kip-279`, elsewhere when the leader begins, as KIP-101 says"),
    Reason("restart forgets an empty epoch", restart_forgets,
        "a starting broker drops an epoch that begins at the log's end",
        "`empty_epochs = dropped`, from `kip-101` on"),
    Reason("a cut of nothing keeps its epoch", cut_of_nothing,
        "before 2.6.1 a truncation that cuts no record leaves an epoch that begins at the log's end in the cache (KAFKA-10706)",
        "`cut_of_nothing = dropped` from `kip-320-2.8` on"),
    Reason("end within a batch", within_batch,
        "a log that is cut within a batch loses the whole batch, but ends at the offset of the cut",
        "the log ends where the batch began"),
    Reason("older than all epochs", older_than_all,
        "from 2.0.1 on the answer is the start of the leader's first epoch (KAFKA-7415)",
        "`older_epoch`; *undefined* in `kip-279`"),
    Reason("high watermark beyond the end", mark_beyond_end,
        "up to 2.3 it stays beyond the end of a cut log until the next fetch",
        "`cut_high_watermark`"),
    Reason("first fetch of a session", first_of_a_session,
        "from 2.1 to 2.4 a leader compares its epoch, and no other fetch's (KAFKA-9338)",
        "no fetch is compared (`fenced_fetches`)"),
    Reason("a batch that overlaps", overlaps,
        "0.10 checks only the last offset of a compressed batch of message format 1, so the log may have an offset twice",
        "it cannot be appended"),
    Reason("waits for recently caught-up replicas", waits_for_others,
        "since 0.10.2 the high watermark also waits for replicas outside the ISR that had caught up a moment ago",
        "it waits for the ISR, so it is never lower than the broker's"),
    Reason("out of range", out_of_range,
        "a follower ahead of its leader gets this error and cuts its log; up to 2.0.0 its broker may exit instead (KAFKA-7414)",
        "steps of their own (`fetch_beyond_end`)"),
)  # fmt: skip


def explain(case: Case) -> Reason | None:
    """The first reason that applies; None when the difference is not explained."""
    return next((reason for reason in REASONS if reason.applies(case)), None)
