"""The results of a sweep as a Parquet table: a folder of files, one for each point, with a row for each property.

A file is written when its point is done, under a name that is a digest of what was explored, and counts as a whole or not at all.
A point whose file is there is not explored again, unless a bound had ended it and other bounds are given now. A file holds a
digest of its rows, and does not count when it is not as it was written. `SCHEMA` is the table's; a point that the model refuses
has one row, without a property and with the reason in `refused`.
"""

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...model.language.actions import Model
from ...model.language.errors import UsageError, reason_of
from ...properties.catalogue import claims_of
from ...traces.text import read as read_trace
from ...traces.text import write as write_trace
from ...traces.trace import version_of
from ..extras import own_version
from ..runs.files import Store
from ..runs.identity import begins_of, declarations_of, digest, fairness_of, text_of
from ..runs.point_names import PREFIX, SUFFIX
from ..runs.reading import is_missing
from ..search import INTERRUPTION
from .runners import Runner
from .tasks import Explored, Task, Verdict

DIGEST = b"digest"
"""The key of a file's metadata under which the digest of its rows stands."""

TEXT, TEXTS, NUMBER, COUNT, SECONDS = pa.string(), pa.map_(pa.string(), pa.string()), pa.int32(), pa.int64(), pa.float64()
KINDS = {
    "point": (TEXT, "digest of what was explored: model and its version, settings, properties, but not the bounds"),
    "model": (TEXT, ""),
    "model_version": (TEXT, "digest of the model's actions"),
    "highwater": (TEXT, "the version that explored"),
    "revision": (TEXT, ""),
    "settings": (TEXTS, "every setting"),
    "varied": (TEXTS, "the values of the names that vary"),
    "property": (TEXT, "null for a point that the model refuses, which has one row"),
    "kind": (TEXT, "`always`, `step`, `sometimes`"),
    "verdict": (TEXT, "`holds`, `violated`, `incomplete`, `witnessed`, `never witnessed`, `not applicable`"),
    "depth": (NUMBER, "level of the first state that violates or witnesses it; the initial states are level 1"),
    "trace": (TEXT, "a shortest counterexample, as `highwater replay` reads it"),
    "complete": (pa.bool_(), "everything reachable was explored"),
    "stopped_by": (TEXT, "the bound that ended the exploration, or empty"),
    "bounds": (TEXT, "the bounds that were given"),
    "states": (COUNT, "distinct states of the point"),
    "transitions": (COUNT, "steps taken, and initial states"),
    "levels": (NUMBER, "depth of the exploration"),
    "seconds": (SECONDS, "of exploring"),
    "cpu_seconds": (SECONDS, "of exploring"),
    "compile_seconds": (SECONDS, "until the first state: compiling, or loading compiled code"),
    "refused": (TEXT, "why the model refuses such a configuration, or empty"),
    "promises": (TEXT, "what the model promises and the verdicts rest on, such as `symmetry`, or empty"),
}
MAY_BE_MISSING = ("property", "kind", "verdict", "depth", "trace")
SCHEMA = pa.schema([pa.field(name, kind, name in MAY_BE_MISSING) for name, (kind, _) in KINDS.items()])

SAME = ("complete", "states", "transitions", "seconds", "cpu_seconds", "compile_seconds", "refused", "promises")
COLUMNS = {"stopped": "stopped_by", "depth": "levels", **{name: name for name in SAME}}
"""What `Explored` says of a point as a whole, and its columns."""


def name_of(task: Task) -> str:
    """The file of a task: all that decides what is found, but not the bounds, which only decide how far the exploration goes."""
    model = task.known_model()
    known = claims_of(model)
    settings, decides, applying = dict(task.settings), [], None
    try:
        config = model.configure(task.revision, **settings)
        settings, decides = dict(config.shown()), decided_by(model, config)
        decides.append(model.asymmetry(config) if task.symmetry else "")
        applying = [known[name].applies(config) for name in task.properties]
    except UsageError as error:
        settings["refused"] = str(error)
    claims = [(name, known[name].kind, digest(text_of(known[name]))) for name in task.properties]
    about = [task.model, version_of(model), own_version(), task.revision, settings, decides]
    said = [*about, claims, applying, task.until, task.symmetry]
    return PREFIX + hashlib.sha256(json.dumps(said).encode()).hexdigest()[:20] + SUFFIX


def decided_by(model: Model, config: Any) -> list[str]:
    """Digests of what decides a verdict beside the programs and the settings, as for a run that is resumed."""
    return [digest(declarations_of(model, config)), begins_of(model, config), digest(fairness_of(model, config))]


def bounds_text(task: Task) -> str:
    """The bounds of a task in words."""
    bounds = {n: getattr(task.bounds, n) for n in ("depth", "states", "seconds", "memory")}
    return ", ".join(f"{name} {value}" for name, value in bounds.items() if value is not None)


def run_kept(
    store: Store, runner: Runner, tasks: Sequence[Task], varied: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, Explored, bool]]:
    """The results of tasks: those that the table has first, then what is explored, which is kept as soon as it is known.

    Each with its number, and whether the table had it. What was interrupted is not kept.
    """
    todo = set(range(len(tasks)))
    for number, found in kept(store, tasks):
        todo.discard(number)
        yield number, found, True
    numbers = sorted(todo)
    for place, found in runner.run([tasks[number] for number in numbers]):
        number = numbers[place]
        if found.stopped != INTERRUPTION:
            name = name_of(tasks[number])
            write_point(store, name, as_table(name, tasks[number], varied[number], found))
        yield number, found, False


def kept(store: Store, tasks: Sequence[Task]) -> Iterator[tuple[int, Explored]]:
    """The results that the table has, each with the number of its task."""
    there = set(store.names(""))
    for number, task in enumerate(tasks):
        name = name_of(task)
        rows = read_point(store, name, task) if name in there else None
        if rows is not None:
            yield number, from_table(rows)


def as_table(name: str, task: Task, varied: Mapping[str, Any], found: Explored) -> pa.Table:
    """The rows of one point."""
    about = {
        "point": name.removeprefix(PREFIX).removesuffix(SUFFIX),
        "model": task.model,
        "model_version": version_of(task.known_model()),
        "highwater": own_version(),
        "revision": task.revision,
        "settings": [(n, str(v)) for n, v in (found.settings or dict(task.settings)).items()],
        "varied": [(n, str(v)) for n, v in varied.items()],
        "bounds": bounds_text(task),
        **{column: getattr(found, name) for name, column in COLUMNS.items()},
    }
    rows = [
        {
            **about, "property": answer.name, "kind": answer.kind, "verdict": answer.verdict, "depth": answer.depth,
            "trace": write_trace(answer.trace) if answer.trace is not None else None,
        }
        for answer in found.verdicts
    ]  # fmt: skip
    return pa.Table.from_pylist(rows or [about], SCHEMA)


def from_table(table: pa.Table) -> Explored:
    """The result of a point, from its rows."""
    rows = table.to_pylist()
    first = rows[0]
    verdicts = tuple(
        Verdict(
            row["property"], row["kind"], row["verdict"], row["depth"],
            read_trace(row["trace"]) if row["trace"] is not None else None,
        )
        for row in rows
        if row["property"] is not None
    )  # fmt: skip
    return Explored(dict(first["settings"]), verdicts, **{name: first[column] for name, column in COLUMNS.items()})


def write_point(store: Store, name: str, table: pa.Table) -> None:
    """Write the file of a point; UsageError when that cannot be."""
    out = io.BytesIO()
    whole = table.replace_schema_metadata({DIGEST: digest_of_rows(table)})
    pq.write_table(whole, out, compression="zstd", write_statistics=False)
    try:
        store.write(name, out.getvalue())
    except OSError as error:
        raise UsageError(f"the table cannot be written: {reason_of(error)}; choose another --out") from None


def read_point(store: Store, name: str, task: Task) -> pa.Table | None:
    """The rows of a point that is done; None when it is not, or a bound ended it that is another one now."""
    table = read_undamaged(store, name)
    if table is None:
        return None
    first = table.slice(0, 1).to_pylist()[0]
    return table if not first["stopped_by"] or first["bounds"] == bounds_text(task) else None


def read_undamaged(store: Store, name: str) -> pa.Table | None:
    """The rows of a file as they were written, under the name of their point; None when it is not there or not that."""
    try:
        data = store.read(name)
    except OSError as error:
        if is_missing(error):
            return None
        raise UsageError(f"{name} of the table cannot be read: {reason_of(error)}; mend that, or wait, and try again") from None
    try:
        # In this thread alone: `read_table` leaves the bytes to a thread of Arrow's, which aborts a process that ends meanwhile.
        table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
        if table.schema != SCHEMA or {f"{PREFIX}{point}{SUFFIX}" for point in table["point"].to_pylist()} != {name}:
            return None
        return table if (table.schema.metadata or {}).get(DIGEST) == digest_of_rows(table) else None
    except (OSError, ValueError, pa.ArrowException):  # whatever a damaged file makes Arrow raise
        return None


def digest_of_rows(table: pa.Table) -> bytes:
    """A digest of all that a table says."""
    return hashlib.sha256(json.dumps(table.to_pylist()).encode()).hexdigest().encode()
