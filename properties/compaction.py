"""What compaction promises to a reader (M9)."""

from ..model.broker.compaction import same_key
from ..model.fetching import leads
from ..model.state import Kafka
from ..model.vocabulary import NO_RECORD, Broker, Offset, Partition
from .committed_records import exists, holds


def last_values_are_kept(s: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """No leader has compacted away the last committed record of a key.

    A reader of a compacted topic from its start counts on the last value of every key. A record that is not committed is no
    later value: no one can read it yet, and it may be cut. Kafka compacted for its sake until 3.1 (KAFKA-13194).

    Golden trace: m9_uncommitted_value.kip-320.
    """
    me = s.replica[partition][leader]
    past = s.history[partition]
    if not exists(s, partition) or not leads(s, partition, leader) or past.record[offset] == NO_RECORD:
        return True
    if past.commit_epoch[offset] > me.leader_epoch or has_later_commit(s, partition, offset):
        return True
    return not holds(me, offset, past.record[offset]) or not me.log[offset].hole


def has_later_commit(s: Kafka, partition: Partition, offset: Offset) -> bool:
    """A later committed record has the key of the one that was committed at the offset."""
    past = s.history[partition]
    for later in range(s.config.log_size):
        if later > offset and past.record[later] != NO_RECORD and same_key(s, past.record[later], past.record[offset]):
            return True
    return False
