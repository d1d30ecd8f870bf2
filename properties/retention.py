"""What retention may delete (T8)."""

from ..model.state import Kafka
from ..model.vocabulary import NO_RECORD, Broker, Offset, Partition


def deleted_records_were_committed(s: Kafka, t: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """A log's start moves past an offset only if a record was committed there.

    What is below a log's start is asked of no one again: a record that was deleted before it was committed is lost, whoever
    waits for it (KAFKA-5634, up to 0.11.0.0). After an unclean election the records that were committed before are not counted.

    Golden trace: uncommitted_deleted.kip-101.
    """
    me = s.replica[partition][broker]
    after = t.replica[partition][broker].log_start
    if offset < me.log_start or offset >= after or s.history[partition].unclean_epoch >= 0:
        return True
    return s.history[partition].record[offset] != NO_RECORD
