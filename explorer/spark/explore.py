"""From a request to the outcome, on a Spark session: the library's entry to this engine.

with session("local[2]") as spark:
    outcome = explore(Request(..., run_directory="file:/data/run"), spark, OnSpark(shards=4))
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import psutil

from ...model.language.errors import UsageError, reason_of
from ...model.language.reading.faults import validate_faults_counted
from ...properties.registry import MODELS
from ..budget import OutOfTime
from ..compiling import symmetry
from ..compiling.compiled_for import compile_for
from ..files import probe
from ..growth import on_disk, warned
from ..progress.decide import validate_symmetry_with_progress
from ..request import Request
from ..runs.ended import record_end
from ..runs.files import URI, LocalFiles, local_folder
from ..runs.identity import identity_of, programs_of, prove_again, validate_same_run
from ..runs.lock import locked
from ..runs.manifests import Manifests
from ..search import interruptible, outcome_of, undecided
from ..sources import digest_of_what_runs
from ..verdict import Outcome, collision_probability
from .backward import findings_on_spark, validate_decidable
from .claim import claimed_by_me
from .failures import explained
from .folder import Folder
from .hadoop import HadoopFolder
from .leftovers import temporary
from .object_store import SCHEMES, ObjectStore
from .search import SparkSearch
from .session import master_of, share_package
from .settings import OnSpark as OnSpark
from .shards import MAX_SHARDS
from .tasks import Subject
from .watch import SparkProgress

FORMAT = 4

ESTIMATED = "estimated"
"""Stands in the identity of a run for its number of shards, if that was not given."""


def explore(
    request: Request, spark: Any, how: OnSpark | None = None, report: Callable[[SparkProgress], None] | None = None
) -> Outcome:
    """Explore breadth-first on a session that exists. UsageError when the request cannot be met."""
    how = how or OnSpark()
    validate_request(request, how)
    share_package(spark.sparkContext)
    applicable = request.applicable
    begun, threads = time.perf_counter(), int(spark.sparkContext.defaultParallelism)
    request.bounds.limit_to_machine()
    request.bounds.validate_memory()
    width = how.bits // 64
    names = tuple(p.name for p in applicable)
    settings = tuple(request.config.shown().items())
    subject = Subject(
        request.model.name, request.revision, settings, names, request.symmetry, request.generic, width, how.budget,
        request.model.plugins, digest_of_what_runs(),
        programs_of(request.model, request.config, applicable) if request.model.plugins else "",
    )  # fmt: skip
    remarks: list[str] = []
    with directory(spark, request, remarks) as (uri, manifests), explained(manifests, request.run_directory is not None):
        shards = how.shards or shards_there(manifests, request.resume)
        compiled = compile_for(request, applicable)
        compiled.beginnings.bounds = request.bounds
        identity = identity_on_spark(request, how, shards)
        levels = manifests.begin(identity, request.resume, {"generic": request.generic}, request.resume_from)
        search = SparkSearch(spark, compiled, request, subject, uri, manifests, how, shards, report)
        if levels:
            search.restore(levels, request.resume_from is not None)
            prove_again(search, request.revision, applicable, request.run_directory)
            manifests.prune()
        else:
            try:
                search.seed()
            except OutOfTime as bound:
                outcome = replace(undecided(request, str(bound)), engine="spark")
                outcome.initial_seconds = request.initial_seconds + compiled.beginnings.seconds
                outcome.compile_seconds = time.perf_counter() - begun - compiled.beginnings.seconds
                return outcome
        folder = local_folder(uri)
        search.report = warned(search.report, search, request.bounds, lambda now: on_disk(folder, now.bytes / now.states))
        search.report(search.progress())
        clock = Clock()
        with search.watch.awaited(), interruptible(search):
            with clock.running():
                search.run()
            outcome = outcome_of(request, search, applicable)
            with clock.running():
                outcome.findings += findings_on_spark(search, request.revision, request.progress)
            outcome.complete, outcome.stopped = search.complete, "" if search.complete else search.stopped
        outcome.remarks = remarks
        if request.run_directory is not None:
            record_end(manifests, outcome)
    outcome.engine = "spark"
    outcome.seconds, outcome.cpu_seconds, outcome.compile_seconds = clock.seconds, clock.cpu, clock.begun - begun
    outcome.initial_seconds = request.initial_seconds + search.compiled.beginnings.seconds
    outcome.collision_probability = collision_probability(search.states, how.bits)
    outcome.threads = threads  # known before: Java may be gone by now, and the verdict does not need it
    return outcome


def identity_on_spark(request: Request, how: OnSpark, shards: int | None) -> dict[str, Any]:
    """What determines the verdict of a run on Spark."""
    about = identity_of(request, request.revision, request.applicable, request.deadlock)
    return {"engine": "spark", "format": FORMAT, **about, "shards": shards or ESTIMATED, "bits": how.bits}


def validate_place(request: Request, how: OnSpark, master: str | None) -> None:
    """UsageError where no run can be begun in a directory of this machine, or not this one resumed: asked before Java starts,
    which is when it is known of a path that is no URI what it is to Hadoop."""
    place, elsewhere = request.run_directory, "HADOOP_CONF_DIR" in os.environ or not (master_of(master) or "").startswith("local")
    folder = local_folder(place) if place is not None else None
    if place is None or folder is None or (elsewhere and not URI.match(place)):
        return
    try:
        probe(str(folder), is_folder=True)
    except UsageError as error:
        raise UsageError(f"the run directory {place} cannot be used: {error}") from None
    manifests = Manifests(LocalFiles(folder), place)
    manifests.validate_resume(request.resume)
    if request.resume:
        mine = identity_on_spark(request, how, how.shards or shards_there(manifests, True))
        validate_same_run(place, manifests.identity(), mine)


def shards_there(manifests: Manifests, resume: bool) -> int | None:
    """The shards that the run which is resumed was given; None when they are estimated, or were."""
    found = manifests.identity().get("shards") if resume else None
    return found if isinstance(found, int) else None


def validate_request(request: Request, how: OnSpark) -> None:
    """UsageError for what this engine does not do."""
    if request.exact:
        raise UsageError("--exact is for the local engine; on Spark --bits 128 makes a missed state practically impossible")
    if request.model.name not in MODELS and not request.model.plugins:
        raise UsageError(f"the model {request.model.name} is not available to executors by name; use the local engine")
    validate_decidable(request.progress, request.config)
    if request.progress:
        validate_faults_counted(request.model, request.config)
    validate_symmetry_with_progress(request)
    if request.symmetry:
        symmetry.validate_symmetry(request.model, request.config, request.applicable)
    if how.bits not in (64, 128):
        raise UsageError(f"a fingerprint has 64 or 128 bits, not {how.bits}")
    if how.shards is not None and not 1 <= how.shards <= MAX_SHARDS:
        raise UsageError(f"there can be 1 to {MAX_SHARDS:,} shards, not {how.shards}")


@contextmanager
def directory(spark: Any, request: Request, remarks: list[str]) -> Iterator[tuple[str, Manifests]]:
    """The run directory, for this run alone: its URI and manifests; without a place a temporary one, where all executors
    are on this machine."""
    if request.run_directory is not None:
        with claimed(spark, request.run_directory, request.resume, remarks) as found:
            yield found
        return
    if not str(spark.sparkContext.master).startswith("local"):
        raise UsageError("executors on other machines need --run-dir, a directory that all of them reach")
    with temporary("run") as path:
        yield path.as_uri(), Manifests(LocalFiles(path), str(path))


@contextmanager
def claimed(spark: Any, place: str, resume: bool, remarks: list[str]) -> Iterator[tuple[str, Manifests]]:
    """A directory, which is made, for the block alone; UsageError when it cannot be, or when another process has it."""
    with ExitStack() as stack:
        try:
            store, uri = store_at(spark, place)
            manifests = Manifests(store, place)
            manifests.validate_resume(resume)
            if isinstance(store, LocalFiles):
                store.base.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(store.base, place))
            else:
                store.make()
                stack.enter_context(claimed_by_me(store, place, remarks))
        except OSError as error:
            raise UsageError(f"the run directory {place} cannot be used: {reason_of(error)}; choose another one") from None
        yield uri, manifests


def store_at(spark: Any, place: str) -> tuple[LocalFiles | HadoopFolder | ObjectStore, str]:
    """The store of the manifests, and the qualified URI; OSError when the place cannot be reached."""
    here = local_folder(place)
    if here is not None and (URI.match(place) or has_local_paths(spark)):
        return LocalFiles(here), here.absolute().as_uri()
    if place.partition(":")[0].lower() in SCHEMES:
        store = ObjectStore(place)
        return store, store.uri
    folder = HadoopFolder(spark, place)
    Folder(folder.uri)  # OSError where there is no libhdfs, before anything is written
    return folder, folder.uri


def has_local_paths(spark: Any) -> bool:
    """Whether a path that is no URI is one of this machine to Hadoop: on a cluster it may be one of `hdfs:`."""
    return str(spark.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS", "file:")).startswith("file:")


class Clock:
    """Wall seconds, and CPU seconds of all processes, of the search; as locally, without making the traces."""

    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self.seconds = self.cpu = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Add the time that the block takes."""
        begun, cpu = time.perf_counter(), cpu_of_all()
        yield
        self.seconds += time.perf_counter() - begun
        self.cpu += cpu_of_all() - cpu


def cpu_of_all() -> float:
    """CPU seconds of this process and of all below it, those that have ended too: of Java and Python alike."""
    return cpu_of(psutil.Process())


def cpu_of(top: psutil.Process) -> float:
    """The same of another process."""
    total = 0.0
    for process in (top, *top.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
        total += times.children_user + times.children_system
    return total
