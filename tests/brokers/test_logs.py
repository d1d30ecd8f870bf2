"""Lines of brokers' logs, as the releases write them, and the events that they are."""

import pytest

pytest.importorskip("kafka")

from highwater.traces.brokers.logs import CUTS, FOLLOWS, ISR, LEADS, REGISTERS, STARTS, event_in, read_log

STAMP = "2026-11-21 23:58:21,116"

LINES = {
    # 0.10
    "Truncating log t-0 to offset 3. (kafka.log.Log)": (CUTS, -1, 3, -1, set()),
    "[Kafka Server 1], started (kafka.server.KafkaServer)": (STARTS, -1, -1, -1, set()),
    "Partition [t,0] on broker 1: Shrinking ISR for partition [t,0] from 0,1 to 0 (kafka)": (ISR, -1, -1, -1, {0}),
    "Partition [t,0] on broker 1: Expanding ISR for partition t-0 from 0 to 0,1 (kafka)": (ISR, -1, -1, -1, {0, 1}),
    "[ReplicaFetcherManager on broker 1] Added fetcher for partitions"
    " List([t-0, initOffset 2 to broker BrokerEndPoint(0,127.0.0.1,9)] )": (FOLLOWS, -1, 2, 0, set()),
    "Partition [t,0] on broker 1: Shrinking ISR from 0,1 to 0 (kafka.cluster.Partition)": (ISR, -1, -1, -1, {0}),
    # 1.0 to 2.3
    "[KafkaServer id=1] started (kafka.server.KafkaServer)": (STARTS, -1, -1, -1, set()),
    "[Partition t-0 broker=1] t-0 starts at Leader Epoch 2 from offset 4. Previous Leader Epoch was: 0": (LEADS, 2, 4, -1, set()),
    "[Log partition=t-0, dir=/tmp/x/data] Truncating to offset 4 (kafka.log.Log)": (CUTS, -1, 4, -1, set()),
    "[Partition t-0 broker=1] Shrinking ISR from 0,1 to 1 (kafka.cluster.Partition)": (ISR, -1, -1, -1, {1}),
    "[ReplicaFetcherManager on broker 1] Added fetcher to broker BrokerEndPoint(id=0, host=127.0.0.1:9) for partitions"
    " Map(t-0 -> (offset=2, leaderEpoch=1))": (FOLLOWS, -1, 2, 0, set()),
    # 2.8 and 3.9
    "[Broker id=1] Leader t-0 starts at leader epoch 1 from offset 0 with high watermark 0 ISR [0,1] (state.change.logger)":
        (LEADS, 1, 0, -1, {0, 1}),
    "[Broker id=1] Leader t-0 with topic id None starts at leader epoch 1 from offset 5 with partition epoch 1 (state)":
        (LEADS, 1, 5, -1, set()),
    "[ReplicaFetcherManager on broker 1] Added fetcher to broker 0 for partitions Map(t-0 ->"
    " InitialFetchState(None,BrokerEndPoint(id=0, host=127.0.0.1:9),1,6))": (FOLLOWS, -1, 6, 0, set()),
    "[UnifiedLog partition=t-0, dir=/tmp/x/data] Truncating to offset 4 (kafka.log.UnifiedLog)": (CUTS, -1, 4, -1, set()),
    "[Partition t-0 broker=1] Shrinking ISR from 1,2 to 1. Leader: (highWatermark: 1, endOffset: 2)": (ISR, -1, -1, -1, {1}),
}  # fmt: skip

OTHERS = [
    "[Broker id=1] Follower t-0 starts at leader epoch 0 from offset 0 with high watermark 0.",
    "[Log partition=t-0, dir=/tmp/x/data] Truncating to 0 has no effect as the largest offset in the log is -1",
    "[Partition t-1 broker=1] t-1 starts at Leader Epoch 2 from offset 4.",
    "[Partition other-t-0 broker=1] other-t-0 starts at Leader Epoch 2 from offset 4.",
    "[Log partition=t-01, dir=/tmp/x/data] Truncating to offset 4 (kafka.log.Log)",
    "[ReplicaFetcherManager on broker 1] Removed fetcher for partitions t-0",
]


@pytest.mark.parametrize("line", LINES)
def test_lines_that_tell_something(line):
    event = event_in(STAMP, line, 1, "t", 0)
    assert (event.kind, event.epoch, event.offset, event.leader, set(event.isr)) == LINES[line]
    assert str(event).startswith("broker 1 ")


def told(tmp_path, *texts):
    file = tmp_path / "server.log"
    file.write_text("".join(f"[{STAMP}] INFO {text}\n" for text in texts))
    return [event.kind for event in read_log(file, 1, "t", 0)]


STARTING = "starting (kafka.server.KafkaServer)"
REGISTERED = "Registered broker 1 at path /brokers/ids/1 with addresses: PLAINTEXT"


def test_a_broker_registers_when_it_starts_and_once_more_in_a_new_session(tmp_path):
    started = "[KafkaServer id=1] started (kafka.server.KafkaServer)"
    assert told(tmp_path, STARTING, REGISTERED, started, REGISTERED) == [STARTS, REGISTERS]
    assert told(tmp_path, STARTING, REGISTERED, STARTING, REGISTERED, started) == [STARTS]


@pytest.mark.parametrize("line", ["[Partition t-0 broker=1] Cached zkVersion", "Partition [t,0] on broker 1: Cached zkVersion"])
def test_a_change_of_the_isr_that_is_refused_is_none(tmp_path, line):
    """A zombie says that it drops a follower, and then that the node has changed since."""
    shrinks = "[Partition t-0 broker=1] Shrinking ISR from 0,1 to 1 (kafka.cluster.Partition)"
    refused = f"{line} [1] not equal to that in zookeeper, skip updating ISR (kafka.cluster.Partition)"
    assert told(tmp_path, shrinks, REGISTERED, shrinks, refused) == [ISR, REGISTERS]


def test_from_2_7_on_a_change_of_the_isr_is_told_once_it_is_written(tmp_path):
    """Which it is not said before when a follower is taken back."""
    shrinks = "[Partition t-0 broker=1] Shrinking ISR from 0,1 to 1. Leader: (highWatermark: 0, endOffset: 1)"
    written = ["[Partition t-0 broker=1] ISR updated to 1 and version updated to [1]",
               "[Partition t-0 broker=1] ISR updated to 0,1  and version updated to 2"]  # fmt: skip
    assert told(tmp_path, shrinks, *written, shrinks) == [ISR, ISR]


@pytest.mark.parametrize("line", OTHERS)
def test_lines_of_other_partitions_and_of_nothing(line):
    assert event_in(STAMP, line, 1, "t", 0) is None


def test_a_log_with_stack_traces_in_it(tmp_path):
    file = tmp_path / "server.log"
    text = "[KafkaServer id=1] started (kafka.server.KafkaServer)"
    file.write_text(f"java.io.IOException\n\tat x\n[{STAMP}] INFO {text}\n\n[{STAMP[:-3]}120] WARN {text}\nno time\n")
    events = list(read_log(file, 1, "t", 0))
    assert [e.kind for e in events] == [STARTS, STARTS] and events[1].milliseconds - events[0].milliseconds == 4
