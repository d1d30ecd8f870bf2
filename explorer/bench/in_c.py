"""One thread of Highwater beside the published model in C, written by hand (`published_kip_279.c`): both must find the same.

The C program knows one revision and fits sizes of at most three brokers, offsets and records and leader epochs up to 2.
"""

import resource
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.property import Property
from .measure_local import REVISION, explore, ready

SOURCE = Path(__file__).with_name("published_kip_279.c")

OPTIONS = ("-O3", "-march=native")

SLOTS = 1 << 24
"""Of its one table, which does not grow: half of them are used at the measured sizes."""

INVARIANTS = ("weak_isr", "strong_isr", "hw_within_log")
"""What it checks, in the order of the bits that it prints."""


@dataclass
class Measured:
    """What the program counts, and its CPU seconds; the initial state counts as a transition. `violated`: in order."""

    states: int
    transitions: int
    cpu: float
    violated: list[str]


def has_compiler() -> bool:
    """Whether there is a C compiler."""
    return shutil.which("cc") is not None


def validate_compiler() -> None:
    """UsageError where there is none."""
    if not has_compiler():
        raise UsageError("there is no C compiler `cc`, so there is nothing to measure against: install one")


def explore_in_c(config: Any) -> Measured:
    """Everything reachable, by the C program."""
    validate_compiler()
    sizes = {name.upper(): getattr(config, name) for name in ("brokers", "log_size", "max_records", "max_epoch")}
    defined = [f"-D{name}={value}" for name, value in (sizes | {"SLOTS": SLOTS}).items()]
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "published"))
        done = subprocess.run(["cc", *OPTIONS, *defined, "-o", program, str(SOURCE)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise UsageError(f"cc does not compile the program to measure against: {done.stderr[:300]}")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run([program], capture_output=True, text=True, check=False).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    states, transitions, _, violated = map(int, said.split())
    return Measured(states, transitions, cpu, [name for bit, name in enumerate(INVARIANTS) if violated >> bit & 1])


def measure_in_c(model: Model, settings: dict[str, Any], properties: list[Property], repeat: int) -> dict[str, Any]:
    """One thread and the C program alternately, on one configuration: each side's least CPU time."""
    validate_compiler()
    compiled, applicable = ready(model, settings, properties)
    assert sorted(claim.name for claim in applicable) == sorted(INVARIANTS)
    ours, theirs = [], []
    for _ in range(repeat):
        ours.append(explore(compiled, applicable, 1))
        theirs.append(explore_in_c(compiled.config))
    own, their = min(ours, key=lambda run: run.cpu), min(theirs, key=lambda run: run.cpu)
    if (own.states, own.transitions) != (their.states, their.transitions):
        raise UsageError(
            f"C finds {their.states:,} states and {their.transitions:,} transitions, Highwater {own.states:,} and"
            f" {own.transitions:,}: one of them is wrong"
        )
    return {
        "model": model.name,
        "revision": REVISION,
        "settings": settings,
        "properties": len(applicable),
        "distinct_states": own.states,
        "transitions": own.transitions,
        "c_cpu_seconds": round(their.cpu, 2),
        "highwater_cpu_seconds": round(own.cpu, 2),
        "cpu_to_c": round(own.cpu / their.cpu, 2),
    }
