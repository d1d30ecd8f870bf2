"""The requests that a controller sends, and the few others that a run needs: their fields by version.

Field names are those of Kafka's protocol guide, in lower case.
"""

from .wire import Message, one, several

PRODUCE, FETCH, LIST_OFFSETS, LEADER_AND_ISR, STOP_REPLICA, UPDATE_METADATA, OFFSET_FOR_LEADER_EPOCH = 0, 1, 2, 4, 5, 6, 23

PARTITION_STATE = (
    one("controller_epoch", "int32"),
    one("leader", "int32"),
    one("leader_epoch", "int32"),
    several("isr", "int32"),
    one("zk_version", "int32"),
    several("replicas", "int32"),
)
ADDRESS = (one("id", "int32"), one("host", "string"), one("port", "int32"))

LEADER_STATE = (
    one("partition", "int32"),
    *PARTITION_STATE,
    several("adding_replicas", "int32", 3),
    several("removing_replicas", "int32", 3),
    one("is_new", "bool", 1),
)
LeaderAndIsr = Message(
    LEADER_AND_ISR,
    (
        one("controller_id", "int32"),
        one("controller_epoch", "int32"),
        one("broker_epoch", "int64", 2),
        several("partitions", (one("topic", "string"), *LEADER_STATE), 0, 1),
        several("topics", (one("topic", "string"), several("partitions", LEADER_STATE)), 2),
        several("live_leaders", ADDRESS),
    ),
    flexible=4,
)
LeaderAndIsrAnswer = Message(
    LEADER_AND_ISR,
    (
        one("error", "int16"),
        several("partitions", (one("topic", "string"), one("partition", "int32"), one("error", "int16"))),
    ),
    flexible=4,
)

METADATA_STATE = (one("partition", "int32"), *PARTITION_STATE, several("offline_replicas", "int32", 4))
ENDPOINT = (
    one("port", "int32"),
    one("host", "string"),
    one("listener", "string", 3),
    one("security_protocol", "int16"),
)
UpdateMetadata = Message(
    UPDATE_METADATA,
    (
        one("controller_id", "int32"),
        one("controller_epoch", "int32"),
        one("broker_epoch", "int64", 5),
        several("partitions", (one("topic", "string"), *METADATA_STATE), 0, 4),
        several("topics", (one("topic", "string"), several("partitions", METADATA_STATE)), 5),
        several("live_brokers", (one("id", "int32"), several("endpoints", ENDPOINT), one("rack", "nullable string", 2))),
    ),
    flexible=6,
)
UpdateMetadataAnswer = Message(UPDATE_METADATA, (one("error", "int16"),), flexible=6)

STOPPED = (one("partition", "int32"), one("leader_epoch", "int32"), one("delete_partition", "bool"))
StopReplica = Message(
    STOP_REPLICA,
    (
        one("controller_id", "int32"),
        one("controller_epoch", "int32"),
        one("broker_epoch", "int64", 1),
        one("delete_partitions", "bool", 0, 2),
        several("partitions", (one("topic", "string"), one("partition", "int32")), 0, 0),
        several("topics", (one("topic", "string"), several("partition_numbers", "int32")), 1, 2),
        several("topics", (one("topic", "string"), several("partitions", STOPPED)), 3),
    ),
    flexible=2,
)
StopReplicaAnswer = Message(
    STOP_REPLICA,
    (
        one("error", "int16"),
        several("partitions", (one("topic", "string"), one("partition", "int32"), one("error", "int16"))),
    ),
    flexible=2,
)

Produce = Message(
    PRODUCE,
    (
        one("transactional_id", "nullable string", 3),
        one("acks", "int16"),
        one("timeout", "int32"),
        several("topics", (one("topic", "string"), several("partitions", (one("partition", "int32"), one("records", "bytes"))))),
    ),
)
PRODUCED = (one("partition", "int32"), one("error", "int16"), one("base_offset", "int64"), one("append_time", "int64", 2))
ProduceAnswer = Message(
    PRODUCE,
    (
        several("topics", (one("topic", "string"), several("partitions", PRODUCED))),
        one("throttle", "int32", 1),
    ),
)

# Answers that the gate reads, to say in words what a broker refused: the versions that replicas use without KIP-482.
EPOCH_END = (one("error", "int16"), one("partition", "int32"), one("leader_epoch", "int32", 1), one("end_offset", "int64"))
EpochAnswer = Message(
    OFFSET_FOR_LEADER_EPOCH,
    (
        one("throttle", "int32", 2),
        several("topics", (one("topic", "string"), several("partitions", EPOCH_END))),
    ),
)

# What a follower asks, to compare with what the model's asks: the versions that replicas use without KIP-482.
FETCHED = (
    one("partition", "int32"),
    one("leader_epoch", "int32", 9),
    one("fetch_offset", "int64"),
    one("log_start_offset", "int64", 5),
    one("max_bytes", "int32"),
)
Fetch = Message(
    FETCH,
    (
        one("replica_id", "int32"),
        one("max_wait", "int32"),
        one("min_bytes", "int32"),
        one("max_bytes", "int32", 3),
        one("isolation_level", "int8", 4),
        one("session_id", "int32", 7),
        one("session_epoch", "int32", 7),
        several("topics", (one("topic", "string"), several("partitions", FETCHED))),
        several("forgotten", (one("topic", "string"), several("partitions", "int32")), 7),
        one("rack", "string", 11),
    ),
    flexible=12,
)
READ = (
    one("partition", "int32"),
    one("error", "int16"),
    one("high_watermark", "int64"),
    one("last_stable_offset", "int64", 4),
    several("aborted", (one("producer_id", "int64"), one("first_offset", "int64")), 4),
    one("records", "bytes"),
)
FetchAnswer = Message(
    FETCH,
    (
        one("throttle", "int32", 1),
        several("topics", (one("topic", "string"), several("partitions", READ))),
    ),
)
"""To a consumer that speaks version 4 at most."""

EPOCH_ASKED = (one("partition", "int32"), one("current_leader_epoch", "int32", 2), one("leader_epoch", "int32"))
EpochRequest = Message(
    OFFSET_FOR_LEADER_EPOCH,
    (
        one("replica_id", "int32", 3),
        several("topics", (one("topic", "string"), several("partitions", EPOCH_ASKED))),
    ),
    flexible=4,
)
