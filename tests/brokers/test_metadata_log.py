"""The metadata log and the codec from schemas: bytes that Kafka 4.4.0 wrote are read, and written as Kafka wrote them."""

import json
import struct
import uuid
import zipfile

import pytest

pytest.importorskip("kafka")

from highwater.model.language.errors import UsageError
from highwater.traces.brokers.metadata_log import LogFile, batch_of, partition_in, records_in
from highwater.traces.brokers.schemas import schemas_in, span
from highwater.traces.brokers.wire import Reader, decode, encode

NOW = 1_500_000_000_000
TOPIC = uuid.UUID("8ef6ab8c-2350-4647-94c4-441473540e08")
DIRECTORIES = [
    uuid.UUID(text)
    for text in (
        "ccaf2ba2-6c01-4ac5-9e3b-7cc2cccf4197", "a93a9532-c252-44c5-8d16-53034829ad7a", "6c72769b-3de5-4f7a-b141-f10d55670b7f",
    )
]  # fmt: skip
WRITTEN_BY_KAFKA = {
    ("TopicRecord", "Name", "t1"): "0102000374318ef6ab8c2350464794c4441473540e0800",
    ("PartitionRecord", "Isr", (1, 0, 2)): "010302000000008ef6ab8c2350464794c4441473540e080400000001000000000000000204000000"
    "010000000000000002010100000001000000000000000004ccaf2ba26c014ac59e3b7cc2cccf4197a93a9532c25244c58d1653034829ad7a6c72769b"
    "3de54f7ab141f10d55670b7f00",
    ("PartitionChangeRecord", "Leader", 0): "010502000000008ef6ab8c2350464794c4441473540e0801010400000000",
    ("PartitionChangeRecord", "Isr", (1, 2)): "010502000000008ef6ab8c2350464794c4441473540e0802000903000000010000000201"
    "0400000001",
}  # fmt: skip


def of(name, kind, **more):
    return {"name": name, "type": kind, "versions": "0+", **more}


def tagged(name, kind, tag, default="null"):
    return of(name, kind, default=default, taggedVersions="0+", tag=tag)


RECORDS = [
    ("TopicRecord", 2, [of("Name", "string"), of("TopicId", "uuid")]),
    ("PartitionRecord", 3, [
        of("PartitionId", "int32", default="-1"), of("TopicId", "uuid"), of("Replicas", "[]int32"), of("Isr", "[]int32"),
        of("RemovingReplicas", "[]int32"), of("AddingReplicas", "[]int32"), of("Leader", "int32", default="-1"),
        of("LeaderEpoch", "int32", default="-1"), of("PartitionEpoch", "int32", default="-1"),
        {"name": "Directories", "type": "[]uuid", "versions": "1+"},
    ]),
    ("PartitionChangeRecord", 5, [
        of("PartitionId", "int32", default="-1"), of("TopicId", "uuid"), tagged("Isr", "[]int32", 0),
        tagged("Leader", "int32", 1, "-2"), tagged("Replicas", "[]int32", 2),
    ]),
]  # fmt: skip
"""The fields of the records that the tests speak of, in the form of the files in Kafka's jar."""


@pytest.fixture
def schemas(tmp_path):
    with zipfile.ZipFile(tmp_path / "kafka-metadata-0.jar", "w") as jar:
        for name, key, fields in RECORDS:
            head = {"apiKey": key, "type": "metadata", "name": name, "validVersions": "0-2", "flexibleVersions": "0+"}
            spec = {**head, "fields": fields}
            jar.writestr(f"common/metadata/{name}.json", f"// A comment.\n{json.dumps(spec)}")
    return schemas_in(tmp_path)


@pytest.mark.parametrize("told", WRITTEN_BY_KAFKA)
def test_what_kafka_wrote_is_read_and_written_again(schemas, told):
    name, field, value = told
    data = bytes.fromhex(WRITTEN_BY_KAFKA[told])
    reader = Reader(data, 0, True)
    assert [reader.varint() for _ in range(2)] == [1, schemas.records[name].message.key]
    body = data[3:]
    values = decode(schemas.records[name].message, data[2], body)
    assert (tuple(values[field]) if isinstance(value, tuple) else values[field]) == value
    assert values["TopicId"] == TOPIC
    given = {k: v for k, v in values.items() if v is not None}
    assert encode(schemas.records[name].message, data[2], given) == body


CHANGES = [
    ("TopicRecord", 0, {"Name": "t", "TopicId": TOPIC}),
    ("PartitionRecord", 1, {"PartitionId": 0, "TopicId": TOPIC, "Replicas": [1, 0, 2], "Isr": [1, 0, 2], "Leader": 1,
                            "LeaderEpoch": 0, "PartitionEpoch": 0, "Directories": DIRECTORIES}),
    ("PartitionChangeRecord", 0, {"PartitionId": 0, "TopicId": TOPIC, "Replicas": [0, 1, 2]}),
    ("PartitionChangeRecord", 0, {"PartitionId": 0, "TopicId": TOPIC, "Leader": 0}),
    ("PartitionChangeRecord", 0, {"PartitionId": 0, "TopicId": TOPIC, "Leader": 1, "Isr": [1, 2]}),
]  # fmt: skip


def test_a_partition_as_the_log_has_it(schemas):
    log = list(records_in(schemas, batch_of(schemas, CHANGES[:3], 7, 1, NOW) + batch_of(schemas, CHANGES[3:], 10, 1, NOW)))
    assert [w.offset for w in log] == [7, 8, 9, 10, 11]
    states = [(p.leader, p.leader_epoch, p.isr, p.replicas) for p in partition_in(log, "t")]
    assert states == [
        (1, 0, (1, 0, 2), (1, 0, 2)), (1, 0, (1, 0, 2), (0, 1, 2)), (0, 1, (1, 0, 2), (0, 1, 2)), (1, 2, (1, 2), (0, 1, 2)),
    ]  # fmt: skip
    assert partition_in(log, "another") == [] == partition_in(log, "t", 1)


def test_all_records_of_a_batch_have_one_time_stamp(schemas):
    data = batch_of(schemas, CHANGES, 0, 1, NOW)
    first, last = struct.unpack_from(">qq", data, 27)
    assert first == last > 0


def test_a_log_is_read_on_and_a_batch_that_is_half_written_waits(schemas, tmp_path):
    log = LogFile(schemas, tmp_path)
    assert log.read() == []
    one, two = batch_of(schemas, CHANGES[:2], 0, 1, NOW), batch_of(schemas, CHANGES[2:], 2, 1, NOW)
    log.file.parent.mkdir()
    log.file.write_bytes(one + two[:-5])
    assert [w.offset for w in log.read()] == [0, 1]
    log.file.write_bytes(one + two)
    assert [w.offset for w in log.read()] == [0, 1, 2, 3, 4]


def test_a_folder_without_schemas_is_named(tmp_path):
    with pytest.raises(UsageError, match="no schemas of metadata records"):
        schemas_in(tmp_path)


@pytest.mark.parametrize(("text", "expected"), [("3+", (3, 99)), ("1-4", (1, 4)), ("2", (2, 2)), ("none", (100, 99))])
def test_versions(text, expected):
    assert span(text) == expected
