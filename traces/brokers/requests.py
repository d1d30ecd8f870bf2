"""The requests that a controller sends, and the few others that a run needs: their fields by version.

Field names are those of Kafka's protocol guide, in lower case.
"""

from .wire import Message, fields, topics

PRODUCE, FETCH, LIST_OFFSETS, LEADER_AND_ISR, STOP_REPLICA, UPDATE_METADATA, OFFSET_FOR_LEADER_EPOCH = 0, 1, 2, 4, 5, 6, 23

PARTITION_STATE = (
    "partition int32, controller_epoch int32, leader int32, leader_epoch int32, isr [int32], zk_version int32, replicas [int32]"
)
LEADER_STATE = f"{PARTITION_STATE}, adding_replicas [int32] 3+, removing_replicas [int32] 3+, is_new bool 1+"
LeaderAndIsr = Message(
    LEADER_AND_ISR,
    fields(
        "controller_id int32, controller_epoch int32, broker_epoch int64 2+, partitions [Partition] 0-1, topics [Topic] 2+,"
        "live_leaders [Leader]",
        Partition=fields(f"topic string, {LEADER_STATE}"),
        Topic=topics(LEADER_STATE),
        Leader=fields("id int32, host string, port int32"),
    ),
    flexible=4,
)
ERRORS = fields("error int16, partitions [Partition]", Partition=fields("topic string, partition int32, error int16"))
LeaderAndIsrAnswer = Message(LEADER_AND_ISR, ERRORS, flexible=4)

METADATA_STATE = f"{PARTITION_STATE}, offline_replicas [int32] 4+"
ENDPOINT = fields("port int32, host string, listener string 3+, security_protocol int16")
UpdateMetadata = Message(
    UPDATE_METADATA,
    fields(
        "controller_id int32, controller_epoch int32, broker_epoch int64 5+, partitions [Partition] 0-4, topics [Topic] 5+,"
        "live_brokers [Broker]",
        Partition=fields(f"topic string, {METADATA_STATE}"),
        Topic=topics(METADATA_STATE),
        Broker=fields("id int32, endpoints [Endpoint], rack string 2+", Endpoint=ENDPOINT),
    ),
    flexible=6,
)
UpdateMetadataAnswer = Message(UPDATE_METADATA, fields("error int16"), flexible=6)

StopReplica = Message(
    STOP_REPLICA,
    fields(
        "controller_id int32, controller_epoch int32, broker_epoch int64 1+, delete_partitions bool 0-2,"
        "partitions [Partition] 0-0, topics [Numbers] 1-2, topics [Topic] 3+",
        Partition=fields("topic string, partition int32"),
        Numbers=fields("topic string, partition_numbers [int32]"),
        Topic=topics("partition int32, leader_epoch int32, delete_partition bool"),
    ),
    flexible=2,
)
StopReplicaAnswer = Message(STOP_REPLICA, ERRORS, flexible=2)

Produce = Message(
    PRODUCE,
    fields(
        "transactional_id string 3+, acks int16, timeout int32, topics [Topic]", Topic=topics("partition int32, records bytes")
    ),
)
PRODUCED = topics("partition int32, error int16, base_offset int64, append_time int64 2+")
ProduceAnswer = Message(PRODUCE, fields("topics [Topic], throttle int32 1+", Topic=PRODUCED))

# What a follower asks, to compare with what the model's asks: the versions that replicas use without KIP-482.
Fetch = Message(
    FETCH,
    fields(
        "replica_id int32, max_wait int32, min_bytes int32, max_bytes int32 3+, isolation_level int8 4+, session_id int32 7+,"
        "session_epoch int32 7+, topics [Topic], forgotten [Forgotten] 7+, rack string 11+",
        Topic=topics("partition int32, leader_epoch int32 9+, fetch_offset int64, log_start_offset int64 5+, max_bytes int32"),
        Forgotten=fields("topic string, partitions [int32]"),
    ),
    flexible=12,
)
READ = fields(
    "partition int32, error int16, high_watermark int64, last_stable_offset int64 4+, aborted [Aborted] 4+, records bytes",
    Aborted=fields("producer_id int64, first_offset int64"),
)
FetchAnswer = Message(
    FETCH, fields("throttle int32 1+, topics [Topic]", Topic=fields("topic string, partitions [Partition]", Partition=READ))
)
"""To a consumer that speaks version 4 at most."""

EpochRequest = Message(
    OFFSET_FOR_LEADER_EPOCH,
    fields(
        "replica_id int32 3+, topics [Topic]", Topic=topics("partition int32, current_leader_epoch int32 2+, leader_epoch int32")
    ),
    flexible=4,
)
