"""Traces of the family `kraft` on brokers, the pure part: records, deltas, what a controller answers."""

import uuid
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

pytest.importorskip("kafka")

from highwater.explorer.command_line import main
from highwater.properties.registry import KRAFT
from highwater.traces.brokers.isr_requests import (
    FENCED_LEADER_EPOCH,
    INELIGIBLE_REPLICA,
    INVALID_REQUEST,
    INVALID_UPDATE_VERSION,
    NONE,
    NOT_CONTROLLER,
    PartitionState,
    requests_in,
    verdict,
)  # fmt: skip
from highwater.traces.brokers.metadata_compare import image_of
from highwater.traces.brokers.metadata_steps import METADATA_STEPS, MetadataSteps, MetadataTopic, change_record, images_after
from highwater.traces.brokers.perform import refused
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.steps import NOTHING_TO_DO
from highwater.traces.brokers.walks import NEVER, described_by, sizes, walk
from highwater.traces.replay import replay
from highwater.traces.text import read_file
from highwater.traces.trace import Step
from support.pages import is_written

from ..traces.golden_table import FOLDER

TOPIC = uuid.UUID(int=7)
STATE = PartitionState(0, 3, 5, (0, 1), replicas=(0, 1, 2, 3))


def test_every_action_of_the_family_has_its_place():
    assert not {action.name for action in KRAFT.actions} - set(METADATA_STEPS) - set(NOTHING_TO_DO)


def test_the_page_says_how_the_family_is_performed(request):
    own = [name for name in METADATA_STEPS if name in {a.name for a in KRAFT.actions} and name in vars(MetadataSteps)]
    rows = [f"| `{name}` | {' '.join(METADATA_STEPS[name].__doc__.split())} |" for name in own]
    never = {}
    for action in KRAFT.actions:
        step = METADATA_STEPS.get(action.name)
        if isinstance(step, partial):
            never.setdefault(step.args[0], set()).add(f"`{action.name}`")
    rows += [f"| {', '.join(sorted(names))} | refused: {why} |" for why, names in sorted(never.items())]
    table = "\n".join(["| step | on the brokers |", "| --- | --- |", *rows])
    assert is_written("docs/brokers.md", "kraft_steps", table, request)


def asked(members, leader=0, leader_epoch=3, partition_epoch=5):
    part = {"PartitionIndex": 0, "LeaderEpoch": leader_epoch, "PartitionEpoch": partition_epoch}
    isr = [{"BrokerId": member, "BrokerEpoch": epoch} for member, epoch in members.items()]
    request = {"BrokerId": leader, "Topics": [{"TopicId": TOPIC, "Partitions": [{**part, "NewIsrWithEpochs": isr}]}]}
    (found,) = requests_in(request)
    return found


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (asked({0: 10, 1: 11, 2: 12}), NONE),
        (asked({0: -1, 1: -1}), NONE),
        (asked({0: 10}, leader_epoch=4), NOT_CONTROLLER),
        (asked({0: 10}, partition_epoch=6), NOT_CONTROLLER),
        (asked({0: 10}, leader_epoch=2), FENCED_LEADER_EPOCH),
        (asked({1: 11}, leader=1), INVALID_REQUEST),
        (asked({0: 10}, partition_epoch=4), INVALID_UPDATE_VERSION),
        (asked({1: 11}), INVALID_REQUEST),
        (asked({0: 10, 3: 13}), INELIGIBLE_REPLICA),
        (asked({0: 10, 1: 9}), INELIGIBLE_REPLICA),
        (asked({0: 10, 4: 14}), INVALID_REQUEST),
    ],
)
def test_a_request_for_another_isr_is_answered_by_the_rules_of_the_controller(request_, expected):
    epochs = {0: 10, 1: 11, 2: 12, 3: 13, 4: 14}
    assert verdict(request_, STATE, epochs, {0, 1, 2, 4}) == expected


def test_an_answer_has_the_state_or_an_error():
    one = asked({0: 10})
    one.answer = PartitionState(0, 3, 6, (0,))
    part = one.response()["Topics"][0]["Partitions"][0]
    assert (part["ErrorCode"], part["Isr"], part["PartitionEpoch"]) == (0, [0], 6)
    one.answer = INELIGIBLE_REPLICA
    assert one.response()["Topics"][0]["Partitions"] == [{"PartitionIndex": 0, "ErrorCode": INELIGIBLE_REPLICA}]


def test_a_record_says_only_what_changes():
    changed = change_record(TOPIC, 0, STATE, replace(STATE, isr=(0,)), None)
    assert changed == ("PartitionChangeRecord", 1, {"PartitionId": 0, "TopicId": TOPIC, "Isr": [0]})
    elected = change_record(TOPIC, 0, STATE, replace(STATE, leader=-1, leader_epoch=4, elr=(2,)), 1)
    rest = {"Leader": -1, "EligibleLeaderReplicas": [2], "LeaderRecoveryState": 1}
    assert elected == ("PartitionChangeRecord", 2, {"PartitionId": 0, "TopicId": TOPIC, **rest})


def test_the_image_of_a_broker_is_read():
    text = (
        "PartitionRegistration(replicas=[0, 1], directories=[a, b], isr=[1, 0], removingReplicas=[], addingReplicas=[], "
        "elr=[2], lastKnownElr=[], leader=-1, leaderRecoveryState=RECOVERED, leaderEpoch=4, partitionEpoch=6)"
    )
    assert image_of(text) == PartitionState(-1, 4, 6, (0, 1), (2,), (0, 1))
    assert image_of("none") is None


class Log:
    """Stands for controller and brokers: how far each may receive the log."""

    kept, controller_epoch = False, 0

    def __init__(self):
        self.end, self.told, self.epochs, self.unfenced = 0, [], dict.fromkeys(range(3), 0), set()
        self.controller, self.isr_topic = self, None
        self.brokers = {b: SimpleNamespace(order=lambda text, b=b: str(dict(self.told)[b] - 1)) for b in range(3)}

    def directories(self, brokers):
        return [TOPIC for _ in brokers]

    def gates_of(self, broker):
        return []

    def append(self, *records):
        self.end += len(records)
        return self.end

    def fence(self, broker, fenced, *records):
        return self.append(broker, *records)

    def let(self, broker, end):
        self.told.append((broker, end))


def test_the_trace_decides_which_changes_are_one_delta():
    trace = read_file(str(FOLDER / "one_delta.4.4.trace"))
    states, log = replay(trace, KRAFT).states, Log()
    stage = MetadataSteps(log, "t", states[0])
    stage.reach = lambda *_: None
    stage.begin()
    started = log.end
    log.told.clear()
    controller = ("elect_preferred", "fence", "apply_metadata")
    for number, step in enumerate(trace.steps):
        stage.before, stage.after = states[number], states[number + 1]
        if step.action in controller:
            stage.actions[step.action](stage, **dict(step.arguments))
    elected, fenced, again = started + 1, started + 3, started + 5
    assert log.told == [(2, elected), (0, elected), (1, fenced), (2, again)]
    assert [image[0].partition_epoch for image in stage.topic.images] == [0, 1, 2, 3]
    last = images_after(stage.topic.images[-1], states[-1])[0]
    assert stage.topic.images[-1][0] == PartitionState(2, 3, 3, (2,), (1,), (0, 1, 2)) == last


def test_a_move_is_told_with_its_replicas():
    """The target around the ring, then who is removed; cancelled, and begun again elsewhere."""
    trace = read_file(str(FOLDER / "cancelled_move.4.1.trace"))
    states, log = replay(trace, KRAFT).states, Log()
    topic, told = MetadataTopic(log, "t", 0), []
    topic.create(states[0])
    for state in states[1:]:
        images = images_after(topic.images[-1], state)
        if images != topic.images[-1]:
            told.append(change_record(TOPIC, 0, topic.images[-1][0], images[0], None)[2])
            topic.note(0, images)
    moved, _, joined, reverted, again, elected = told
    assert (moved["Replicas"], moved["AddingReplicas"], moved["RemovingReplicas"]) == ([1, 2, 0], [2], [0])
    assert (reverted["Replicas"], reverted["AddingReplicas"], reverted["RemovingReplicas"]) == ([1, 0], [], [])
    assert (reverted["EligibleLeaderReplicas"], "Replicas" in joined) == ([2], False)
    assert (again["Replicas"], again["RemovingReplicas"], elected["Leader"]) == ([2, 0, 1], [1], 2)


def test_what_never_can_be_forced_is_refused_before_a_broker_runs(capsys, monkeypatch, tmp_path):
    trace = read_file(str(FOLDER / "late_refusal.3.7.trace"))
    never = refused(trace, KRAFT, True)
    assert never.ran == 9 and "one step with its answer" in never.refused
    assert refused(read_file(str(FOLDER / "one_delta.4.4.trace")), KRAFT, True) is None
    assert refused(trace.with_steps([Step("dance", ())]), KRAFT, True).refused == "this action has no counterpart on brokers yet"
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "kafka_2.13-4.4.0.jar").touch()
    assert main(["perform", "--kafka", str(tmp_path), str(FOLDER / "late_refusal.3.7.trace")]) == 20
    assert "so nothing was run: step 10" in capsys.readouterr().out


@pytest.mark.parametrize("release", ["3.9.1", "4.4.0"])
def test_walks_take_the_rules_of_the_release_and_only_steps_that_can_be_forced(release):
    release = release_named(release)
    revision, settings = described_by(KRAFT, release)
    config = KRAFT.configure(revision, **{**settings, **sizes(KRAFT, 2)})
    taken = walk(KRAFT, release, config, 12, 3)
    assert taken.revision == revision and len(taken.steps) == 12 and not replay(taken, KRAFT).mismatch
    assert {step.action for step in taken.steps} <= set(METADATA_STEPS) - set(NEVER) | {"truncate_on_divergence"}
