"""T0: a follower cuts its log to its own high watermark (V3 C; ZH). It asks no leader.

Records above it may be committed: the follower only learns that with its next fetch. If it is elected
before that fetch, they are gone (Q3).
"""

from ..state import Kafka
from ..vocabulary import Broker, Partition
from .exchange import cut_to_high_watermark, fetch_from_end


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Cut to the high watermark, then fetch."""
    me = s.replica[partition][follower]
    cut_to_high_watermark(s, me)
    fetch_from_end(me)
