"""Random behaviours of the model that real brokers can be made to follow, for comparing them step by step.

Uniform over the actions that are enabled, faults less often, then over their arguments, from a seed. Left out is
what cannot be forced (see `steps`), and the fetch whose answer is lost (`expand_isr`).
"""

import random
from collections.abc import Iterator
from typing import Any

from ...model.broker.isr import can_write_isr, fetches_from, has_caught_up
from ...model.language.actions import Model
from ...model.language.releases import row_of, settings_of_release
from ...model.language.steps import Action
from ...model.members import contains
from ...model.vocabulary import Phase
from ..trace import Trace, record
from .releases import Release

NEVER = (
    "expand_isr", "fail_epoch_request", "truncate_on_divergence", "count_diverging_fetch", "delete_unnamed", "lose_power",
    "flush_log", "consume", "send_fetch", "answer_fetch", "check_fetch", "count_fetch", "receive_fetch", "refuse_fetch",
    "receive_refusal", "receive_late_response", "compact_log", "delete_old_records", "start_anew",
    "learn_out_of_range", "exit_out_of_range", "forget_end", "begin_shutdown",
)  # fmt: skip
UNDER_KRAFT = ("truncate_on_divergence",)
"""What brokers do when Highwater answers their requests for another ISR."""

RARELY = 0.2
"""How often a fault is chosen, beside another action: most of a walk is then replication."""

FAULTS = ("crash", "expire_session", "fence", "elect_unclean")

Found = tuple[Action, tuple[int, ...], Any]


def described_by(model: Model, release: Release) -> tuple[str, dict[str, Any]]:
    """The revision of the model that a release is compared with, and its settings where they differ from the revision's.

    Of the family `kraft` what a leader forgets is the brokers': `metadata_steps` lets the time pass for which it waits on.
    """
    if model.name != "kraft":
        return release.revision, dict(release.settings)
    name, revision, _ = row_of(model, release.name)
    return revision, {**settings_of_release(model, name, revision), "known_news": "forgets"}


def walk(model: Model, release: Release, config: Any, length: int, seed: int) -> Trace:
    """One behaviour of at most `length` steps."""
    chance = random.Random(seed)
    initial = model.initial_states(config)
    number = chance.randrange(len(initial))
    state = initial[number]
    steps: list[tuple[Action, tuple[int, ...]]] = []
    while len(steps) < length:
        by_name: dict[str, list[Found]] = {}
        for found in possible(model, release, state):
            by_name.setdefault(found[0].name, []).append(found)
        if not by_name:
            break
        names = sorted(by_name)
        name = chance.choices(names, [RARELY if n in FAULTS else 1.0 for n in names])[0]
        action, arguments, state = chance.choice(by_name[name])
        steps.append((action, arguments))
    return record(model, described_by(model, release)[0], config, number, steps)


def possible(model: Model, release: Release, state: Any) -> Iterator[Found]:
    """The steps out of a state that brokers of this release can be made to take."""
    kraft = model.name == "kraft"
    for action, arguments, after in model.enabled(state):
        if action.name in NEVER and not (kraft and action.name in UNDER_KRAFT):
            continue
        named = dict(zip(action.parameters, arguments, strict=True))
        if action.name == "shrink_isr" and not may_shrink(release, state, **named):
            continue
        if action.name == "fetch" and not kraft and would_hang(after, **named):
            continue
        yield action, arguments, after


def may_shrink(release: Release, s: Any, partition: int, leader: int, follower: int) -> bool:
    """The leader would drop this follower and no other, when the time for lagging is over."""
    me = s.replica[partition][leader]
    for other in range(s.config.brokers):
        if other in (leader, follower) or not contains(me.isr, other):
            continue
        if me.fetched_to[other] < me.leo or not fetches_from(s, partition, other, leader):
            return False
    return release.drops_silent or me.fetched_to[follower] != me.leo


def would_hang(after: Any, partition: int, follower: int, leader: int) -> bool:
    """The leader would take the follower back, but has no session: it waits for ZooKeeper, and the fetch with it."""
    me = after.replica[partition][leader]
    if contains(me.isr, follower) or can_write_isr(after, partition, leader):
        return False
    fetches = after.replica[partition][follower].phase is Phase.FETCHING
    return fetches and bool(has_caught_up(after, partition, leader, me.fetched_to[follower]))


def sizes(model: Model, brokers: int) -> dict[str, Any]:
    """What the walks of the documents are made with."""
    faults = {"fences": 1, "window": 3, "min_isr": min(2, brokers)} if model.name == "kraft" else {"session_expiries": 1}
    return {
        "brokers": brokers, "log_size": 4, "max_records": 4, "max_batch": 2, "max_epoch": 4, "crashes": 1,
        "preferred_elections": 2, "unclean_elections": 1, **faults,
    }  # fmt: skip
