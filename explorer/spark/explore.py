"""From a request to the outcome, on a Spark session: the library's door to this engine.

with session("local[2]") as spark:
    outcome = explore(Request(...), spark, OnSpark(shards=4, run_directory="file:/data/run"))
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil

from ...model.language.errors import UsageError
from ...model.registry import MODELS
from ...properties.plugins import loaded_plugins
from ..compiling import symmetry
from ..identity import identity_of, prove_again
from ..local.check import compile_for, interruptible, outcome_of
from ..request import Request
from ..verdict import Outcome, collision_probability
from .hadoop import HadoopFolder
from .manifest import FORMAT, Manifests
from .search import DRIVER_STATES, NARROW, Options, SparkSearch
from .session import first_line, share_package
from .tasks import Probe, Subject
from .watch import SparkProgress

BUDGET = 256 << 20
"""Bytes that the arrays of one task may take, roughly."""


LOST = (
    "Python worker exited unexpectedly", "ExecutorLostFailure", "SparkContext was shut down", "SparkContext has been shutdown",
    "Error while sending or receiving", "Answer from Java side is empty", "Master removed our application",
)  # fmt: skip
"""What Spark says when processes died more often than it puts up with."""


@dataclass
class OnSpark:
    """How to explore on Spark: `shards` (one for each core when None), `bits` of a fingerprint (64 or 128), `budget`
    for the arrays of a task, and what `search.Options` has."""

    shards: int | None = None
    bits: int = 64
    budget: int = BUDGET
    narrow: int = NARROW
    driver_states: int = DRIVER_STATES
    run_directory: str | None = None
    resume: bool = False
    probe: Probe | None = None


def explore(
    request: Request, spark: Any, how: OnSpark | None = None, report: Callable[[SparkProgress], None] | None = None
) -> Outcome:
    """Explore breadth-first on a session that exists. UsageError when the request cannot be met."""
    how = how or OnSpark()
    refuse(request, how)
    share_package(spark.sparkContext)
    applicable = request.applicable
    begun = time.perf_counter()
    compiled = compile_for(request, applicable)
    shards = how.shards or int(spark.sparkContext.defaultParallelism)
    width = how.bits // 64
    names = tuple(p.name for p in applicable)
    settings = tuple(request.config.shown().items())
    subject = Subject(
        request.model.name, request.revision, settings, names, request.symmetry, request.generic, width, how.budget,
        loaded_plugins(),
    )  # fmt: skip
    about = identity_of(compiled, request.revision, applicable, request.deadlock)
    identity = {"format": FORMAT, **about, "shards": shards, "bits": how.bits}
    options = Options(shards, how.narrow, how.driver_states, request.keep_going, request.deadlock, how.probe)
    with directory(spark, how.run_directory) as manifests, explained(manifests, how.run_directory is not None):
        levels = manifests.begin(identity, how.resume, {"generic": request.generic})
        search = SparkSearch(spark, compiled, applicable, subject, manifests, options)
        if levels:
            search.restore(levels)
            prove_again(search, request.revision, applicable, how.run_directory)
        else:
            search.seed()
        ready, cpu = time.perf_counter(), cpu_of_all()
        with interruptible(search):
            search.run(request.bounds, report)
        seconds, used = time.perf_counter() - ready, cpu_of_all() - cpu
        outcome = outcome_of(request, search, applicable)
    outcome.engine = "spark"
    outcome.seconds, outcome.cpu_seconds, outcome.compile_seconds = seconds, used, ready - begun
    outcome.collision_probability = collision_probability(search.states, how.bits)
    outcome.threads = int(spark.sparkContext.defaultParallelism)
    return outcome


def refuse(request: Request, how: OnSpark) -> None:
    """UsageError for what this engine does not do."""
    if request.exact:
        raise UsageError("--exact is for the local engine; on Spark --bits 128 makes a missed state as good as impossible")
    if request.model.name not in MODELS:
        raise UsageError(f"the model {request.model.name} is not one that executors know by name; explore it locally")
    if request.symmetry:
        symmetry.refuse(request.model, request.config)
    if how.bits not in (64, 128):
        raise UsageError(f"a fingerprint has 64 or 128 bits, not {how.bits}")
    if how.shards is not None and not 1 <= how.shards <= 100_000:
        raise UsageError(f"there can be 1 to 100,000 shards, not {how.shards}")
    if how.resume and how.run_directory is None:
        raise UsageError("--resume needs --run-dir, the directory of the run to go on with")


@contextmanager
def directory(spark: Any, place: str | None) -> Iterator[Manifests]:
    """The run directory; without a place a temporary one, where all executors are on this machine."""
    if place is not None:
        yield opened(spark, place)
        return
    if not str(spark.sparkContext.master).startswith("local"):
        raise UsageError("executors on other machines need --run-dir, a directory that all of them reach")
    path = tempfile.mkdtemp(prefix="highwater-run-")
    try:
        yield opened(spark, f"file:{path}")
    finally:
        shutil.rmtree(path, ignore_errors=True)


def opened(spark: Any, place: str) -> Manifests:
    """The manifests in a directory, which is made; UsageError when it cannot be."""
    try:
        folder = HadoopFolder(spark, place)
        manifests = Manifests(folder, place)
        folder.make()
    except OSError as error:
        raise UsageError(f"the run directory {place} cannot be used: {error}; choose another one") from None
    return manifests


@contextmanager
def explained(manifests: Manifests, kept: bool) -> Iterator[None]:
    """What usually goes wrong while files are written is the user's to mend, and told in one sentence."""
    try:
        yield
    except UsageError:
        raise
    except Exception as error:
        text = f"{first_line(error)} {error}"
        if isinstance(error, OSError) and not isinstance(error, ConnectionError):
            raise manifests.unwritable(error) from None
        for sign in ("No space left on device", "Disk quota exceeded", "Permission denied", "Read-only file system"):
            if sign in text:
                raise manifests.unwritable(OSError(sign)) from None
        refused = re.search(r"\bUsageError: (.+)", text)
        if refused is not None:
            raise UsageError(f"an executor cannot take part: {refused[1]}") from None
        if isinstance(error, ConnectionError) or any(sign in text for sign in LOST):
            hint = "what is committed is kept, go on with --resume" if kept else "with --run-dir it could be resumed"
            raise UsageError(f"Spark gave up on the run: {first_line(error)}; {hint}") from None
        lost = re.search(r"ModuleNotFoundError: No module named '(highwater|numpy|numba|pyarrow)\b", text)
        if lost is not None:
            raise UsageError(
                f"the executors' Python has no {lost[1]}; install highwater[spark] there, or send the wheel with --py-files"
            ) from None
        raise


def cpu_of_all() -> float:
    """CPU seconds of this process and of all below it, those that have ended too: of Java and Python alike."""
    total = 0.0
    me = psutil.Process()
    for process in (me, *me.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
        total += times.children_user + times.children_system
    return total
