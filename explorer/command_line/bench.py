"""`highwater bench`: what the engines cost and gain, as ratios in one run."""

import argparse
import os
import platform
from collections.abc import Callable
from typing import Any, NamedTuple

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.catalogue import default_properties, properties_of
from ...properties.property import Property
from ...properties.registry import MODELS
from ..bench.in_c import INVARIANTS, measure_in_c
from ..bench.measure_local import (
    BOUNDED,
    REVISION,
    measure_command,
    measure_model,
    measure_phases,
    measure_small,
    measure_start,
    measure_symmetry,
)
from ..bench.own_copy import measure_copy
from ..extras import needed
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..output.tables import plain_table
from ..verdict import EXIT_HOLDS
from .parsing import Parser, add_json, positive

SUMMARY = """Measure what the engines cost and gain: compiled against plain Python, two threads against one, whole states
against fingerprints, symmetry against none, one thread against a program in C, a copy of a built-in model against
itself, first starts against later ones, the README's first command from an empty cache, Spark against one thread, and two
executors against one. A part whose needs are missing (a C compiler, Java) says so.

Each ratio comes from alternating runs; the other figures, which --json has, depend on the machine."""

EXAMPLE = "highwater bench --only c --only spark --json bench.json"

ORACLE = {"log_size": 3, "max_records": 3, "max_epoch": 2}
"""The published model's largest measured size: 9,374,839 states."""

Figures = dict[str, list[dict[str, Any]]]

Case = tuple[Model, dict[str, Any], list[Property]]
"""A model, its sizes, and properties."""

RATIOS = {
    "states_per_cpu_second": "distinct states per CPU second, one thread",
    "times_plain": "times the same model in plain Python",
    "two_threads_speedup": "two threads, speed in wall time to one",
    "two_threads_cpu": "two threads, CPU to one",
    "exact_to_fingerprints": "CPU with --exact to fingerprints",
    "fewer_states": "states to those with --symmetry",
    "less_cpu": "CPU to that with --symmetry",
    "cpu_to_c": "CPU of one thread to the C program",
    "copy_rate": "rate of a user's copy to the model's",
    "copy_rate_with_symmetry": "the same with --symmetry",
    "copy_rate_exact": "the same with --exact",
    "cold_seconds": "seconds of a `check` from an empty cache",
    "warm_seconds": "seconds of a later start",
    "first_command_seconds": "seconds of README's first command, `matrix`, from an empty cache",
    "by_default_to_local_cpu": "CPU of Spark to one thread, `local[2]`",
    "spark_to_local_cpu": "the same, with a job for each level of at least 200,000 states",
    "speedup_of_2": "two executors, speed in wall time to one",
    "speedup_of_2_by_cpu": "the same where each process has a core: by the CPU of the driver and the busier executor",
}
"""What is shown of the figures, by their names: what it is."""


def add_flags(parser: Parser) -> None:
    """The flags of `bench`."""
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this part alone; may be repeated")
    parser.add_argument("--quick", action="store_true", help="small sizes: a test that it runs, not a measurement")
    parser.add_argument("--repeat", metavar="N", type=positive, default=3, help="runs of each side (3)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write JSON."""
    validate_outputs(options.json)
    figures: Figures = {"machine": [machine()]}
    for name, part in PARTS.items():
        if name in (options.only or PARTS):
            try:
                figures |= part(Asked(options.quick, options.repeat))
            except UsageError as reason:
                if options.only:
                    raise
                figures |= {name: [{"not_measured": str(reason)}]}
    figures["ratios"] = ratios(figures)
    if options.json != "-":
        print_figures(figures)
    return conclude(EXIT_HOLDS, options.json, lambda: figures)


class Asked(NamedTuple):
    """What was asked for: small sizes, and runs of each side."""

    quick: bool
    repeat: int

    def published(self, **fewer: int) -> Case:
        """The published model, with three invariants."""
        model = MODELS["published"]
        sizes: dict[str, Any] = {"brokers": 2} if self.quick else {**ORACLE, **fewer}
        return model, sizes, [claim for claim in properties_of(model) if claim.name in INVARIANTS]

    def kafka(self) -> Case:
        """The Kafka model."""
        model = MODELS["kafka"]
        return model, {"brokers": 2} if self.quick else {}, list(default_properties(model))


def measure_search(asked: Asked) -> Figures:
    """The local search."""
    some = asked.published(), asked.kafka()
    return {
        "models": [measure_model(*case, asked.repeat) for case in some],
        "phases of one thread, per distinct state": [measure_phases(*case) for case in some],
        "symmetry": [measure_symmetry(*case) for case in (asked.published(log_size=2, max_records=2), asked.kafka())],
    }


def measure_starts(_: Asked) -> Figures:
    """What a check costs before it explores."""
    named = ("published", "kafka")
    starts = [measure_start(["--model", name, "--revision", REVISION, *BOUNDED], name) for name in named]
    return {"start": [*starts, measure_small()]}


def measure_on_spark(asked: Asked) -> Figures:
    """Spark beside one thread; it is not imported before it is asked for."""
    with needed("spark", "bench --only spark"):
        from ..bench.measure_spark import measure_spark

    return measure_spark(asked.quick, asked.repeat)


def measure_executors(asked: Asked) -> Figures:
    """Two executors beside one."""
    with needed("spark", "bench --only executors"):
        from ..bench.measure_spark import compare_executors

    return compare_executors(asked.quick, asked.repeat)


PARTS: dict[str, Callable[[Asked], Figures]] = {
    "search": measure_search,
    "c": lambda asked: {"beside C": [measure_in_c(*asked.published(), asked.repeat)]},
    "copy": lambda asked: {"a copy": [measure_copy(*asked.published(), asked.repeat)]},
    "start": measure_starts,
    "matrix": lambda asked: {"first command": [measure_command(["--help"] if asked.quick else [])]},
    "spark": measure_on_spark,
    "executors": measure_executors,
}
"""The parts, in the order in which they are measured."""


def machine() -> dict[str, Any]:
    """What this was measured on: the processor, its cores, versions, and the load before it began."""
    names = [line.partition(":")[2].strip() for line in cpu_lines() if line.startswith("model name")]
    load = round(os.getloadavg()[0], 1)
    about = {"processor": names[0] if names else platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    return {**about, "load": load}


def cpu_lines() -> list[str]:
    """What Linux says of the processors."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


def ratios(figures: Figures) -> list[dict[str, Any]]:
    """One row for each of `RATIOS` that was measured, a column for each model; and what was not measured, and why."""
    rows = [row for table in figures.values() for row in table]
    found = []
    for name, what in RATIOS.items():
        values = {str(row.get("model", "all")): row[name] for row in rows if name in row}
        if values:
            found.append({"measured": what, **values})
    lacking = [(name, row) for name, table in figures.items() for row in table if "not_measured" in row]
    return found + [{"measured": name, **row} for name, row in lacking]


def print_figures(figures: Figures) -> None:
    """The ratios as one table, below what was measured on."""
    out, rows = console(), figures["ratios"]
    columns = list(dict.fromkeys(name for row in rows for name in row if name not in ("measured", "not_measured")))
    out.print(", ".join(f"{name} {value}" for row in figures["machine"] for name, value in row.items()), soft_wrap=True)
    table = plain_table("", *columns, right=columns)
    for row in (row for row in rows if "not_measured" not in row):
        table.add_row(row["measured"], *(shown(row.get(name, "")) for name in columns))
    out.print(table)
    for row in (row for row in rows if "not_measured" in row):
        out.print(f"{row['measured']}: not measured: {row['not_measured']}", soft_wrap=True)


def shown(value: Any) -> str:
    """A figure as people read it."""
    return f"{value:,}" if isinstance(value, int) else str(value)
