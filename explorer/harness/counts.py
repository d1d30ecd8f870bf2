"""Counts that a scenario expects: a rule that is stricter than it was hides in a verdict that holds, and shows in these."""

from collections.abc import Iterator

from ...model.language.errors import UsageError, hint
from ..config_files import CountsTable
from ..verdict import Outcome


def differences(expected: CountsTable, outcome: Outcome) -> Iterator[str]:
    """Where what was explored is not what is expected, in words; UsageError where that names what does not exist."""
    steps = {finding.property.name: finding.steps for finding in outcome.findings}
    known = {action.name for action in outcome.model.actions}
    names = [] if expected.enabled == "all" else list(expected.enabled)
    for word, said, there in (("steps", expected.steps, steps), ("enabled", names, known)):
        for name in said:
            if name not in there:
                raise UsageError(f"expect_counts: {word} names {name!r:.60}; {hint(name, there)}")
    if expected.states not in (None, outcome.distinct_states):
        yield f"{expected.states:,} states expected, {outcome.distinct_states:,} found"
    if expected.depth not in (None, outcome.depth):
        yield f"depth {expected.depth} expected, {outcome.depth} found"
    for name, wanted in expected.steps.items():
        if wanted != steps[name]:
            yield f"{name}: a violation after {wanted} steps expected, {steps[name] or 'none'} found"
    idle = never_enabled(outcome)
    missed = [name for name in idle if name in names]
    if missed or (idle and (expected.enabled == "all" or expected.states not in (None, outcome.distinct_states))):
        yield f"actions never enabled now: {', '.join(missed or idle)}"


def never_enabled(outcome: Outcome) -> list[str]:
    """The actions that were never enabled, except those that the settings switch off."""
    off = outcome.model.unreachable(outcome.config)
    return [action.name for action in outcome.actions if not action.taken and action.name not in off]
