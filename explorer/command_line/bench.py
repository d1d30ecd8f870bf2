"""`highwater bench`: speed and memory of the local explorer, or of Spark beside it, as ratios in one run."""

import argparse
from typing import Any

from ...model.language.errors import UsageError
from ...properties.catalogue import default_properties, properties_of
from ...properties.registry import MODELS
from ..bench.in_c import has_compiler, measure_in_c, validate_compiler
from ..bench.measure_local import REVISION, measure_model, measure_phases, measure_start, measure_symmetry
from ..extras import needed
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..output.tables import plain_table
from ..verdict import EXIT_HOLDS
from .parsing import Parser, add_json, positive

SUMMARY = """Measure the local explorer: compiled against plain Python, two threads against one,
whole states against fingerprints, symmetry against none, cold start against warm, and where there is a C compiler,
one thread against a program written by hand in C; with --against c, that alone. With --engine spark, measure the cost
of Spark against one local thread, the cost of a level, and two executors against one.

Ratios come from alternating runs; the other figures depend on the machine."""

EXAMPLE = "highwater bench --json bench.json"

ORACLE = {"log_size": 3, "max_records": 3, "max_epoch": 2}
"""The published model's largest measured size: 9,374,839 states."""

THREE_INVARIANTS = ("weak_isr", "strong_isr", "hw_within_log")


def add_flags(parser: Parser) -> None:
    """The flags of `bench`."""
    parser.add_argument("--engine", choices=("local", "spark"), default="local", help="what is measured (local)")
    parser.add_argument("--against", choices=("c",), help="compare one thread with a program in C")
    parser.add_argument("--quick", action="store_true", help="small sizes: a test that it runs, not a measurement")
    parser.add_argument("--repeat", metavar="N", type=positive, default=3, help="runs of each side (3)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write JSON."""
    validate_outputs(options.json)
    if options.against and options.engine == "spark":
        raise UsageError("--against measures the local explorer; leave out --engine spark")
    if options.against:
        figures = measure_against_c(options.quick, options.repeat)
    else:
        figures = (measure_on_spark if options.engine == "spark" else measure_all)(options.quick, options.repeat)
    if options.json != "-":
        print_figures(figures)
    return conclude(EXIT_HOLDS, options.json, lambda: figures)


def measure_against_c(quick: bool, repeat: int) -> dict[str, Any]:
    """The published model in C, and by one thread of ours."""
    validate_compiler()
    published = MODELS["published"]
    invariants = [p for p in properties_of(published) if p.name in THREE_INVARIANTS]
    sizes: dict[str, Any] = {"brokers": 2} if quick else ORACLE
    return {"beside C": [measure_in_c(published, sizes, invariants, repeat)]}


def measure_on_spark(quick: bool, repeat: int) -> dict[str, Any]:
    """The same of Spark, which is not imported before it is asked for."""
    with needed("spark", "bench --engine spark"):
        from ..bench.measure_spark import measure_spark

    return measure_spark(quick, repeat)


def measure_all(quick: bool, repeat: int) -> dict[str, Any]:
    """Everything that the table shows."""
    published, kafka = MODELS["published"], MODELS["kafka"]
    invariants = [p for p in properties_of(published) if p.name in THREE_INVARIANTS]
    oracle = {"brokers": 2} if quick else ORACLE
    of_kafka = (kafka, {"brokers": 2} if quick else {}, list(default_properties(kafka)))
    some, fewer = (published, oracle, invariants), (published, {**oracle, "log_size": 2, "max_records": 2}, invariants)
    return {
        "models": [measure_model(*case, repeat) for case in (some, of_kafka)],
        "phases of one thread, per distinct state": [measure_phases(*case) for case in (some, of_kafka)],
        "symmetry": [measure_symmetry(*case) for case in (fewer, of_kafka)],
        "start": [measure_start(["--model", name, "--revision", REVISION]) for name in ("published", "kafka")],
        **(measure_against_c(quick, repeat) if has_compiler() else {}),
    }


def print_figures(figures: dict[str, Any]) -> None:
    """One table per question, a column per model."""
    out = console()
    for title, entries in figures.items():
        models = [str(entry.get("model") or entry["check"][1]) for entry in entries]
        table = plain_table("", *models, right=models, title=title)
        for key in dict.fromkeys(key for entry in entries for key in entry):
            if key not in ("model", "check"):
                table.add_row(key.replace("_", " "), *(shown(entry.get(key, "")) for entry in entries))
        out.print(table)
        out.print()


def shown(value: Any) -> str:
    """A figure as people read it."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items()) or "default"
    return f"{value:,}" if isinstance(value, int) else str(value)
