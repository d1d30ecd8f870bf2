"""What a leader hands to a consumer, beside what the model's leader would."""

from types import SimpleNamespace

import pytest

pytest.importorskip("kafka")

from highwater.traces.brokers.compare import READS, Comparison
from highwater.traces.brokers.disk import build_batch
from highwater.traces.brokers.releases import release_named
from support.play import play

WRITTEN = """
    produce
    fetch follower=1
    fetch follower=1
    produce
"""


def batch(base, number, epoch):
    """A batch as a leader of that epoch has it."""
    data = bytearray(build_batch(number, 1, 2))
    data[:8], data[12:16] = base.to_bytes(8, "big"), epoch.to_bytes(4, "big")
    return bytes(data)


def differences(records, high_watermark, error=0):
    """What differs when broker 0 answers so: the model's leader has two records, of which the first is committed."""
    state = play("kip-320", WRITTEN, brokers=2, max_records=2, log_size=2)
    told = {"partition": 0, "error": error, "high_watermark": high_watermark, "records": records}
    cluster = SimpleNamespace(release=release_named("3.9"), send=lambda *_: {"topics": [{"topic": "t", "partitions": [told]}]})
    comparison = Comparison(SimpleNamespace(cluster=cluster, name="t"), state, {}, set())
    comparison.consumer("broker 0", 0, 0, state.replica[0][0])
    return [(d.fact, d.model, d.broker) for d in comparison.found]


def test_a_consumer_that_reads_what_is_committed():
    assert differences(batch(0, 1, 0), 1) == []


@pytest.mark.parametrize(
    ("records", "high_watermark", "error", "seen"),
    [
        (batch(0, 1, 0) + batch(1, 2, 0), 2, 0, "0a 0b below 2"),
        (batch(0, 1, 0) + batch(1, 2, 0), 1, 0, "0a 0b below 1"),
        (batch(0, 1, 1), 1, 0, "1a below 1"),
        (b"", 0, 0, "nothing below 0"),
        (b"", 1, 6, "error 6"),
    ],
)
def test_what_else_it_reads_is_a_difference(records, high_watermark, error, seen):
    assert differences(records, high_watermark, error) == [(READS, "0a below 1", seen)]
