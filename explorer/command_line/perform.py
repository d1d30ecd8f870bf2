"""`highwater perform`: a trace, or random walks, on real Kafka brokers, compared with the model after each step."""

import argparse
import shutil
from pathlib import Path
from typing import Any

from rich.text import Text

from ...model.language.errors import UsageError
from ...traces.families.scenarios import path_of
from ...traces.text import read_file
from ...traces.trace import Trace
from ...traces.words import plural
from ..extras import needed
from ..output.documents import Performed, PerformedWalks
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_NONCONFORMANT
from .parsing import Parser, SetSetting, add_json, number, positive, settings_of

SUMMARY = """Perform a trace on real Kafka brokers, and compare them with the model after each step.

Highwater is the controller. ZooKeeper and the brokers run on this machine, and fetches
wait in a proxy until the trace takes them. Needs the extra `brokers` and a Java development kit, 11 or later.
Exits with 0 when the brokers do as the model says, with 17 when they differ, with 20
when a step could not be forced. With --walks: random walks of the model instead."""

PERFORMED = ("kafka", "kraft")
EXAMPLE = "highwater perform --release 1.0.2 traces/golden/s1_silent_divergence.kip-101.trace"


def add_flags(parser: Parser) -> None:
    """The flags of `perform`."""
    parser.add_argument("trace", metavar="FILE", nargs="?", help="a trace file, or a scenario's name")
    parser.add_argument("--release", metavar="VERSION", help="Kafka's release, such as 1.0.2; mvn fetches it once")
    parser.add_argument("--kafka", metavar="DIR", help="an unpacked distribution instead")
    parser.add_argument("--keep", metavar="DIR", help="keep logs and segments in this new folder, for `observe`")
    parser.add_argument("--go-on", action="store_true", help="continue after a difference, as long as steps can be forced")
    parser.add_argument("--repeat", metavar="N", type=positive, default=1, help="perform it this many times (1)")
    parser.add_argument("--verbose", action="store_true", help="print each step, and the requests that passed")
    text = "another setting than the release's or the trace's, such as your branch's; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action=SetSetting, default=argparse.SUPPRESS, help=text)
    walks = parser.add_argument_group("random walks instead of a trace")
    walks.add_argument("--walks", metavar="N", type=positive, help="how many")
    walks.add_argument("--model", metavar="NAME", help="kafka (ZooKeeper) or kraft (default: the release's)")
    walks.add_argument("--brokers", metavar="N", type=positive, default=3, help="brokers in the cluster (3)")
    walks.add_argument("--length", metavar="N", type=positive, default=22, help="most steps of a walk (22)")
    walks.add_argument("--seed", metavar="N", type=number, default=0, help="seed of the first walk; later walks count up (0)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Perform, report, and answer the exit code."""
    validate_outputs(options.json)
    if (options.trace is None) == (options.walks is None):
        raise UsageError("give a trace file, or --walks N; see highwater perform --help")
    require_extra()
    from ...traces.brokers.process import BrokerError

    try:
        if options.walks is not None:
            return run_walks(options)
        options.trace = path_of(options.trace)
        return run_trace(options, read_file(options.trace))
    except BrokerError as error:
        console(stderr=True).print(Text(f"highwater: {error}"), soft_wrap=True)
        return EXIT_INCOMPLETE


def require_extra() -> None:
    """UsageError when the libraries of the extra are not installed."""
    with needed("brokers", "a run on real brokers"):
        import kafka  # noqa: F401
        import kazoo  # noqa: F401


def run_trace(options: argparse.Namespace, trace: Trace) -> int:
    """One trace, once or several times on the same cluster."""
    from ...traces.brokers.perform import perform, refused
    from ...traces.brokers.runs import cluster_of, reason_of, renew, source_of, under_kraft

    model = options.models[trace.model]
    if model.name not in PERFORMED:
        raise UsageError(f"{options.trace} is of the model {model.name}: only traces of kafka and kraft can be performed")
    if trace.revision not in model.revisions:
        raise UsageError(f"{options.trace} is of the revision {trace.revision!r:.40}, which the model {model.name} does not have")
    if given := settings_of(options, model):
        trace = trace.under(trace.revision, **given)
    config = model.configure(trace.revision, **trace.settings)
    out = console(stderr=options.json == "-")
    source, kraft = source_of(options.release, options.kafka), under_kraft(config)
    if (never := refused(trace, model, kraft)) is not None:
        print_result(out, source.release.shown, never, None)
        return conclude(EXIT_INCOMPLETE, options.json, lambda: as_json(source.release.built or source.release.name, never, None))
    documents, codes = [], []
    with cluster_of(source, config.brokers, options.keep, kraft) as cluster:
        if options.keep:
            shutil.copyfile(options.trace, Path(options.keep) / "performed.trace")
        done = None
        for _ in range(options.repeat):
            if done is not None:
                renew(cluster, done)
            done = perform(trace, model, cluster, reporter(out) if options.verbose else None, options.go_on)
            reason = reason_of(cluster.release, done)
            codes.append(exit_code(done))
            documents.append(as_json(cluster.release.built or cluster.release.name, done, reason))
            if options.repeat == 1 or codes[-1] != EXIT_HOLDS:
                print_result(out, cluster.release.shown, done, reason)
    if options.repeat > 1:
        out.print(Text(f"{codes.count(EXIT_HOLDS)} of {len(codes)} runs did as the model says"))
    code = next((code for code in (EXIT_NONCONFORMANT, EXIT_INCOMPLETE) if code in codes), EXIT_HOLDS)
    return conclude(code, options.json, lambda: documents if options.repeat > 1 else documents[0])


def reporter(out: Any) -> Any:
    """Prints each step as it is done."""

    def report(number: int, step: Any, passed: list[str]) -> None:
        out.print(Text.assemble(f"{number:>4} {step.label}", (f"    {', '.join(passed)}", "dim")), soft_wrap=True)

    return report


def exit_code(done: Any) -> int:
    """17 when the brokers differ or the trace is none of the model's, 20 when a step could not be forced."""
    if done.differences or done.mismatch:
        return EXIT_NONCONFORMANT
    return EXIT_INCOMPLETE if done.refused else EXIT_HOLDS


def place(done: Any) -> str:
    """The step that did not go well."""
    if done.ran < len(done.trace.steps):
        return f"at step {done.ran + 1}, {done.trace.steps[done.ran].label}"
    return "at the end"


def print_result(out: Any, release: str, done: Any, reason: Any) -> None:
    """What people read: the verdict, the first differences, what is on the disks in the end."""
    ran = f"{done.ran} of {plural(len(done.trace.steps), 'step')} on Kafka {release}, {done.seconds:.1f} s"
    if done.mismatch:
        out.print(Text.assemble(("does not fit the model", "bold red"), f": {done.mismatch}"), soft_wrap=True)
        return
    if done.refused and not done.states:
        out.print(Text.assemble(("cannot be forced", "bold yellow"), f", so nothing was run: {place(done)[3:]}: {done.refused}"),
                  soft_wrap=True)  # fmt: skip
        return
    if done.differences:
        out.print(Text.assemble(("differs", "bold red"), f": {ran}; {place(done)}"), soft_wrap=True)
        for difference in done.differences:
            out.print(Text(f"  {difference}"), soft_wrap=True)
        if reason is not None:
            out.print(Text(f"  known: {reason.sentence}", style="dim"), soft_wrap=True)
    elif done.refused:
        out.print(Text.assemble(("cannot be forced", "bold yellow"), f": {ran}; {place(done)}: {done.refused}"), soft_wrap=True)
    else:
        out.print(Text.assemble(("as the model says", "green"), f": {ran}"), soft_wrap=True)
    for line in done.ends:
        out.print(Text(f"  {line}"), soft_wrap=True)


def as_json(release: str, done: Any, reason: Any) -> Performed:
    """The JSON document of one performance."""
    verdict = "differs" if done.differences else "refused" if done.refused else "agrees"
    return {
        "release": release,
        "revision": done.trace.revision,
        "steps": len(done.trace.steps),
        "ran": done.ran,
        "verdict": "mismatch" if done.mismatch else verdict,
        "refused": done.refused or None,
        "mismatch": done.mismatch or None,
        "differences": [vars(d) for d in done.differences],
        "known": reason.name if reason else None,
        "ends": done.ends,
        "acknowledged": {str(record): error for record, error in sorted(done.acknowledged.items())},
        "seconds": round(done.seconds, 2),
    }


def run_walks(options: argparse.Namespace) -> int:
    """Random walks on one cluster: 17 when one differs and no one knows why."""
    from ...traces.brokers.runs import cluster_of, source_of, take_walks, under_kraft
    from ...traces.brokers.walks import described_by, sizes

    source = source_of(options.release, options.kafka)
    release = source.release
    name = options.model or ("kafka" if release.zookeeper else "kraft")
    if name not in PERFORMED:
        raise UsageError(f"--model {name:.40} has no walks on brokers: it is kafka (ZooKeeper) or kraft")
    model = options.models[name]
    revision, settings = described_by(model, release)
    config = model.configure(revision, **{**settings, **sizes(model, options.brokers), **settings_of(options, model)})
    out = console(stderr=options.json == "-")

    def report(seed: int, done: Any, reason: Any) -> None:
        if done.differences and (reason is None or options.verbose):
            why = reason.name if reason else "no known reason"
            out.print(Text(f"walk {seed}: differs {place(done)}: {why}"), soft_wrap=True)
            for difference in done.differences:
                out.print(Text(f"  {difference}"), soft_wrap=True)

    with cluster_of(source, options.brokers, options.keep, under_kraft(config)) as cluster:
        seeds = range(options.seed, options.seed + options.walks)
        tally = take_walks(model, cluster, config, seeds, options.length, report)
    out.print(Text(f"{plural(tally.walks, 'walk')} on Kafka {release.shown}, {plural(tally.steps, 'step')} compared: "
                   f"{tally.agreed} agreed to the end"))  # fmt: skip
    for name, count in [*tally.explained.items(), *tally.refused.items()]:
        out.print(Text(f"  {count:>4}  {name}"), soft_wrap=True)
    code = EXIT_NONCONFORMANT if tally.unexplained else EXIT_INCOMPLETE if tally.refused else EXIT_HOLDS
    return conclude(code, options.json, lambda: tally_as_json(release.built or release.name, options.brokers, tally))


def tally_as_json(release: str, brokers: int, tally: Any) -> PerformedWalks:
    """The JSON document of many walks."""
    return {
        "release": release,
        "brokers": brokers,
        "walks": tally.walks,
        "steps": tally.steps,
        "agreed": tally.agreed,
        "refused": dict(tally.refused),
        "differences": dict(tally.explained),
        "unexplained": [seed for seed, _ in tally.unexplained],
    }
