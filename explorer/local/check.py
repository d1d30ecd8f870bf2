"""Checking a model under one configuration, from the request to the outcome."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import numpy as np

from ...model.language.errors import UsageError
from ...model.language.reading.faults import validate_faults_counted
from ...properties.property import RECOVERABLE, Property
from ..budget import Bounds, OutOfTime
from ..compiling import symmetry
from ..compiling.background_compiler import compile_in_background
from ..compiling.compiled import Compiled
from ..compiling.compiled_for import compile_for
from ..compiling.failure import located
from ..compiling.meta_words import ROOT
from ..growth import Place, in_memory, on_disk, warned
from ..progress.decide import declares_fairness, require_scipy, validate_symmetry_with_progress
from ..progress.labels import validate_goal_count
from ..request import Request
from ..runs.ended import record_end
from ..search import SearchStatus, interruptible, outcome_of, undecided
from ..verdict import Outcome
from .breadth_first import SHARDS, BreadthFirst, compile_tables, search_for, timed
from .progress import findings_of_progress
from .race import can_race, race_with_compiler
from .run_directory import RunDirectory, open_run, validate_place


def check(request: Request, report: Callable[[SearchStatus], None] | None = None) -> Outcome:
    """Explore breadth-first and say what was found. UsageError when the request cannot be met."""
    validate_request(request)
    try:
        with request.bounds.kept():
            ready = prepared(request, report)
    except OutOfTime:
        return replace(undecided(request, request.bounds.over()), compile_seconds=request.bounds.elapsed())
    if isinstance(ready, Outcome):
        return ready
    try:
        return explored(ready, report)
    except OutOfTime as bound:
        seconds = request.initial_seconds + ready.compiled.beginnings.seconds
        return replace(undecided(request, str(bound)), compile_seconds=ready.seconds, initial_seconds=seconds)


@dataclass
class Ready:
    """What is compiled for a request, as `prepared` has it, and the seconds that it took."""

    request: Request
    compiled: Compiled
    seconds: float


def prepared(request: Request, report: Callable[[SearchStatus], None] | None) -> Ready | Outcome:
    """What is compiled for a request; the outcome, where a search in plain Python ended first."""
    applicable = request.applicable
    begun = time.perf_counter()
    request.bounds.limit_to_machine()
    request.bounds.validate_memory()
    compiled = compile_for(request, applicable, SHARDS)
    request.bounds.validate_memory()
    compiled.beginnings.bounds = request.bounds
    request = replace(request, exact=request.exact or bool(request.progress))  # whole states, to expand them again
    entries, can_wait = [(compiled.module, "expand"), (compiled.table, "rehash")], can_race(request, compiled)
    compiler = compile_in_background(compiled.module, entries, lambda: warm_up(compiled, applicable), can_wait)
    if compiler is not None:
        wall, cpu = time.perf_counter(), time.process_time()
        first = race_with_compiler(request, compiled, compiler, report)
        if first is not None:
            return concluded(request, first, time.perf_counter() - wall, time.process_time() - cpu, 0.0)
    warm_up(compiled, applicable)
    return Ready(request, compiled, time.perf_counter() - begun - compiled.beginnings.seconds)


def explored(ready: Ready, report: Callable[[SearchStatus], None] | None) -> Outcome:
    """Explore with compiled code."""
    request = ready.request
    search = search_for(request, ready.compiled, request.threads)
    if request.run_directory is None:
        search.seed()
        return timed_and_concluded(ready, search, report)
    place = open_run(request.run_directory, search, request.revision, request.resume, request.resume_from, report)
    with place as directory:
        outcome = timed_and_concluded(ready, search, report, directory)
        record_end(directory.manifests, outcome)
    return outcome


def timed_and_concluded(
    ready: Ready, search: BreadthFirst, report: Callable[[SearchStatus], None] | None, directory: RunDirectory | None = None
) -> Outcome:
    """Run a search that is seeded or restored, to its outcome: none if the last level was changed while it was expanded."""
    bounds, words = ready.request.bounds, ready.compiled.key_words + 1

    def places(status: SearchStatus) -> list[Place]:
        kept = on_disk(directory.path, 8 * words) if directory is not None else []
        return [*in_memory(bounds, status.bytes / status.states), *kept]

    with interruptible(search), located_in(search):
        told = warned(report, search, bounds, places)
        seconds, cpu = timed(search, bounds, told, directory.commit if directory is not None else None)
    if directory is not None:
        directory.validate_unchanged()
    return concluded(ready.request, search, seconds, cpu, ready.seconds)


def concluded(request: Request, search: BreadthFirst, seconds: float, cpu: float, compiling: float) -> Outcome:
    """The outcome of a search, with the seconds and CPU seconds that it took, and the seconds to compile."""
    outcome = outcome_of(request, search, request.applicable)
    if request.progress:
        wall, used = time.perf_counter(), time.process_time()
        with located_in(search):
            outcome.findings += findings_of_progress(search, request.revision, request.progress)
        seconds, cpu = seconds + time.perf_counter() - wall, cpu + time.process_time() - used
    outcome.seconds, outcome.cpu_seconds, outcome.compile_seconds = seconds, cpu, compiling
    outcome.initial_seconds = request.initial_seconds + search.compiled.beginnings.seconds
    return outcome


def validate_request(request: Request) -> None:
    """UsageError where the request cannot be met."""
    validate_symmetry_with_progress(request)
    require_scipy(request)
    if request.symmetry:
        symmetry.validate_symmetry(request.model, request.config, request.applicable)
    if request.run_directory is not None:
        validate_place(request.run_directory, request)
    if request.progress:
        validate_faults_counted(request.model, request.config)
    for claim in request.progress:
        validate_goal_count(claim, request.config)
        if claim.kind != RECOVERABLE and not declares_fairness(request.model):
            raise UsageError(
                f"{claim.name} needs fairness, and the model {request.model.name} declares none of its actions weak or strong:"
                " without it, nothing need ever happen"
            )


def warm_up(compiled: Compiled, properties: list[Property]) -> None:
    """Compile everything before timing starts: what keeps states last, since another process may be doing that meanwhile."""
    search = BreadthFirst(compiled, properties)
    first = compiled.keys_of(compiled.beginnings.first[:1])
    search.expand(0, first, 0, 0, only_check=False)
    compiled.beginnings.compile(compiled.canonised)
    compile_tables(compiled)
    search.add_level(first, np.full(len(first), ROOT, np.uint64))
    with located_in(search):
        search.run(Bounds(depth=2))


def located_in(search: BreadthFirst) -> AbstractContextManager[None]:
    """A failure of the model within the block is reported with its place."""
    compiled = search.compiled
    return located(compiled, search.properties, search.rows)
