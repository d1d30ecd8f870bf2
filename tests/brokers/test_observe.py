"""Trace validation on runs that are made here: what a behaviour of the model would have left, and the same altered."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("kafka")

from highwater.model.language.errors import UsageError
from highwater.properties.registry import KAFKA
from highwater.traces.brokers.disk import NO_EPOCH, Directory, Entry
from highwater.traces.brokers.fitting import Fitting
from highwater.traces.brokers.logs import CUTS, FOLLOWS, LEADS, REGISTERS, STARTS, Event
from highwater.traces.brokers.observe import Observed, configuration, read_run
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.walks import sizes, walk
from highwater.traces.replay import replay

RELEASE = release_named("1.0")


def directory(*batches):
    """A log of batches (epoch, batch, records), with its epochs."""
    entries, epochs = [], {}
    for epoch, batch, count in batches:
        base = len(entries)
        epochs.setdefault(epoch, base)
        entries += [Entry(base + i, batch, epoch, base) for i in range(count)]
    return Directory(True, entries, epochs)


def run_of(events, logs, leader, epoch, isr, version):
    """A run of two brokers; events are (milliseconds, broker, kind, and what the kind has)."""
    by_broker = [[Event(at, b, kind, **more) for at, b, kind, more in events if b == broker] for broker in (0, 1)]
    state = {"leader": leader, "leader_epoch": epoch, "isr": isr}
    return Observed("t", 0, by_broker, logs, state, version, frozenset({0, 1}), (0, 1))


def search(run, states=30_000, release=RELEASE):
    return Fitting(run, KAFKA, configuration(run, KAFKA, release, {}), release, 2, states).find()


START = [
    (10, 1, STARTS, {}), (11, 0, STARTS, {}),
    (20, 1, LEADS, {"epoch": 0, "offset": 0}), (30, 0, FOLLOWS, {"leader": 1, "offset": 0}),
]  # fmt: skip
SHORT = run_of(START, [directory((0, 1, 1)), directory((0, 1, 1))], 1, 0, [0, 1], 1)

DIVERGED = run_of(
    [
        *START,
        (100, 0, LEADS, {"epoch": 1, "offset": 1}),
        (150, 0, REGISTERS, {}),
        (200, 1, LEADS, {"epoch": 2, "offset": 2}),
        (300, 0, FOLLOWS, {"leader": 1, "offset": 2}),
    ],
    [directory((0, 1, 1), (1, 3, 1), (2, 4, 1)), directory((0, 1, 1), (0, 2, 1), (2, 4, 1))],
    1, 2, [1], 3,
)  # fmt: skip
"""KAFKA-6361: the followers' log differs from its leader's."""


def test_a_batch_and_a_fetch():
    fit = search(SHORT)
    assert [step.action for step in fit.trace.steps] == ["produce", "fetch"]
    assert not replay(fit.trace, KAFKA).mismatch and fit.most == fit.events == 4


def test_a_run_whose_logs_differ_fits_where_it_can_happen():
    fit = search(DIVERGED)
    assert fit.trace is not None and not replay(fit.trace, KAFKA).mismatch
    assert "elect_preferred_replica" in [step.action for step in fit.trace.steps]


def test_it_fits_no_revision_that_repaired_it():
    """Under KIP-279 the same events would need a cut, which no log tells."""
    fit = search(DIVERGED, release=release_named("2.0"))
    assert fit.trace is None and not fit.stopped


@pytest.mark.parametrize("altered", ["order", "epoch", "version", "cut", "epoch file"])
def test_altered_runs_are_refused(altered):
    events = [[replace(e) for e in es] for es in DIVERGED.events]
    run = replace(DIVERGED, events=events, logs=list(DIVERGED.logs), state=dict(DIVERGED.state))
    if altered == "order":
        run.logs[1] = directory((0, 2, 1), (0, 1, 1), (2, 4, 1))
    elif altered == "epoch":
        events[1][-1] = replace(events[1][-1], offset=1)
    elif altered == "version":
        run.version = 7
    elif altered == "cut":
        events[0].append(Event(400, 0, CUTS, offset=0))
    else:
        run.logs[0] = Directory(True, DIVERGED.logs[0].entries, {0: 0, 2: 2})
    fit = search(run)
    assert fit.trace is None and not fit.stopped


def left_by(trace, release, config):
    """What brokers would leave that did as the trace says."""
    states, count = replay(trace, KAFKA).states, config.brokers
    run = Observed("t", 0, [[] for _ in range(count)], [], {}, 0, frozenset(), tuple(range(count)))
    teller = Fitting(run, KAFKA, config, release, 2, 1)
    begun = states[0].replica[0]
    for broker, me in enumerate(begun):
        run.events[broker].append(Event(1, broker, STARTS))
        if me.leader != broker:
            run.events[broker] += [Event(2, broker, CUTS, offset=0)] * (release.magic < 2)
            run.events[broker] += [Event(3, broker, FOLLOWS, leader=me.leader)]
        elif release.magic >= 2:
            run.events[broker].append(Event(2, broker, LEADS, epoch=0, offset=0))
    for number, step in enumerate(trace.steps):
        for event in teller.expected(step.action, dict(step.arguments), states[number], states[number + 1]):
            run.events[event.broker].append(replace(event, milliseconds=10 * number + 10))
    end, node = states[-1], states[-1].zookeeper.leader_and_isr[0]
    for broker, me in enumerate(end.replica[0]):
        slots = [(me.log[at].record, me.log[at].epoch if release.magic >= 2 else NO_EPOCH) for at in range(me.leo)]
        entries = [Entry(at, record, epoch, slots.index((record, epoch))) for at, (record, epoch) in enumerate(slots)]
        told = {epoch for _, epoch in slots} if release.epoch_at_append else set(range(config.epochs))
        starts = {epoch: start for epoch, start in enumerate(me.epoch_start) if start >= 0 and epoch in told}
        run.logs.append(Directory(True, entries, starts, me.hw if end.broker[broker].up else me.checkpoint))
    leader = node.leader if node.leader < count else -1
    run.state = {"leader": leader, "leader_epoch": node.leader_epoch, "isr": list(teller.members(node.isr))}
    return replace(run, version=node.version, live=teller.members(end.zookeeper.broker_ids))


@pytest.mark.parametrize("release", ["0.10.2.2", "1.0.2", "2.0.1", "3.9.1"])
def test_what_the_model_does_is_never_refused(release):
    """Whatever the search gives up, a behaviour that is there is found."""
    row = release_named(release)
    for seed, brokers in ((1, 2), (2, 2), (3, 3)):
        config = KAFKA.configure(row.revision, **{**row.settings, **sizes(KAFKA, brokers), "log_size": 2, "max_batch": 1})
        run = left_by(walk(KAFKA, row, config, 14, seed), row, config)
        found = Fitting(run, KAFKA, configuration(run, KAFKA, row, {"log_size": 2}), row, 2, 20_000).find()
        assert found.trace is not None and not replay(found.trace, KAFKA).mismatch, (seed, found)


def test_a_run_that_begins_as_no_behaviour_does_is_refused_with_a_sentence():
    """Epoch 0 begins at offset 0 in the model; here it begins at 1, whoever led."""
    events = [[e if e.kind == STARTS else Event(20, e.broker, LEADS, epoch=0, offset=1) for e in es] for es in SHORT.events]
    fit = search(replace(SHORT, events=events))
    assert fit.trace is None and not fit.stopped and fit.states == 0 and "no behaviour" in fit.stuck[0]


def test_a_bound_is_not_a_verdict():
    fit = search(DIVERGED, states=50)
    assert fit.trace is None and fit.stopped == "50 states" and 0 < fit.most < fit.events


def test_what_cannot_be_read_is_said(tmp_path):
    with pytest.raises(UsageError, match="nothing to observe"):
        read_run(tmp_path, None, 0)
    (tmp_path / "broker0").mkdir()
    (tmp_path / "broker0" / "server.log").write_text("")
    nodes = tmp_path / "znodes.json"
    for text in ("not json", "[]", "{}", json.dumps({"/brokers/topics/t": {"data": {}}})):
        nodes.write_text(text)
        with pytest.raises(UsageError):
            read_run(tmp_path, "t", 0)
    nodes.write_text(json.dumps({"/brokers/topics/a": {}, "/brokers/topics/b": {}}))
    with pytest.raises(UsageError, match="choose one with --topic"):
        read_run(tmp_path, None, 0)


def test_a_run_whose_first_leader_no_behaviour_has_is_not_searched():
    events = [[], [], [Event(10, 2, LEADS, epoch=0, offset=0)]]
    run = Observed("t", 0, events, [directory()] * 3, SHORT.state, 1, frozenset({0, 1, 2}), (0, 1, 2))
    for one in (run, replace(run, events=[[], [], []], assigned=(2, 1, 0))):
        with pytest.raises(UsageError, match="renumber the brokers and their folders"):
            search(one)
