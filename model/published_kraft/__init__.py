"""Kafka's replication under KRaft as Jack Vanlightly specified it in TLA+: the specifications v3.5 and kip-966.

The oracle of what is modelled under KRaft: distinct states, generated states and depths are known from TLC, and every engine must
reach them. One partition; the controller is one log of changes that never fails; brokers and controller exchange messages, which may
arrive late and in any order, though each once. Every action of the originals is here, in their grain.

Read `state`, then `controller` (the log of changes, fencing, elections, reassignment), `life` (brokers stop, start and register),
`metadata` (brokers read the log), `alter_partition`, `fetching` and, for both, `replica` and `messages`; `next` has all on one page.

What the originals leave out is a setting that is off: preferred and unclean elections, several records in a response. What they get
wrong against Kafka stands in docs/published.md.
"""

from .next import PUBLISHED_KRAFT

__all__ = ["PUBLISHED_KRAFT"]
