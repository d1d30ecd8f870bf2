"""Next of the published specification on one page, and its revisions."""

from collections.abc import Callable

from ..language import MEMBERS, Model, Revision, Rule, actions, no_asymmetry
from . import kip_320, kip_320_first_try, replication, truncation
from .state import Config, Published, initial_states


def by_replication(name: str, *versions: Callable[..., bool] | None) -> Rule:
    """An action that the setting `replication` chooses: before KIP-320, by epochs, fenced."""
    return Rule(name, "replication", versions)


shrink = by_replication(
    "leader_shrink_isr",
    replication.leader_shrink_isr, kip_320_first_try.leader_shrink_isr_by_epochs, kip_320.fenced_leader_shrink_isr,
)  # fmt: skip
expand = by_replication(
    "leader_expand_isr",
    replication.leader_expand_isr, kip_320_first_try.leader_expand_isr_by_epochs, kip_320.fenced_leader_expand_isr,
)  # fmt: skip
advance = by_replication(
    "leader_advance_high_watermark",
    replication.leader_advance_high_watermark, kip_320_first_try.leader_advance_high_watermark_by_epochs,
    kip_320.fenced_leader_advance_high_watermark,
)  # fmt: skip
fetch = by_replication(
    "follower_fetch", replication.follower_replicate, kip_320_first_try.follower_fetch, kip_320.fenced_follower_fetch
)
truncate = by_replication("follower_truncate", None, kip_320_first_try.follower_truncate, None)
become_follower = Rule(
    "become_follower", "truncation",
    [
        truncation.become_follower_truncating_to_high_watermark, truncation.become_follower_kip_101,
        truncation.become_follower_kip_279, kip_320_first_try.become_follower_without_truncation,
        kip_320.fenced_become_follower_and_truncate, truncation.become_follower_kip_279,
    ],
)  # fmt: skip

DOMAINS = {
    "broker": MEMBERS, "leader": MEMBERS, "follower": MEMBERS, "other": MEMBERS, "epoch": "epochs", "later_epoch": "epochs",
    "offset": "log_size", "earlier": "log_size",
}  # fmt: skip

NEXT = actions(
    DOMAINS,
    [
        replication.controller_shrink_isr, replication.controller_elect_leader, replication.become_leader,
        replication.leader_write, become_follower, truncate, shrink, expand, fetch, advance,
    ],
)  # fmt: skip

REVISIONS = (
    Revision("high-watermark", "a new follower cuts its log to its own high watermark",
             {"truncation": "high-watermark", "replication": "base"}),
    Revision("kip-101", "it asks the leader where the epoch of its last record ends",
             {"truncation": "kip-101", "replication": "base"}),
    Revision("kip-279", "it cuts to the last record that both logs share", {"truncation": "kip-279", "replication": "base"}),
    Revision("kip-320-first-try", "logs are compared by the epoch of the last record at each fetch",
             {"truncation": "at-fetch", "replication": "epoch-of-last-record"}),
    Revision("kip-320", "leader and follower deal only when both are in the same leader epoch",
             {"truncation": "fenced", "replication": "leader-epoch"}),
    Revision("kip-320-unfenced", "a mutant of ours: KIP-320, but a stale leader may answer a truncation",
             {"truncation": "unfenced", "replication": "leader-epoch"}, violates=("weak_isr", "strong_isr")),
)  # fmt: skip

PUBLISHED = Model(
    name="published",
    title="Kafka replication as published in TLA+ by its maintainers",
    state=Published,
    config=Config,
    actions=NEXT,
    initial_states=initial_states,
    revisions={r.name: r for r in REVISIONS},
    domains=DOMAINS,
    asymmetry=no_asymmetry,
    capacities={"small": {MEMBERS: 5, "log_size": 4, "epochs": 4}},
)
