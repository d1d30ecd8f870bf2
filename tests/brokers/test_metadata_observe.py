"""Trace validation under KRaft on runs that are made here, and the log of metadata as it is read."""

import uuid
from dataclasses import replace

import pytest

pytest.importorskip("kafka")

from highwater.model.language.errors import UsageError
from highwater.properties.registry import KRAFT
from highwater.traces.brokers.disk import Directory, Entry
from highwater.traces.brokers.isr_requests import PartitionState
from highwater.traces.brokers.logs import CUTS, DECIDES, FOLLOWS, LEADS, STARTS, Event, event_in
from highwater.traces.brokers.logs import KRAFT as PATTERNS
from highwater.traces.brokers.metadata_fitting import MetadataFitting
from highwater.traces.brokers.metadata_log import Written
from highwater.traces.brokers.metadata_observe import (
    ObservedMetadata,
    Reading,
    Says,
    at_registration,
    is_under_kraft,
    metadata_configuration,
    read_metadata_run,
)  # fmt: skip
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.schemas import Schemas

TOPIC, RELEASE = uuid.UUID(int=3), release_named("4.4.0")


def says(leader, epoch, isr, live, elr=(), registered=-1):
    return Says(registered, live, PartitionState(leader, epoch, 0, isr, elr))


def found():
    """What the first finding leaves: broker 1 leads in epochs 0 and 2, and has not followed between."""
    lost = [
        [(10, FOLLOWS, 0, 0, 1), (60, LEADS, 1, 0, -1)],
        [(10, LEADS, 0, 0, -1), (90, LEADS, 2, 1, -1)],
        [(10, FOLLOWS, 0, 0, 1), (50, FOLLOWS, 1, 1, 0), (70, CUTS, -1, 0, -1), (110, LEADS, 3, 0, -1)],
    ]
    events = [[Event(at, b, *what) for at, *what in one] for b, one in enumerate(lost)]
    decisions = [
        (40, says(0, 1, (0, 1, 2), (0, 1, 2))), (80, says(1, 2, (1, 2), (1, 2))), (100, says(2, 3, (2,), (2,), (1,))),
    ]  # fmt: skip
    decided = [Event(at, 3, DECIDES, epoch=what.state.leader_epoch, says=what) for at, what in decisions]
    logs = [Directory(True, [], {1: 0}, 0), Directory(True, [Entry(0, 1, 0, 0)], {0: 0, 2: 1}, 1), Directory(True, [], {3: 0}, 0)]
    return ObservedMetadata("t", 0, [*events, decided], logs, None, 0, frozenset({2}), (0, 1, 2), 2)


def search(run, states=5_000):
    return MetadataFitting(run, KRAFT, metadata_configuration(run, KRAFT, RELEASE, {}), RELEASE, 2, states).find()


def test_the_first_finding_is_explained_by_what_it_leaves():
    fit = search(found())
    labels = [step.label for step in fit.trace.steps]
    assert fit.events == 11 and len(labels) == 11
    assert "apply_metadata broker=1 change=1" in labels  # two changes as one delta


@pytest.mark.parametrize(
    "alter",
    [
        lambda run: run.events[1].insert(1, Event(65, 1, FOLLOWS, 1, 1, 0)),  # then it would have forgotten the ends
        lambda run: run.events[3].pop(1),
        lambda run: run.events[2].pop(2),
        lambda run: run.logs[2].entries.append(Entry(0, 1, 0, 0)),
        lambda run: run.events[2].__setitem__(1, replace(run.events[2][1], offset=0)),
    ],
)
def test_what_is_altered_is_not_explained(alter):
    run = found()
    alter(run)
    fit = search(run)
    assert fit.trace is None and not fit.stopped


def record(at, name, **values):
    return Written(at, 1_000 + at, name, values)


def changed(at, **values):
    whole = {"Isr": None, "Leader": -2, "Replicas": None, "EligibleLeaderReplicas": None, **values}
    return record(at, "PartitionChangeRecord", TopicId=TOPIC, PartitionId=0, **whole)


def fenced(at, broker, value, leaving=0):
    return record(at, "BrokerRegistrationChangeRecord", BrokerId=broker, Fenced=value, InControlledShutdown=leaving)


def log(*more, isr=(0, 1)):
    first = {"Replicas": [0, 1], "Isr": list(isr), "Leader": 1, "LeaderEpoch": 0, "PartitionEpoch": 0}
    return [
        *([record(b, "RegisterBrokerRecord", BrokerId=b, Fenced=True)] for b in (0, 1)),
        [fenced(2, 0, -1)], [fenced(3, 1, -1)],
        [
            record(4, "TopicRecord", Name="t", TopicId=TOPIC),
            record(5, "ConfigRecord", ResourceName="t", Name="min.insync.replicas", Value="2"),
            record(6, "PartitionRecord", TopicId=TOPIC, PartitionId=0, **first),
        ],
        *([one] if isinstance(one, Written) else one for one in more),
    ]  # fmt: skip


def test_each_batch_is_a_decision():
    read = Reading(
        log([fenced(7, 1, 1), changed(8, Leader=0, Isr=[0], EligibleLeaderReplicas=[1])], record(9, "NoOpRecord"), changed(10)),
        None, 0,
    )  # fmt: skip
    assert (read.topic, read.assigned, read.min_isr) == ("t", (0, 1), 2)
    assert [(d.milliseconds, d.says) for d in read.decisions] == [
        (1_007, says(0, 1, (0,), (0,), (1,))), (1_010, says(0, 1, (0,), (0,), (1,))),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("batches", "topic", "sentence"),
    [
        (log(record(7, "RemoveTopicRecord", TopicId=TOPIC)), None, "is deleted at offset 7"),
        (log(changed(7, Replicas=[1, 0])), None, "replicas change at offset 7"),
        (log(record(7, "ConfigRecord", ResourceName="t", Name="min.insync.replicas")), None, "replicas changes at offset 7"),
        (log(record(7, "FeatureLevelRecord", Name="eligible.leader.replicas.version")), None, "version changes at offset 7"),
        (log(fenced(7, 1, 0, leaving=1)), None, "controlled shutdown"),
        (log(isr=(0,)), None, "fenced or outside the ISR"),
        (log(), "u", "no topic u, but of t"),
        (log()[:4], None, "0 topics"),
    ],
)
def test_what_no_search_has_a_step_for_is_refused_with_a_sentence(batches, topic, sentence):
    with pytest.raises(UsageError, match=sentence):
        Reading(batches, topic, 0)


def test_a_folder_without_a_whole_log_of_metadata_is_refused(tmp_path):
    assert not is_under_kraft(tmp_path)
    (tmp_path / "node0" / "data" / "__cluster_metadata-0").mkdir(parents=True)
    assert is_under_kraft(tmp_path)
    with pytest.raises(UsageError, match="begins at offset 0 in one segment"):
        read_metadata_run(tmp_path, None, 0, Schemas())


def test_a_process_that_starts_again_has_the_time_of_its_registration():
    events = [Event(1, 0, STARTS), Event(2, 0, LEADS), Event(5, 0, STARTS), Event(9, 0, FOLLOWS)]
    assert [e.milliseconds for e in at_registration(events, [8])] == [1, 2, 8, 9]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[Broker id=1] Leader t-0 with topic id Some(U_jbH7f6Rrq2SDjfhcyLRA) starts at leader epoch 2 from offset 1 with "
         "partition epoch 2, high watermark 0, ISR [1,2], adding replicas [] and removing replicas [] .", (LEADS, 2, 1, -1)),
        ("[Broker id=2] Follower t-0 starts at leader epoch 1 from offset 1 with partition epoch 1 and high watermark 0. "
         "Current leader is -1. Previous leader Some(1) and previous leader epoch was 0.", (FOLLOWS, 1, 1, -1)),
        ("[UnifiedLog partition=t-0, dir=/d] Truncating to offset 0", (CUTS, -1, 0, -1)),
        ("[BrokerServer id=0] Transition from SHUTDOWN to STARTING", (STARTS, -1, -1, -1)),
        ("[UnifiedLog partition=t-0, dir=/d] Truncating to 0 has no effect", None),
    ],
)  # fmt: skip
def test_lines_of_brokers_under_kraft(line, expected):
    event = event_in("2026-11-29 16:33:30,170", line, 0, "t", 0, PATTERNS)
    assert (event and (event.kind, event.epoch, event.offset, event.leader)) == expected
