"""`highwater observe`: what a run of real brokers has left, held against the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.text import Text

from ...model.registry import model_named
from ...traces.notation import change_lines
from ...traces.replay import replay
from ...traces.text import write
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_NONCONFORMANT
from .machine_readable import refuse_unwritable, write_file, write_json
from .parsing import Parser, number, positive
from .perform import require_extra
from .report import console

SUMMARY = """Say whether the model has a behaviour that fits what real brokers have left.

DIR has a folder for each broker, broker0, broker1, ..., with server.log and data, and
znodes.json beside them, as `perform --keep DIR` leaves it. The logs' events and the
segments are a partial trace; steps that no log tells may be taken unseen. Exits with 0
when a behaviour fits, with 17 when none does, with 20 when a bound ended the search."""

EXAMPLE = "highwater observe --release 1.0.2 kept"


def parser() -> Parser:
    """The flags of `observe`."""
    out = Parser("observe", SUMMARY, EXAMPLE)
    out.add_argument("folder", metavar="DIR", help="what a run has left")
    out.add_argument("--release", metavar="VERSION", required=True, help="of Kafka: it names revision and settings of the model")
    out.add_argument("--topic", metavar="NAME", help="when there is more than one")
    out.add_argument("--partition", metavar="N", type=number, default=0, help="of the topic (0)")
    out.add_argument("--unseen", metavar="N", type=positive, default=8, help="untold steps between two events, at most (8)")
    out.add_argument("--skew", metavar="MS", type=number, default=2, help="by how much the brokers' clocks may differ (2)")
    out.add_argument("--states", metavar="N", type=positive, default=200_000, help="states to look at, at most (200,000)")
    out.add_argument("--unclean-elections", metavar="N", type=number, help="at most (as many as there are epochs)")
    out.add_argument("--session-expiries", metavar="N", type=number, help="under a living broker, at most (2)")
    out.add_argument("--trace", metavar="PATH", help="write the behaviour that fits, to a file")
    out.add_argument("--json", metavar="PATH|-", help="write the result as JSON, to a file or to standard output")
    return out


def run(arguments: list[str]) -> int:
    """Search, report, and answer the exit code."""
    options = parser().parse_args(arguments)
    refuse_unwritable(options.json, options.trace)
    require_extra()
    from ...traces.brokers.observe import Search, configuration, read_run
    from ...traces.brokers.releases import release_named

    model, release = model_named("kafka"), release_named(options.release)
    seen = read_run(Path(options.folder), options.topic, options.partition)
    budgets = ("unclean_elections", "session_expiries")
    faults = {name: getattr(options, name) for name in budgets if getattr(options, name) is not None}
    config = configuration(seen, model, release, faults)
    fit = Search(seen, model, config, release, options.unseen, options.skew, options.states).find()
    out = console() if options.json != "-" else console(stderr=True)
    print_result(out, fit, options)
    if fit.trace is not None and options.trace:
        write_file(options.trace, write(fit.trace, change_lines(model.name, replay(fit.trace, model).states)))
    if options.json:
        write_json(as_json(fit), options.json)
    if fit.trace is not None:
        return EXIT_HOLDS
    return EXIT_INCOMPLETE if fit.stopped else EXIT_NONCONFORMANT


def print_result(out: Any, fit: Any, options: Any) -> None:
    """What people read."""
    looked = f"{fit.states:,} states"
    if fit.trace is not None:
        steps = len(fit.trace.steps)
        out.print(Text.assemble(("fits", "green"), f": {fit.events} events and what is on disk, in {steps} steps; {looked}"))
        for place, step in enumerate(fit.trace.steps, 1):
            out.print(Text(f"  {place:>3} {step.label}"), soft_wrap=True)
        return
    if fit.stopped:
        verdict = Text.assemble(("not decided", "bold yellow"), f": the search ended at {fit.stopped}")
    else:
        bound = f", with at most {options.unseen} unseen steps in a row; {looked}"
        verdict = Text.assemble(("no behaviour fits", "bold red"), bound)
    out.print(verdict)
    if not fit.states:
        out.print(Text(f"  {fit.stuck[0]}"))
    elif fit.most < fit.events:
        out.print(Text(f"  the best attempt explains {fit.most} of {fit.events} events, and then not: {'; '.join(fit.stuck)}"))
    else:
        out.print(Text(f"  all {fit.events} events can be explained, but not together with what is on disk in the end"))


def as_json(fit: Any) -> dict[str, Any]:
    """The JSON document."""
    return {
        "verdict": "fits" if fit.trace is not None else "not decided" if fit.stopped else "refused",
        "events": fit.events,
        "explained": fit.most,
        "next": fit.stuck if fit.trace is None else [],
        "states": fit.states,
        "steps": [step.label for step in fit.trace.steps] if fit.trace is not None else [],
        "stopped_by": fit.stopped or None,
    }
