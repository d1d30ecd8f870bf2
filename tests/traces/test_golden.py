"""Every golden trace runs, shows what its row says, and reads as it would be written today."""

import re
from dataclasses import replace
from functools import cache

import pytest
from highwater.properties.catalogue import progress_of, properties_of
from highwater.properties.registry import KAFKA, MODELS
from highwater.traces.lasso import doubt
from highwater.traces.notation import change_lines, describe
from highwater.traces.replay import TraceMismatch, replay, take
from highwater.traces.shrink import plain_states
from highwater.traces.text import read, write
from highwater.traces.trace import Step, state_digest, version_of

from .golden_table import FOLDER, GOLDEN


def text_of(name):
    return (FOLDER / f"{name}.trace").read_text(encoding="utf-8")


version = cache(version_of)


def rewritten(text, name):
    """The same comments and steps, with what the model says of them now."""
    trace = read(text, name)
    model = MODELS[trace.model]
    states = plain_states(trace, model)
    start, *digests = map(state_digest, states)
    steps = tuple(replace(step, digest=digest) for step, digest in zip(trace.steps, digests, strict=True))
    fresh = replace(trace, steps=steps, start_digest=start, version=version(model))
    return write(fresh, change_lines(model, states))


@cache
def replayed(name):
    trace = read(text_of(name), name)
    model = MODELS[trace.model]
    config = model.configure(trace.revision, **trace.settings)
    return trace, model, config, replay(trace, model, [p for p in properties_of(model) if p.applies(config)])


def test_every_file_has_a_row():
    assert {path.name.removesuffix(".trace") for path in FOLDER.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_reads_as_it_would_be_written(name, request):
    text = text_of(name)
    fresh = rewritten(text, name)
    if request.config.getoption("--rewrite-golden"):
        (FOLDER / f"{name}.trace").write_text(fresh, encoding="utf-8")
        text = fresh
    assert text == fresh, "the model or the notation has changed: look at the difference, then pytest --rewrite-golden"


@pytest.mark.parametrize("name", GOLDEN)
def test_shows_what_its_row_says(name):
    trace, model, config, result = replayed(name)
    row = GOLDEN[name]
    assert (result.mismatch, trace.property) == ("", row.property)
    assert result.broken == row.broken
    facts = describe(model, result.states[-1])
    logs = [facts[f"broker {b}"]["log"] for b in range(config.brokers) if "log" in facts[f"broker {b}"]]
    assert (tuple(logs), facts.get("promised", {}).get("committed", "")) == (row.logs, row.committed)
    assert result.witnessed.get(trace.property) == row.witnessed


@pytest.mark.parametrize("name", GOLDEN)
def test_nothing_else_falls_that_the_revision_is_expected_to_keep(name):
    trace, model, _, result = replayed(name)
    expected = {p.name for p in properties_of(model) if p.expected_to_hold(trace.revision, model)}
    assert set(result.broken) & expected == set(GOLDEN[name].beyond)


@pytest.mark.parametrize("name", GOLDEN)
def test_can_be_read_aloud(name):
    """An opening names the source, each group of steps has its comment, every line fits, and the name has the revision."""
    trace = read(text_of(name), name)
    assert trace.comment
    assert trace.steps[0].comment
    assert len([step for step in trace.steps if step.comment]) >= 3
    assert max(map(len, text_of(name).splitlines())) <= 120
    assert name.endswith("." + trace.revision)


@pytest.mark.parametrize("name", GOLDEN)
def test_tells_only_with_names_and_sentences(name):
    """No fact is told as a dash, as a bare label or as an empty phrase."""
    for line in text_of(name).splitlines():
        if line.startswith("    "):
            for told in line[17:].split(";"):
                assert not re.search(r"(^| )-( |$)|^\s*and |\bNone\b", told), line


def test_scenarios_are_told_in_parallel():
    """Files of one scenario begin with the same steps; where they part, the revision or a setting makes them."""
    by_scenario = {}
    for name in GOLDEN:
        by_scenario.setdefault(name.split(".")[0], []).append(read(text_of(name), name))
    for scenario, traces in by_scenario.items():
        if len(traces) == 1:
            continue
        labels = [[step.label for step in trace.steps] for trace in traces]
        common = 0
        while all(common < len(steps) and steps[common] == labels[0][common] for steps in labels):
            common += 1
        assert common >= 7, (scenario, common)


def test_docstrings_name_traces_that_show_it():
    named = []
    for claim in properties_of(KAFKA):
        text = " ".join((claim.function.__doc__ or "").split())
        found = re.search(r"Golden traces?: (.*?)(?:\.(?: |$)|, whose)", text)
        named += [(name, claim.name) for name in (found[1].split(", ") if found else [])]
    assert len(named) > 10 and [(name, claim) for name, claim in named if claim not in GOLDEN[name].broken] == []


def test_the_replaced_controller_of_l1_leaves_a_follower_behind_unless_it_is_fenced():
    """Q20, L1: nothing more need happen, and the follower has not joined; KAFKA-6082 refuses the decision that did it."""
    trace, model, _, result = replayed("l1_replaced_controller.high-watermark")
    (claim,) = (one for one in progress_of(model) if one.name == trace.property)
    assert doubt(trace, model, result.states, claim) == "" and trace.cycle == len(trace.steps) + 1
    decides = next(n for n, step in enumerate(trace.steps, 1) if step.action == "elect_leader")
    fenced = replay(replace(trace, settings={**trace.settings, "fenced_controllers": 1}, version=""), model)
    assert len(fenced.states) == decides
    assert re.search(r"the guard `not can_decide.*broker_change\.py:", fenced.mismatch)


def test_the_zombie_of_s5_cannot_shrink_the_isr():
    """Q1: the store refuses the version that the zombie knows."""
    trace, model, config, result = replayed("s5_zombie_leader.high-watermark")
    writes = next(n for n, step in enumerate(trace.steps, 1) if step.action == "produce")
    back = next(n for n, step in enumerate(trace.steps, 1) if step.action == "notice_session_expiry")
    for number in range(writes, back):
        with pytest.raises(TraceMismatch, match=r"the guard `not can_write_isr.*broker/isr\.py:"):
            shrink = (("partition", 0), ("leader", 0), ("follower", 1))
            take(model, config, result.states[number], Step("shrink_isr", shrink), number)
