"""What people read of an outcome: a verdict with its bounds, a table of properties, the counterexample."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...model.language.actions import Model
from ...model.language.completed import ONLY
from ...properties.catalogue import claims_of
from ...properties.explain import comparison_lines, explain
from ...properties.left_out import says_nothing_of
from ...properties.property import SOMETIMES, Property
from ...traces.lasso import ending
from ...traces.trace import Trace
from ...traces.words import plural
from ..request import sizes
from ..verdict import HOLDS, INCOMPLETE, NEVER, NOT_APPLICABLE, NOTHING_CHECKED, VIOLATED, WITNESSED, Finding, Outcome
from .progress_line import more_memory
from .tables import console_for, plain_table

STYLES = {
    HOLDS: "green", WITNESSED: "green", VIOLATED: "bold red", NEVER: "yellow", INCOMPLETE: "yellow",
    NOT_APPLICABLE: "dim", NOTHING_CHECKED: "yellow",
}  # fmt: skip

PREMISE = "a premise of progress is never true; "

FOLDED = 3
"""More properties that were not decided are one line, not a row each."""

FEW = 10_000
"""Up to so many initial states take no time that is worth a line."""

NOTABLE = 1e-3
"""A chance of a missed state above this is stated in the verdict."""


def console(stderr: bool = False, **how: Any) -> Console:
    """Where reports go."""
    return console_for(stderr=stderr, **how)


def print_outcome(
    out: Console, outcome: Outcome, model: Model, trace: str, all_actions: bool, verbose: bool, against: str | None
) -> None:
    """The whole report of one check: the verdict, the reason, the counterexample, and what else was found."""
    print_head(out, model, outcome.revision, outcome.config)
    if outcome.begun:
        out.print(Text(f"explored {outcome.begun}", style="bold"))
    rests, said = rests_on(outcome), explanation(outcome)
    said = f": {said}; what else is found is{rests}" if rests and outcome.verdict == VIOLATED else f"{rests}: {said}"
    out.print(Text(outcome.verdict, style=STYLES[outcome.verdict]).append(said, style="default"), soft_wrap=True)
    first = shortest(outcome)
    if first is not None and first.trace is not None:
        print_why(out, first.trace, model, first.claim(), against)
        others = [finding.explained(model) for finding in outcome.violated if finding is not first]
        for found in filter(None, others):
            out.print(Text(found.why.sentence), soft_wrap=True)
    if trace:
        out.print(f"\n{trace}", soft_wrap=True)
        print_sources(out, first, model)
    out.print(property_table(outcome))
    open_ones = [finding.property.name for finding in outcome.findings if finding.verdict == INCOMPLETE]
    if len(open_ones) > FOLDED:
        out.print(Text(f"{INCOMPLETE}, {len(open_ones)} properties: {', '.join(open_ones)}", style=STYLES[INCOMPLETE]))
    for finding in outcome.findings:
        if finding.trace_path:
            out.print(f"trace of {finding.property.name}: {finding.trace_path}", soft_wrap=True)
    if outcome.verdict == HOLDS:
        print_left_out(out, outcome)
    if verbose:
        print_needs(out, outcome)
    if all_actions:
        out.print(action_table(outcome))
    if outcome.complete:
        print_idle(out, outcome.model, outcome.config, outcome.actions)
    print_costs(out, outcome)


def print_left_out(out: Console, outcome: Outcome) -> None:
    """What a `holds` says nothing of: faults that never happen, steps that are one, and bugs that are in no revision."""
    said = says_nothing_of(outcome.model, outcome.revision, outcome.config)
    if said:
        out.print(Text(said, style="dim"))


def print_idle(out: Console, model: Model, config: Any, actions: Iterable[Any]) -> None:
    """The actions that were never enabled, except those that the settings switch off."""
    off = model.unreachable(config)
    idle = [a.name for a in actions if a.taken == 0 and a.name not in off]
    if idle:
        out.print(Text(f"actions that were never enabled: {', '.join(idle)}", style="dim"))


def print_head(out: Console, model: Model, revision: str, config: Any, at: str = "at") -> None:
    """What every report is about."""
    subject = model.name if revision == ONLY else f"{model.name} {revision}"
    sentence = model.revisions[revision].sentence
    out.print(Text.assemble((subject, "bold"), f": {sentence}" if sentence != subject else ""))
    if bounds := sizes(model, revision, config):
        out.print(Text(f"{at} {bounds}", style="dim"))


def property_table(outcome: Outcome) -> Table:
    """One line per property: violations first."""
    table = plain_table("property", "kind", "verdict", "steps", right=("steps",), unbroken=("property", "kind", "verdict"))
    findings = [f for f in outcome.findings if f.verdict not in (NOT_APPLICABLE, INCOMPLETE)]
    left = [f for f in outcome.findings if f.verdict == INCOMPLETE]
    if len(left) <= FOLDED:
        findings += left
    if outcome.deadlock is not None:
        findings.insert(0, outcome.deadlock)
    for finding in sorted(findings, key=lambda f: (f.verdict != VIOLATED, f.property.kind == SOMETIMES)):
        table.add_row(
            finding.property.name,
            finding.property.kind,
            Text(finding.verdict, style=STYLES[finding.verdict]),
            str(finding.steps if finding.steps is not None else ""),
        )
    return table


def print_needs(out: Console, outcome: Outcome) -> None:
    """The properties that mean nothing here, and what they would need."""
    absent = [f"{f.property.name} ({f.property.lacks(outcome.config)})" for f in outcome.findings if f.verdict == NOT_APPLICABLE]
    if absent:
        out.print(Text(f"not applicable here: {', '.join(absent)}", style="dim"))


def action_table(outcome: Outcome) -> Table:
    """How often each action was enabled, was taken, and found a new state."""
    counted = ("states it is enabled in", "times taken", "new states")
    table = plain_table("action", *counted, right=counted)
    for action in outcome.actions:
        style = "yellow" if action.taken == 0 else ""
        table.add_row(action.name, f"{action.enabled:,}", f"{action.taken:,}", f"{action.new_states:,}", style=style)
    return table


def print_costs(out: Console, outcome: Outcome) -> None:
    """What the verdict rests on, and what it took."""
    mode = "whole states compared" if outcome.exact else f"chance of a missed state at most {outcome.collision_probability:.1e}"
    if outcome.symmetry:
        mode += "; states up to renaming of members"
    rate = (outcome.distinct_states - outcome.resumed) / max(1e-9, outcome.seconds)
    before = f" after {outcome.resumed:,} states of an earlier run" if outcome.resumed else ""
    compiling = f"{outcome.compile_seconds:.1f} s to compile" if outcome.compile_seconds else "before it was compiled"
    first = sum(outcome.levels[:1])
    initial = f"{outcome.initial_seconds:.1f} s for {first:,} initial states\n" if outcome.initial_seconds and first > FEW else ""
    where = " on this machine" if outcome.engine == "spark" else ""
    out.print(
        Text(
            f"{counted(outcome)}; {mode}\n"
            f"{initial}{outcome.seconds:.2f} s{before} ({outcome.cpu_seconds:.2f} s of CPU{where}, {rate:,.0f} states/s,"
            f" {outcome.bytes_per_state:.0f} bytes a state), {compiling},"
            f" {plural(outcome.threads, 'thread')}",
            style="dim",
        )
    )
    for remark in outcome.remarks:
        out.print(Text(remark, style="yellow"), soft_wrap=True)


def print_why(out: Console, trace: Trace, model: Model, claim: Property | None, revision: str | None = None) -> None:
    """Why a trace violates the property: the sentence first, then the steps that mattered, what is near, and what keeps it.

    `claim` None: nothing is enabled where it ends. `revision`: another one, under which the steps are compared.
    """
    sentence, *more = explain(trace, model, claim).lines()
    out.print(Text(sentence, style="bold"), soft_wrap=True)
    for line in more:
        out.print(Text(f"  {line}"), soft_wrap=True)
    if revision:
        print_comparison(out, trace, model, claim, revision)


def print_sources(out: Console, finding: Finding | None, model: Model) -> None:
    """Where each action of a counterexample comes from: the design, Kafka's name, the line."""
    found = finding.explained(model) if finding is not None else None
    if found is None:
        return
    width = max(map(len, found.actions()), default=0)
    for name, action in found.actions().items():
        out.print(Text(f"{name:<{width}}  {action.origin}", style="dim"), soft_wrap=True)
    out.print()


def print_comparison(out: Console, trace: Trace, model: Model, claim: Property | None, revision: str) -> None:
    """How the steps of a trace go under another revision."""
    for line in comparison_lines(trace, model, claim, revision):
        out.print(Text(f"  {line}"), soft_wrap=True)


def explanation(outcome: Outcome) -> str:
    """Why the verdict is what it is."""
    if outcome.deadlock is not None and all(f.property.of_progress for f in outcome.violated):
        names = ", ".join(f.property.name for f in outcome.violated)
        more = f"; also violated: {names}" if names else ""
        return f"nothing is enabled any more after {plural(outcome.deadlock.steps or 0, 'step')}{more}"
    if outcome.violated:
        first = min(outcome.violated, key=lambda f: f.depth or 0)
        others = len(outcome.violated) - 1
        more = f", and {others} more" if others else ""
        end = "" if outcome.complete else f"; {how_it_ended(outcome)}" if outcome.stopped else "; the exploration ended there"
        return f"{first.property.name}{how_it_is_violated(first)}{more}{end}"
    if outcome.verdict == NOTHING_CHECKED:
        return f"{everything(outcome) + ' was explored' if outcome.complete else how_it_ended(outcome)}; {why_unchecked(outcome)}"
    if not outcome.complete:
        return f"no violation found so far, but {how_it_ended(outcome)}; the rest is unknown"
    if outcome.never_witnessed:
        never = ", ".join(f.property.name for f in outcome.never_witnessed)
        whose = "" if not any(f.property.of_progress for f in outcome.never_witnessed) else PREMISE
        return f"{never}: {whose}the configuration may be too small to be meaningful; no property is violated"
    if outcome.collision_probability > NOTABLE:
        return (
            f"no violation seen in fingerprints, which miss a state with a chance of at most {outcome.collision_probability:.1e}"
            " (--exact compares whole states); larger sizes may differ"
        )
    return f"{everything(outcome)} was explored; larger sizes may differ"


def why_unchecked(outcome: Outcome) -> str:
    """Why an exploration only counts states."""
    claims = claims_of(outcome.model).values()
    waiting = [claim.name for claim in claims if claim.of_progress and claim.by_default]
    if waiting:
        return f"the states are counted, and --progress checks {', '.join(waiting)}"
    return "the states are counted, and " + ("no property is checked unless it is named" if claims else "there is no property")


def rests_on(outcome: Outcome) -> str:
    """` by the model's promise of symmetry`: what a verdict rests on beside the exploration. A violation has a trace instead."""
    some = outcome.promises
    if not some or (outcome.violated and not any(f.verdict in (HOLDS, WITNESSED, NEVER) for f in outcome.findings)):
        return ""
    return by_promises(some)


def by_promises(names: Sequence[str]) -> str:
    """` by the model's promises of fairness and faults`."""
    return f" by the model's promise{'s' if len(names) > 1 else ''} of {' and '.join(names)}" if names else ""


def everything(outcome: Outcome) -> str:
    """What was explored, when all of it was."""
    whose = outcome.model.constraint
    within = f"within the constraint {whose.__name__}, and one step beyond, " if whose else ""
    return f"everything reachable {within}{outcome.begun}{' ' if outcome.begun else ''}at these sizes"


def how_it_ended(outcome: Outcome) -> str:
    """Which bound ended an exploration, and how far it was."""
    whole = f"every level to depth {outcome.whole_levels} is complete" if outcome.whole_levels else "no level is complete"
    more = more_memory(outcome.kept_in) if "MB of memory" in outcome.stopped else ""
    if outcome.kept_in and outcome.levels and not more:
        more = f"; continue with --run-dir {outcome.kept_in} --resume"
    return f"{outcome.ended_by} ended the exploration; {whole}{more}"


def counted(outcome: Outcome) -> str:
    """What was explored, in numbers."""
    states, transitions = plural(outcome.distinct_states, "distinct state"), plural(outcome.transitions, "transition")
    outside = f" ({outcome.outside:,} of them outside the constraint)" if outcome.model.constraint else ""
    return f"{states}{outside}, {transitions}, depth {outcome.depth}"


def how_it_is_violated(finding: Finding) -> str:
    """After how many steps, and of progress how it ends."""
    if finding.property.of_progress and finding.trace is not None:
        lost = f", as it is from {plural(finding.lost_states, 'state')} in all" if finding.lost_states else ""
        return f": {ending(finding.trace)}{lost}"
    return f" after {plural(finding.steps or 0, 'step')}"


def shortest(outcome: Outcome) -> Finding | None:
    """The violation that takes the fewest steps to show."""
    shown = [f for f in outcome.reported if f.verdict == VIOLATED and f.trace is not None]
    return min(shown, key=lambda f: f.depth or 0, default=None)
