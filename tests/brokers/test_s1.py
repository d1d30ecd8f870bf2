"""KAFKA-6361 on Kafka itself, in every run of the tests where 1.0.2 can be had; the other releases: `pytest -m brokers`."""

import pytest

pytest.importorskip("kafka")

from highwater.traces.brokers import artifacts
from support.brokers import GOLDEN, logs, performed


def test_logs_of_1_0_differ_silently(monkeypatch):
    """No offset is missing, no broker is told, and the two segments differ for good."""
    monkeypatch.setattr(artifacts, "FETCH_SECONDS", 120)
    (done,) = performed("1.0.2", GOLDEN / "s1_silent_divergence.kip-101.trace")
    assert (done.ran, done.differences, done.refused) == (18, [], "")
    assert logs(done) == ["0a 0a 1c 1c 2d 2d", "0a 0a 0b 0b 2d 2d"]
