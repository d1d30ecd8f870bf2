"""`highwater replay`: a recorded trace runs through the plain model, or the mismatch is named."""

import argparse

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.catalogue import claims_of
from ...properties.explain import explain
from ...properties.property import OF_BEHAVIOURS, SOMETIMES, Property
from ...traces.families.scenarios import path_of
from ...traces.lasso import doubt, ending
from ...traces.notation import change_lines
from ...traces.replay import Replayed, replay
from ...traces.text import read_file, write
from ...traces.trace import Trace, version_of
from ...traces.words import plural
from ..output.documents_explored import ReplayedDocument
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console, print_why
from ..request import revision_named
from ..trace_files import changed_plugins, model_of
from ..verdict import (
    EXIT_HOLDS,
    EXIT_NEVER,
    EXIT_NONCONFORMANT,
    EXIT_STUCK,
    EXIT_VIOLATED,
    NEVER,
    NO_DEADLOCK,
    VIOLATED,
    WITNESSED,
)
from .parsing import Parser, add_against, add_json

SUMMARY = """Run a trace through the plain model.

Exits with 12 when the property that the trace names is violated (13 for a property of progress), with 0 when
the trace runs and the property is not violated, with 17 when a step does not fit the model. A trace of what can
happen (`sometimes`) exits with 0 when it witnesses that, and with 15 when it does not."""

VERDICTS = {EXIT_VIOLATED: VIOLATED, EXIT_STUCK: VIOLATED, EXIT_NEVER: NEVER}

EXAMPLE = "highwater replay highwater-traces/kafka-kip-279-strong_isr.trace"


def add_flags(parser: Parser) -> None:
    """The flags of `replay`."""
    parser.add_argument("trace", metavar="FILE", help="a trace file, or the name of a scenario (highwater list scenarios)")
    parser.add_argument("--verbose", action="store_true", help="print each step with what it changes")
    add_against(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Replay, report, and answer the exit code."""
    validate_outputs(options.json)
    trace = read_file(path_of(options.trace))
    model = model_of(options.models, trace, options.trace)
    validate_claim(trace, options.trace, model)
    result = replayed(trace, options.trace, model)
    if options.against:
        options.against = revision_named(model, options.against)
    if options.json != "-":
        print_result(trace, result, model, options.verbose)
        if exit_code(trace, result, model) in (EXIT_VIOLATED, EXIT_STUCK):
            print_why(console(), trace, model, claim_of(trace, result, model), options.against)
    return conclude(exit_code(trace, result, model), options.json, lambda: as_json(trace, result, model))


def validate_claim(trace: Trace, name: str, model: Model) -> None:
    """UsageError for a trace about a property that its own configuration leaves without a meaning."""
    claim = claims_of(model).get(trace.property)
    if claim is None or trace.revision not in model.revisions:
        return
    config = model.configure(trace.revision, **trace.settings)
    if not claim.applies(config):
        raise UsageError(
            f"{name} is about {claim.name}, which does not apply under the trace's settings: it needs {claim.lacks(config)}"
        )


def replayed(trace: Trace, name: str, model: Model) -> Replayed:
    """The result of running a trace of the model; `name` is the file, for messages."""
    claims = claims_of(model)
    if trace.property and trace.property not in (*claims, NO_DEADLOCK):
        raise UsageError(f"{name} is about {trace.property[:60]!r}, which is not a property of the model {model.name}")
    config = model.configure(trace.revision, **trace.settings) if trace.revision in model.revisions else None
    goal = claims.get(trace.property)
    if trace.cycle is not None and (goal is None or goal.kind not in OF_BEHAVIOURS):
        kinds = ", ".join(OF_BEHAVIOURS)
        raise UsageError(f"{name} has a line 'cycle:', which belongs to traces about what must happen ({kinds})")
    safety = [p for p in claims.values() if not p.of_progress]
    result = replay(trace, model, [p for p in safety if config is None or p.applies(config)])
    if goal is not None and goal.of_progress and not result.mismatch:
        result.doubt = doubt(trace, model, result.states, goal)
        if not result.doubt:
            result.broken[goal.name] = len(trace.steps)
    if trace.property == NO_DEADLOCK and not result.mismatch and not any(model.enabled(result.states[-1])):
        result.broken[NO_DEADLOCK] = len(trace.steps)
    return result


def exit_code(trace: Trace, result: Replayed, model: Model) -> int:
    """12 when what the trace is about is violated, 13 of progress; when it names no property, 12 for any violation."""
    if result.mismatch:
        return EXIT_NONCONFORMANT
    if is_never_witnessed(trace, result, model):
        return EXIT_NEVER
    violated = trace.property in result.broken if trace.property else bool(expected_claims(result, model))
    if not violated:
        return EXIT_HOLDS
    claim = claims_of(model).get(trace.property)
    return EXIT_STUCK if claim is not None and claim.of_progress else EXIT_VIOLATED


def is_never_witnessed(trace: Trace, result: Replayed, model: Model) -> bool:
    """Whether the trace is about what can happen, and it does not happen in it."""
    claim = claims_of(model).get(trace.property)
    return claim is not None and claim.kind == SOMETIMES and trace.property not in result.witnessed


def expected_claims(result: Replayed, model: Model) -> list[str]:
    """The violated properties that some revision is expected to keep."""
    claims = claims_of(model)
    return [name for name in result.broken if name in claims and claims[name].by_default]


def claim_of(trace: Trace, result: Replayed, model: Model) -> Property | None:
    """The property that the trace violates: the one it is about, or the first that some revision is expected to keep."""
    return claims_of(model).get(trace.property or expected_claims(result, model)[0])


def print_result(trace: Trace, result: Replayed, model: Model, verbose: bool) -> None:
    """What people read."""
    out = console()
    if verbose:
        run = trace.with_steps(trace.steps[: len(result.states) - 1])
        out.print(write(run, change_lines(model, result.states)), soft_wrap=True)
    if result.mismatch:
        out.print(Text.assemble(("does not fit the model", "bold red"), f": {result.mismatch}"), soft_wrap=True)
        if trace.version != version_of(model):
            for plugin in changed_plugins(trace):
                out.print(Text(f"the plugin {plugin} has changed since the trace was recorded", style="dim"))
            versions = f"the trace was recorded with version {trace.version} of the model; this is {version_of(model)}"
            out.print(Text(versions, style="dim"))
        return
    ran = f"{plural(len(trace.steps), 'step')} of {trace.model} {trace.revision} ran as recorded"
    code = exit_code(trace, result, model)
    if code in (EXIT_VIOLATED, EXIT_STUCK):
        name = trace.property or expected_claims(result, model)[0]
        where = " " + place(result.broken[name]) if code == EXIT_VIOLATED else f": {ending(trace)}"
        out.print(Text.assemble((VIOLATED, "bold red"), f": {ran}, and {name} is violated{where}"), soft_wrap=True)
    elif code == EXIT_NEVER:
        about = f": {ran}, and {trace.property} is true in none of their states"
        out.print(Text.assemble((NEVER, "bold red"), about), soft_wrap=True)
    elif trace.property in result.witnessed:
        where = place(result.witnessed[trace.property])
        out.print(Text.assemble((WITNESSED, "green"), f": {ran}, and {trace.property} is witnessed {where}"), soft_wrap=True)
    else:
        shown = f"{trace.property} is not {f'shown to be violated: {result.doubt}' if result.doubt else 'violated'}"
        about = shown if trace.property else "nothing is violated"
        out.print(Text.assemble(("runs", "green"), f": {ran}, and {about}"))
    others = [f"{name} {place(number)}" for name, number in result.broken.items() if name != trace.property]
    if others:
        out.print(Text(f"also violated: {', '.join(others)}", style="dim"))


def verdict(trace: Trace, result: Replayed, code: int) -> str:
    """The verdict in one word."""
    if result.mismatch:
        return "does not fit"
    return WITNESSED if trace.property in result.witnessed else VERDICTS.get(code, "runs")


def place(number: int) -> str:
    """Where a property is violated."""
    return f"at step {number}" if number else "in the initial state"


def as_json(trace: Trace, result: Replayed, model: Model) -> ReplayedDocument:
    """The JSON document."""
    code = exit_code(trace, result, model)
    found = explain(trace, model, claim_of(trace, result, model)) if code in (EXIT_VIOLATED, EXIT_STUCK) else None
    return {
        "model": trace.model,
        "revision": trace.revision,
        "property": trace.property or None,
        "steps": len(trace.steps),
        "ran": len(result.states) - 1,
        "verdict": verdict(trace, result, code),
        "mismatch": result.mismatch or None,
        "doubt": result.doubt or None,
        "broken": result.broken,
        "witnessed": result.witnessed.get(trace.property),
        "why": found.why.sentence if found else None,
        "witness": dict(found.why.witness) if found else None,
        "explanation": list(found.lines())[1:] if found else [],
    }
