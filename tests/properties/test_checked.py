"""No revision is named as keeping a property unless it was checked at the trace's own sizes and faults.

`pytest --rewrite-golden -m long tests/properties/test_checked.py` checks what `properties/checked.json` lacks, and writes it;
delete an entry to have it checked again.
"""

import json
import re

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import VIOLATED
from highwater.model.language.errors import UsageError
from highwater.properties.catalogue import claims_of
from highwater.properties.checked import FILE, command_for, recorded, verdict_of
from highwater.properties.explain import comparable, explain, violates
from highwater.properties.registry import MODELS
from highwater.traces.compared import compare_revisions
from highwater.traces.families.scenarios import SEARCHES
from highwater.traces.shrink import plain_states

from ..traces.golden_table import GOLDEN, golden

MOST = 12_000_000
BOUNDS = Bounds(None, MOST, 240.0, 6000 << 20)
SMALL = 4_000


def subject(name):
    """The trace of a scenario, its model, and the property it violates; None where it violates none that is of safety."""
    trace = golden(name)
    claim = claims_of(MODELS[trace.model]).get(trace.property)
    if claim is None or claim.of_progress or claim.name not in GOLDEN[name].broken:
        return None
    return trace, MODELS[trace.model], claim


def candidates(name):
    """The revisions that might be named for a scenario, up to the first that is known to keep the property."""
    trace, model, claim = subject(name)
    states = plain_states(trace, model)
    for revision in comparable(model, trace.revision):
        try:
            there = compare_revisions(trace, model, states, revision)
        except UsageError:
            continue
        config = there.states[0].config
        if claim.applies(config) and not violates(claim, there.states):
            yield model, revision, config, claim, there.trace.settings
            if verdict_of(model, revision, there.trace.settings, claim).states:
                return


def found_by(model, revision, config, claim, bounds=BOUNDS):
    """The verdict, as it is recorded."""
    outcome = check(Request(model, revision, config, [claim], generic=True, named=True, threads=2, bounds=bounds))
    (finding,) = outcome.findings
    if finding.verdict == VIOLATED:
        return f"violated {finding.steps} steps"
    if outcome.complete:
        return f"holds all {outcome.distinct_states:,} states"
    return f"open {outcome.distinct_states:,} states, {outcome.depth - 1} steps deep"


def searches():
    """What is searched for under every release, because the trace is told under another design."""
    model = MODELS["kafka"]
    for name, sizes in SEARCHES.values():
        for revision in (one.name for one in model.revisions.values() if one.releases):
            yield model, revision, model.configure(revision, **sizes), claims_of(model)[name], sizes


VIOLATED_SCENARIOS = [name for name in GOLDEN if subject(name)]


@pytest.mark.parametrize("name", VIOLATED_SCENARIOS)
def test_a_revision_is_named_as_keeping_it_only_after_a_check(name):
    trace, model, claim = subject(name)
    text = explain(trace, model, claim).repair
    named = re.search(r"first kept by (\S+): .*; all ([\d,]+ states|states at the default sizes) were checked with", text)
    assert ("kept by" in text) == bool(named), text
    for revision, steps in re.findall(r"(\S+) violates it with these settings too, after (\d+) steps", text):
        assert f"violated {steps} steps" in recorded().values() and revision in model.revisions
    if named:
        assert model.revisions[named[1]].releases or not model.releases, "what was never released is no repair"
    elif "not checked" in text:
        assert text.count("highwater check --") == 1


def test_the_strongest_finding_names_no_release():
    """KAFKA-2721 is in every release: the steps of kip-320 cannot run in 2.8, and others do the same there."""
    trace, model, claim = subject("r3_leader_again.kip-320")
    text = explain(trace, model, claim).repair
    assert claim.name == "no_committed_data_loss" and "kept by" not in text
    assert re.search(r"kip-320-2.8 violates it with these settings too, after \d+ steps", text)
    assert explain(trace, model, claim).scenario.startswith("r3_leader_again")


@pytest.mark.long
def test_recorded_verdicts_are_true(request):
    """Every check is repeated; with --rewrite-golden only those that are missing are, and they are kept."""
    rewrite, found = request.config.getoption("--rewrite-golden"), {}
    for checks in (searches(), *map(candidates, VIOLATED_SCENARIOS)):
        for model, revision, config, claim, _ in checks:
            command = command_for(model, revision, config, claim)
            if command in found or (rewrite and command in recorded()):
                continue
            found[command] = found_by(model, revision, config, claim)
            if rewrite:
                recorded()[command] = found[command]
                FILE.write_text(json.dumps(recorded(), indent=1, sort_keys=True) + "\n")
    if not rewrite:
        assert {command: text.replace("open", "holds").split()[0] for command, text in found.items()} == {
            command: recorded()[command].replace("open", "holds").split()[0] for command in found
        }


def test_small_checks_are_repeated():
    """As far as the suite has time."""
    for name in VIOLATED_SCENARIOS:
        for model, revision, config, claim, _ in candidates(name):
            text = recorded().get(command_for(model, revision, config, claim), "")
            if text.startswith("holds") and int(text.split()[2].replace(",", "")) < SMALL:
                assert found_by(model, revision, config, claim) == text
