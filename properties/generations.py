"""A topic that is deleted and created again under the same name (Q14)."""

from ..model.state import Kafka
from ..model.vocabulary import Broker, Offset, Partition


def recreated_topics_begin_empty(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """A replica that has obeyed a command about a recreated topic holds no record from before.

    V3 discussion 5 claims this without a generation number for the topic, because new replicas go only to live brokers and a
    starting broker deletes what is not assigned to it (Q14, E2). Anyone who deletes a topic relies on it: the returning records
    may be another owner's data. A record of an earlier generation is one that was written before the topic was created again.

    Golden trace: q14_deleted_records_come_back.v3.
    """
    return not has_obeyed(s, partition, broker) or not holds_earlier_record(s, partition, broker, offset)


def deleted_records_are_gone(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """Once a topic is created again, no running broker holds a record from before, zombies included (Q14).

    The strict reading. It is violated between the deletion and the last StopReplica, unless the name stays reserved until then.
    """
    return not s.broker[broker].up or not holds_earlier_record(s, partition, broker, offset)


def has_obeyed(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The broker runs, and its replica takes part in the topic's present generation."""
    return s.broker[broker].up and (s.generation[partition].obeyed >> broker) & 1 == 1


def holds_earlier_record(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """The replica's record at the offset was written before the topic was created again."""
    me = s.replica[partition][broker]
    if not s.generation[partition].again or offset >= me.leo or offset < me.log_start:
        return False
    return me.log[offset].record <= s.generation[partition].born


def creates_topic_again(s: Kafka, partition: Partition) -> int:
    """A deleted topic exists again, and one of its new records is committed."""
    past = s.generation[partition]
    return past.again and s.history[partition].record[0] > past.born
