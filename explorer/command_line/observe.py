"""`highwater observe`: what a run of real brokers has left, compared with the model."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.text import Text

from ...model.language.errors import UsageError, reason_of
from ...traces.notation import change_lines
from ...traces.replay import replay
from ...traces.text import write
from ...traces.words import plural
from ..files import write_file
from ..output.documents import ObservedRun
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_NONCONFORMANT
from .parsing import Parser, add_json, number, positive
from .perform import require_extra

SUMMARY = """Decide whether the model has a behaviour that fits what real brokers have left.

DIR has a folder for each broker (broker0, broker1, ...) with server.log and data, and
znodes.json beside them, as `perform --keep DIR` writes it. The events in the logs and the
segments are a partial trace; steps that no log reports may happen in between. Exits with 0
when a behaviour fits, with 17 when there is none, with 20 when a bound ended the search."""

EXAMPLE = "highwater observe --release 1.0.2 kept"


def add_flags(parser: Parser) -> None:
    """The flags of `observe`."""
    parser.add_argument("folder", metavar="DIR", help="the files of a run")
    parser.add_argument("--release", metavar="VERSION", required=True, help="Kafka's release; gives revision and settings")
    parser.add_argument("--topic", metavar="NAME", help="topic, when there is more than one")
    parser.add_argument("--partition", metavar="N", type=number, default=0, help="partition of the topic (0)")
    parser.add_argument("--log-size", metavar="N", type=positive, help="offsets of the longest log (default: what is reported)")
    parser.add_argument("--skew", metavar="MS", type=number, default=2, help="largest difference between the brokers' clocks (2)")
    parser.add_argument("--states", metavar="N", type=positive, default=200_000, help="most states to search (200,000)")
    parser.add_argument("--unclean-elections", metavar="N", type=number, help="at most (as many as there are epochs)")
    parser.add_argument("--trace", metavar="PATH", help="write the behaviour that fits to a file")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Search, report, and answer the exit code."""
    validate_outputs(options.json, options.trace)
    require_extra()
    from ...traces.brokers.artifacts import jars_of
    from ...traces.brokers.fitting import Fitting
    from ...traces.brokers.metadata_fitting import MetadataFitting
    from ...traces.brokers.metadata_observe import is_under_kraft, metadata_configuration, read_metadata_run
    from ...traces.brokers.observe import configuration, read_run
    from ...traces.brokers.releases import release_named
    from ...traces.brokers.schemas import schemas_in

    release, folder = release_named(options.release), Path(options.folder)
    known = ("log_size", "unclean_elections")
    sizes = {name: getattr(options, name) for name in known if getattr(options, name) is not None}
    with reading(folder):
        seen = None if is_under_kraft(folder) else read_run(folder, options.topic, options.partition)
    if seen is None:
        model, told = options.models["kraft"], schemas_in(jars_of(release) / "libs")
        with reading(folder):
            read = read_metadata_run(folder, options.topic, options.partition, told)
        config = metadata_configuration(read, model, release, sizes)
        fit = MetadataFitting(read, model, config, release, options.skew, options.states).find()
    else:
        model = options.models["kafka"]
        config = configuration(seen, model, release, sizes)
        fit = Fitting(seen, model, config, release, options.skew, options.states).find()
    out = console(stderr=options.json == "-")
    print_result(out, fit, config)
    writes: list[Callable[[], None]] = []
    if fit.trace is not None and options.trace:
        text = write(fit.trace, change_lines(model, replay(fit.trace, model).states))
        writes.append(lambda: write_file(options.trace, text))
    code = EXIT_HOLDS if fit.trace is not None else EXIT_INCOMPLETE if fit.stopped else EXIT_NONCONFORMANT
    return conclude(code, options.json, lambda: as_json(fit), *writes)


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Within the block the files of a run are read; UsageError where one is missing, or does not say what it should."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{str(error.filename or folder)[:200]} cannot be read: {reason_of(error)}") from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(f"{folder} is not as `perform --keep` leaves it: {str(error)[:200]}") from None


def print_result(out: Any, fit: Any, config: Any) -> None:
    """What people read."""
    looked = plural(fit.states, "state")
    if fit.trace is not None:
        steps, events = plural(len(fit.trace.steps), "step"), plural(fit.events, "event")
        out.print(Text.assemble(("fits", "green"), f": {events} and what is on disk, in {steps}; {looked}"))
        for place, step in enumerate(fit.trace.steps, 1):
            out.print(Text(f"  {place:>3} {step.label}"), soft_wrap=True)
        return
    if fit.stopped:
        verdict = Text.assemble(("not decided", "bold yellow"), f": the search ended at {fit.stopped}")
    else:
        sizes = f", with logs of at most {config.log_size} offsets and {config.max_records} batches in all; {looked}"
        verdict = Text.assemble(("no behaviour fits", "bold red"), sizes if fit.states else "")
    out.print(verdict)
    if not fit.states:
        out.print(Text(f"  {fit.stuck[0]}"))
    elif fit.most < fit.events:
        out.print(Text(f"  the best attempt explains {fit.most} of {fit.events} events, but not: {'; '.join(fit.stuck)}"))
    else:
        out.print(Text(f"  all {fit.events} events can be explained, but not together with what is on disk in the end"))


def as_json(fit: Any) -> ObservedRun:
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
