"""What people read of an outcome: a verdict with its bounds, a table of properties, the counterexample."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...model.language.actions import Model
from ...model.language.settings import changed
from ..verdict import HOLDS, INCOMPLETE, NEVER, NOT_APPLICABLE, NOTHING_CHECKED, VIOLATED, WITNESSED, Finding, Outcome

STYLES = {
    HOLDS: "green", WITNESSED: "green", VIOLATED: "bold red", NEVER: "yellow", INCOMPLETE: "yellow",
    NOT_APPLICABLE: "dim", NOTHING_CHECKED: "yellow",
}  # fmt: skip


def console(stderr: bool = False) -> Console:
    """Where reports go; at least 100 columns when it is not a terminal."""
    out = Console(stderr=stderr, highlight=False, soft_wrap=False)
    return out if out.is_terminal else Console(stderr=stderr, highlight=False, width=110)


def print_outcome(out: Console, outcome: Outcome, model: Model, all_actions: bool = False) -> None:
    """The whole report of one check."""
    print_head(out, outcome, model)
    out.print(property_table(outcome))
    print_needs(out, outcome)
    if all_actions:
        out.print(action_table(outcome))
    else:
        idle = [a.name for a in outcome.actions if a.taken == 0]
        if idle:
            out.print(Text(f"actions that were never enabled: {', '.join(idle)}", style="dim"))
    print_verdict(out, outcome)


def print_head(out: Console, outcome: Outcome, model: Model) -> None:
    """What was checked."""
    out.print(Text.assemble((f"{outcome.model} {outcome.revision}", "bold"), f": {model.revisions[outcome.revision].sentence}"))
    out.print(Text(f"at {sizes(outcome, model)}", style="dim"))


def sizes(outcome: Outcome, model: Model) -> str:
    """The sizes of the exploration, and every other setting that is not the revision's default."""
    config = outcome.config
    shown = {n: v for n, v in config.shown().items() if config.settings[n].group == "size"}
    shown.update({n: v for n, v in config.shown().items() if config.settings[n].group == "fault" and v})
    shown.update(changed(config, model.configure(outcome.revision)))
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in shown.items())


def property_table(outcome: Outcome) -> Table:
    """One line per property: violations first."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("property", "kind", "verdict", "depth", "trace"):
        table.add_column(heading, justify="right" if heading == "depth" else "left", overflow="fold")
    findings = [f for f in outcome.findings if f.verdict != NOT_APPLICABLE]
    if outcome.deadlock is not None:
        findings.insert(0, outcome.deadlock)
    for finding in sorted(findings, key=lambda f: (f.verdict != VIOLATED, f.property.kind == "sometimes")):
        table.add_row(
            finding.property.name,
            finding.property.kind,
            Text(finding.verdict, style=STYLES[finding.verdict]),
            str(finding.depth or ""),
            finding.trace_path or "",
        )
    return table


def print_needs(out: Console, outcome: Outcome) -> None:
    """The properties that mean nothing here, and what they would need."""
    absent = [f"{f.property.name} ({f.property.where})" for f in outcome.findings if f.verdict == NOT_APPLICABLE]
    if absent:
        out.print(Text(f"not applicable here: {', '.join(absent)}", style="dim"))


def action_table(outcome: Outcome) -> Table:
    """How often each action was enabled, was taken, and found a new state."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("action")
    for heading in ("states it is enabled in", "times taken", "new states"):
        table.add_column(heading, justify="right")
    for action in outcome.actions:
        style = "yellow" if action.taken == 0 else ""
        table.add_row(action.name, f"{action.enabled:,}", f"{action.taken:,}", f"{action.new_states:,}", style=style)
    return table


def print_verdict(out: Console, outcome: Outcome) -> None:
    """The verdict in a sentence, with all that it rests on."""
    out.print(Text(outcome.verdict, style=STYLES[outcome.verdict]).append(": " + explanation(outcome), style="default"))
    mode = "whole states compared" if outcome.exact else f"chance of a missed state at most {outcome.collision_probability:.1e}"
    if outcome.symmetry:
        mode += "; states up to renaming of brokers"
    rate = outcome.distinct_states / max(1e-9, outcome.seconds)
    where = " on this machine" if outcome.engine == "spark" else ""
    out.print(
        Text(
            f"{outcome.distinct_states:,} distinct states, {outcome.transitions:,} transitions, depth {outcome.depth}; {mode}\n"
            f"{outcome.seconds:.2f} s ({outcome.cpu_seconds:.2f} s of CPU{where}, {rate:,.0f} states/s,"
            f" {outcome.bytes_per_state:.0f} bytes a state), {outcome.compile_seconds:.1f} s to compile,"
            f" {outcome.threads} thread{'s' if outcome.threads > 1 else ''}",
            style="dim",
        )
    )


def explanation(outcome: Outcome) -> str:
    """Why the verdict is what it is."""
    if outcome.violated:
        first = min(outcome.violated, key=lambda f: f.depth or 0)
        others = len(outcome.violated) - 1
        more = f", and {others} more" if others else ""
        end = "" if outcome.complete else "; the exploration ended there"
        return f"{first.property.name} {how_it_falls(first)}{more}{end}"
    if outcome.deadlock is not None:
        return f"nothing is enabled any more after {plural((outcome.deadlock.depth or 1) - 1, 'step')}"
    if not outcome.complete:
        return f"nothing is violated so far, but {outcome.stopped} ended the exploration: what lies beyond is not known"
    if outcome.verdict == NOTHING_CHECKED:
        return "everything reachable at these sizes was explored, and no property was checked"
    if outcome.never_witnessed:
        never = ", ".join(f.property.name for f in outcome.never_witnessed)
        return f"{never}: the configuration may be too small to mean much; nothing is violated"
    return "everything reachable at these sizes was explored; nothing is said of larger ones"


def how_it_falls(finding: Finding) -> str:
    """After how many steps, and what these show."""
    steps, trace = plural((finding.depth or 1) - 1, "step"), finding.trace
    if not finding.property.of_progress or trace is None:
        return f"falls after {steps}"
    if trace.cycle is None:
        return f"falls: after {steps} it is out of reach without another fault"
    if trace.cycle > len(trace.steps):
        return f"falls: after {steps} nothing more need happen"
    return f"falls: after {plural(trace.cycle - 1, 'step')} a cycle of {plural(len(trace.steps) - trace.cycle + 1, 'step')} never ends"


def plural(count: int, noun: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def shortest(outcome: Outcome) -> Finding | None:
    """The violation that takes the fewest steps to show."""
    shown = [f for f in (*outcome.violated, *([outcome.deadlock] if outcome.deadlock else [])) if f.trace is not None]
    return min(shown, key=lambda f: f.depth or 0, default=None)
