"""Kafka's replication under KRaft as Jack Vanlightly specified it in TLA+: the specifications v3.5 and kip-966.

An oracle for what is modelled of KRaft: distinct states, generated states and depths are known from TLC, and every engine must
reach them. There is one partition. The controller is one log of changes, and never fails. Brokers and controller exchange
messages, which may arrive late and in any order, but each only once. Every action of the originals is here, in their grain.

Read `state`, then `controller` (the log of changes, fencing, elections, reassignment), `life` (brokers stop, start, register),
`metadata` (brokers read the log), `alter_partition`, `fetching`, and what these share, `replica` and `messages`.

What the originals leave out is a setting that is off: preferred and unclean elections, several records in a response.
docs/published.md says what they get wrong against Kafka.
"""

from .next import PUBLISHED_KRAFT

__all__ = ["PUBLISHED_KRAFT"]
