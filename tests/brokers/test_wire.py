"""The requests of a controller, byte for byte as Kafka's own classes write them.

`frames.json` was written by the message classes of kafka-clients 3.9.1, which know every version; the key is the
message and the version.
"""

import json
import socket
from pathlib import Path

import pytest

pytest.importorskip("kafka")

from highwater.traces.brokers import requests
from highwater.traces.brokers.releases import RELEASES
from highwater.traces.brokers.wire import (
    WireError,
    decode,
    encode,
    framed,
    read_frame,
    request_body,
    request_frame,
    response_body,
)

FRAMES = {key: bytes.fromhex(data) for key, data in json.loads((Path(__file__).parent / "frames.json").read_text()).items()}

STATE = {
    "topic": "t", "partition": 0, "controller_epoch": 7, "leader": 1, "leader_epoch": 2, "isr": [1, 2], "zk_version": 3,
    "replicas": [0, 1, 2], "adding_replicas": [], "removing_replicas": [], "offline_replicas": [], "is_new": True,
}  # fmt: skip
HEAD = {"controller_id": 1007, "controller_epoch": 7, "broker_epoch": 44}
STOPPED = {"topic": "t", "partition": 0, "leader_epoch": -2, "delete_partition": True}
PARTITIONS = {"partitions": [STATE], "topics": [{"topic": "t", "partitions": [STATE]}]}
ENDPOINT = {"port": 9092, "host": "127.0.0.1", "listener": "PLAINTEXT", "security_protocol": 0}
VALUES = {
    "LeaderAndIsr": {**HEAD, **PARTITIONS, "live_leaders": [{"id": 1, "host": "127.0.0.1", "port": 9092}]},
    "UpdateMetadata": {**HEAD, **PARTITIONS, "live_brokers": [{"id": 1, "endpoints": [ENDPOINT], "rack": None}]},
    "StopReplica": {
        **HEAD, "delete_partitions": True, "partitions": [STOPPED],
        "topics": [{"topic": "t", "partition_numbers": [0], "partitions": [STOPPED]}],
    },
    "Fetch": {
        "replica_id": 2, "max_wait": 10, "min_bytes": 1, "max_bytes": 1, "isolation_level": 0, "session_id": 5,
        "session_epoch": 1, "topics": [{"topic": "t", "partitions": [
            {"partition": 0, "leader_epoch": 2, "fetch_offset": 4, "log_start_offset": 0, "max_bytes": 1}]}],
        "forgotten": [], "rack": "",
    },
    "EpochRequest": {
        "replica_id": 2,
        "topics": [{"topic": "t", "partitions": [{"partition": 0, "current_leader_epoch": 2, "leader_epoch": 1}]}],
    },
}  # fmt: skip
REQUESTS = [key for key in FRAMES if key.split()[0] in VALUES]
ANSWERS = [key for key in FRAMES if "Answer" in key and not key.startswith("Fetch")]


def message_of(key):
    name, version = key.split()
    return getattr(requests, name), int(version)


@pytest.mark.parametrize("key", REQUESTS)
def test_requests_are_kafkas_bytes_and_are_read_back(key):
    message, version = message_of(key)
    values = VALUES[key.split()[0]]
    assert encode(message, version, values) == FRAMES[key]
    assert encode(message, version, {**values, **decode(message, version, FRAMES[key])}) == FRAMES[key]


@pytest.mark.parametrize("key", ANSWERS)
def test_answers_are_read(key):
    message, version = message_of(key)
    values = decode(message, version, FRAMES[key])
    if "partitions" in values:
        assert values == {"error": 0, "partitions": [{"topic": "t", "partition": 0, "error": 3}]}
    else:
        assert values == {"error": 11}


@pytest.mark.parametrize("version", [3, 4])
def test_an_answer_to_a_consumer_is_read(version):
    values = decode(requests.FetchAnswer, version, FRAMES[f"FetchAnswer {version}"])
    (told,) = values["topics"][0]["partitions"]
    assert (told["error"], told["high_watermark"], told["records"]) == (6, 3, b"records")


def test_every_version_that_a_release_speaks_is_tested():
    for release in RELEASES:
        for name, version in zip(("LeaderAndIsr", "UpdateMetadata", "StopReplica"), release.versions, strict=False):
            assert f"{name} {version}" in FRAMES, release.name


@pytest.mark.parametrize(("version", "header"), [(0, "RequestHeader 1"), (4, "RequestHeader 2")])
def test_headers(version, header):
    frame = request_frame(requests.LeaderAndIsr, version, 9, "highwater", VALUES["LeaderAndIsr"])
    expected = FRAMES[header] + FRAMES[f"LeaderAndIsr {version}"]
    assert frame == framed(expected)
    assert request_body(requests.LeaderAndIsr, version, frame[4:]) == FRAMES[f"LeaderAndIsr {version}"]


def test_a_response_is_taken_apart():
    assert response_body(requests.LeaderAndIsr, 1, b"\x00\x00\x00\x09rest") == (9, b"rest")
    assert response_body(requests.LeaderAndIsr, 4, b"\x00\x00\x00\x09\x00rest") == (9, b"rest")


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_bytes_that_end_too_soon_are_named(cut):
    with pytest.raises(WireError, match="ends before"):
        decode(requests.LeaderAndIsr, 4, FRAMES["LeaderAndIsr 4"][:cut])


def test_bytes_that_are_left_are_named():
    with pytest.raises(WireError, match="3 bytes remain"):
        decode(requests.StopReplicaAnswer, 0, FRAMES["StopReplicaAnswer 0"] + b"abc")


def test_frames_over_a_connection():
    one, other = socket.socketpair()
    with one, other:
        one.sendall(framed(b"first") + framed(b"") + b"\x00\x00\x00\x09cut")
        one.close()
        assert [read_frame(other), read_frame(other), read_frame(other)] == [b"first", b"", None]


def test_a_frame_of_absurd_length_is_refused():
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"\x7f\xff\xff\xff")
        with pytest.raises(WireError, match="2147483647 bytes"):
            read_frame(other)
