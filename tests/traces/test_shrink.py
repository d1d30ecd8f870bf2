"""Shrinking keeps what a trace shows, and nothing can be dropped from the result."""

import random
from dataclasses import replace

import pytest
from highwater.model.language.errors import UsageError
from highwater.model.next import KAFKA
from highwater.properties.catalogue import properties_of
from highwater.traces.replay import TraceMismatch, replay
from highwater.traces.shrink import plain_states, shrink, until_shown, with_digests
from highwater.traces.text import read
from highwater.traces.trace import step_of

from .golden_table import golden

CLAIMS = {p.name: p for p in properties_of(KAFKA)}
SHOWN = {
    "s1_silent_divergence.kip-101": "log_prefix_convergence",
    "s3_truncation_loses_data.high-watermark": "no_committed_data_loss",
    "zombie_commits_what_all_have.kip-320": "single_committable_leader_strict",
    "a3_unclean_election.high-watermark": "unclean_election_loses_data",
}


def padded(trace, seed):
    """The trace with steps in between that do not keep it from going on."""
    chance, steps = random.Random(seed), list(trace.steps)
    for _ in range(40):
        at = chance.randrange(len(steps))
        state = plain_states(trace.with_steps(steps[:at]), KAFKA)[-1]
        action, arguments, _ = chance.choice(list(KAFKA.enabled(state)))
        longer = [*steps[:at], step_of(action, arguments), *steps[at:]]
        if until_shown(trace, KAFKA, CLAIMS[trace.property], longer) == longer:
            steps = longer
        if len(steps) >= len(trace.steps) + 4:
            break
    return trace.with_steps(steps)


def is_locally_shortest(trace, claim):
    """Without any one step the trace does not run, or does not show it."""
    for at in range(len(trace.steps)):
        if until_shown(trace, KAFKA, claim, [*trace.steps[:at], *trace.steps[at + 1 :]]) is not None:
            return False
    return True


@pytest.mark.parametrize("name", SHOWN)
def test_the_result_shows_the_same_and_is_locally_shortest(name):
    trace, claim = golden(name), CLAIMS[SHOWN[name]]
    shorter = shrink(trace, KAFKA, claim)
    assert len(shorter.steps) <= len(trace.steps)
    result = replay(shorter, KAFKA, [claim])
    assert result.mismatch == ""
    assert {**result.broken, **result.witnessed} == {claim.name: len(shorter.steps)}
    assert is_locally_shortest(shorter, claim)


@pytest.mark.parametrize("seed", range(3))
def test_superfluous_steps_are_dropped(seed):
    trace = golden("zombie_commits_what_all_have.kip-320")
    claim = CLAIMS[trace.property]
    longer = padded(trace, seed)
    assert len(longer.steps) > len(trace.steps)
    shorter = shrink(longer, KAFKA, claim)
    assert len(shorter.steps) <= len(trace.steps)
    assert is_locally_shortest(shorter, claim)


def test_steps_after_the_fall_are_dropped():
    trace = golden("s1_silent_divergence.kip-101")
    assert replay(trace, KAFKA, [CLAIMS["log_prefix_convergence"]]).broken["log_prefix_convergence"] < len(trace.steps)
    assert until_shown(trace, KAFKA, CLAIMS["log_prefix_convergence"], trace.steps) == trace.steps[:17]


def test_a_trace_that_does_not_show_it_is_refused():
    with pytest.raises(UsageError, match="does not show that log_prefix_convergence is violated"):
        shrink(golden("s1_silent_divergence.kip-279"), KAFKA, CLAIMS["log_prefix_convergence"])
    with pytest.raises(UsageError, match="does not show that deletes_replica is witnessed"):
        shrink(golden("s1_silent_divergence.kip-279"), KAFKA, CLAIMS["deletes_replica"])


def test_a_trace_that_does_not_run_is_refused():
    text = "highwater trace 1\nmodel: kafka 0\nrevision: kip-320\ninitial: 0\n1 start_broker broker=0\n"
    trace = read(text)
    with pytest.raises(UsageError, match="does not run"):
        shrink(trace, KAFKA, CLAIMS["strong_isr"])
    with pytest.raises(UsageError, match="step 1, start_broker broker=0, is not enabled"):
        with_digests(trace, KAFKA)
    with pytest.raises(TraceMismatch, match="is no action"):
        plain_states(read(text.replace("start_broker", "mend_broker")), KAFKA)


def test_fresh_digests_are_those_that_were_recorded():
    trace = golden("s1_silent_divergence.kip-101")
    bare = replace(trace, start_digest="", steps=tuple(replace(step, digest="") for step in trace.steps))
    assert with_digests(bare, KAFKA) == trace
