"""The published model in C, written by hand (`published_kip_279.c`), to measure in one run with ours.

It knows one revision and fits sizes of at most three brokers, offsets and records and leader epochs up to 2.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.property import Property
from .beside import Measured, run_measured

SOURCE = Path(__file__).with_name("published_kip_279.c")

OPTIONS = ("-O3", "-march=native")

SLOTS = 1 << 24
"""Of its one table, which does not grow: half of them are used at the measured sizes."""

INVARIANTS = ("weak_isr", "strong_isr", "hw_within_log")
"""What it checks, in the order of the bits that it prints."""


def validate_compiler() -> None:
    """UsageError where there is no C compiler."""
    if shutil.which("cc") is None:
        raise UsageError("there is no C compiler `cc`, so there is nothing to measure against: install one")


def explore_in_c(model: Model, config: Any, properties: list[Property]) -> Measured:
    """Everything reachable, by the C program."""
    validate_compiler()
    assert sorted(claim.name for claim in properties) == sorted(INVARIANTS)
    sizes = {name.upper(): getattr(config, name) for name in ("brokers", "log_size", "max_records", "max_epoch")}
    defined = [f"-D{name}={value}" for name, value in (sizes | {"SLOTS": SLOTS}).items()]
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "published"))
        done = subprocess.run(
            ["cc", *OPTIONS, *defined, "-o", program, str(SOURCE)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise UsageError(f"cc does not compile the program to measure against: {done.stderr[:300]}")
        said, cpu = run_measured([program], folder)
    states, transitions, _, violated = map(int, said.split())
    return Measured(states, transitions, cpu, [name for bit, name in enumerate(INVARIANTS) if violated >> bit & 1])
