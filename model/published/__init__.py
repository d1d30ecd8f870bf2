"""The published abstraction: Kafka replication as its maintainers specified it in TLA+.

Not the full protocol (that is the package above) but the oracle of the engines: its distinct states,
depths and first violations are known exactly from TLC. It has no ZooKeeper, crashes, messages or
unclean elections; requests stay for ever and may be obeyed by anyone, at any time, or never; a fetch is
one step of two parties.

Read `state`, then `replication` (the actions all revisions share, and those of the first three), then
one file per later revision: `truncation` (what the first three differ in), `kip_320_first_try`,
`kip_320`. `next` lists the actions of each revision on one page.

Known to be odd in the original, and kept: the quorum's ISR can become empty; requests without a leader
are never obeyed; KIP-279 and KIP-320 compare whole logs, where Kafka exchanges epochs and offsets.
"""

from .next import PUBLISHED

__all__ = ["PUBLISHED"]
