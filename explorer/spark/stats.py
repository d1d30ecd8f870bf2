"""Questions to a run after its end, answered by Spark SQL over the Parquet that its manifests name.

    levels     states of each level, of its largest and its smallest shard, and the skew between largest and mean
    actions    by which action states were found first
    witnesses  for each `sometimes` property how many states show it, or how many of the steps that found a state
    lag        how far high watermarks are behind the ends of their logs
    epochs     how many leader epochs the records of a log have
    nearest    the ten states that come nearest to two logs that disagree on what is committed
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from ...model.language.errors import UsageError
from ...model.registry import Models
from ...traces.trace import version_of
from ..runs.manifests import Level, Manifests
from .batch import HALF, NO_ACTION, Words
from .explore import store_at
from .folder import Folder, opened
from .object_store import ObjectStore
from .replicas import NEAREST, Counts, Replicas
from .session import share_package
from .tasks import Subject, expander_of
from .witnesses import Witnesses

TABLES = ("levels", "actions", "witnesses", "lag", "epochs", "nearest")
KINDS = ("state", "first step")


@dataclass
class Stats:
    """A finished or unfinished run, open for questions; `tables` has a DataFrame for each name of `TABLES`."""

    subject: Subject
    levels: list[Level]
    tables: dict[str, Any]


def stats_of(spark: Any, place: str, models: Models) -> Stats:
    """The tables of a run. UsageError when there is none, or it is of another version of the model."""
    share_package(spark.sparkContext)
    try:
        store, uri = store_at(spark, place)
    except OSError as error:
        raise UsageError(f"the run directory {place} cannot be used: {error}; choose another one") from None
    manifests = Manifests(store, place)
    if len(manifests.numbers()) < 2:
        raise UsageError(f"{place} holds no run and no table; name a directory of highwater check --run-dir, or of a sweep")
    levels = manifests.read_levels()
    subject, shards = subject_in(manifests.identity(), place, models)
    names = [file.name for level in levels for file in level.files]
    states = (objects_of if isinstance(store, ObjectStore) else files_of)(spark, uri, names).selectExpr(
        "*", f"cast((fingerprint div {1 << HALF}) * {shards} div {1 << HALF} as int) as shard",
    )
    states.createOrReplaceTempView("states")
    columns = states.select("level", "fingerprint", "state")
    columns.mapInArrow(measurer(subject), MEASURED).createOrReplaceTempView("measured")
    columns.mapInArrow(counter(subject), COUNTED).persist().createOrReplaceTempView("counted")
    tables = {
        "levels": spark.sql(LEVELS.format(shards=shards)),
        "actions": actions_table(spark, subject),
        "witnesses": witnesses_table(spark, subject),
        "lag": spark.sql(HISTOGRAM.format(value="lag", counted="replicas")),
        "epochs": spark.sql(HISTOGRAM.format(value="epochs", counted="logs")),
        "nearest": spark.sql(NEAREST_STATES),
    }
    return Stats(subject, levels, tables)


def files_of(spark: Any, uri: str, names: list[str]) -> Any:
    """The states in these files, as Spark reads them."""
    reader = spark.read.option("parquet.page.verify-checksum.enabled", "true")
    return reader.parquet(*(f"{uri}/{name}" for name in names)).selectExpr(
        "*", r"cast(regexp_extract(_metadata.file_path, 'level=([0-9]+)', 1) as int) as level"
    )


def objects_of(spark: Any, uri: str, names: list[str]) -> Any:
    """The states in these objects, which Spark's Java may not reach, as Arrow reads them in the executors."""
    with opened(Folder(uri), names[0]) as parquet:
        columns = [column for column in parquet.schema_arrow.names if column.startswith(("fingerprint", "parent"))]
    numbers = [(column, pa.decimal128(20, 0)) for column in columns]
    schema = pa.schema([*numbers, ("action", pa.int32()), ("state", pa.binary()), ("level", pa.int32())])

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        folder = Folder(uri)
        for name in (name for batch in batches for name in batch.column("name").to_pylist()):
            level = int(name.removeprefix("level=").partition("/")[0])
            with opened(folder, name) as parquet:
                for part in parquet.iter_batches(ROWS, use_threads=False):
                    rows = [part.column(field.name).cast(field.type) for field in schema if field.name != "level"]
                    yield pa.record_batch([*rows, pa.array(np.full(len(part), level, np.int32))], schema=schema)

    parts = PARTS * int(spark.sparkContext.defaultParallelism)
    frame = spark.createDataFrame([(name,) for name in names], "name string").repartition(parts)
    return frame.mapInArrow(read, ", ".join([*(f"{column} decimal(20, 0)" for column in columns), OTHERS]))


ROWS, PARTS = 1 << 16, 2
"""States that are read together; parts for each core, over which the objects are spread."""

OTHERS = "action int, state binary, level int"

HISTOGRAM = """
    select number as {value}, sum(n) as {counted} from counted where what = '{value}' group by number order by number
"""

LEVELS = """
select level, cast(sum(n) as bigint) as states, max(n) as largest, if(count(*) < {shards}, 0, min(n)) as smallest,
       round(max(n) * {shards} / sum(n), 3) as skew
from (select level, shard, count(*) as n from states group by level, shard) group by level order by level
"""

MEASURED = "level int, fingerprint string, lags array<int>, epochs array<int>, gap int"

COUNTED = "what string, number int, n bigint, level int, fingerprint string"
"""From each task: how often each number was met; of the states nearest to a violation the gap, level and fingerprint."""

NEAREST_STATES = f"""
select number as gap, level, fingerprint from counted where what = 'nearest' order by gap, level, fingerprint limit {NEAREST}
"""


def subject_in(document: dict[str, Any], place: str, models: Models) -> tuple[Subject, int]:
    """The subject of the run, and its shards."""
    try:
        model = models[document["model"]]
        same = document["model_version"] == version_of(model)
        subject = Subject(
            model.name, document["revision"], tuple(document["settings"].items()), tuple(document["properties"]),
            document["symmetry"], bool(document.get("generic")), document["bits"] // 64, 1 << 20, model.plugins,
        )  # fmt: skip
        shards = int(document["shards"])
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{place}/manifest/0000.json does not say what the run is about; it was damaged") from None
    if not same:
        raise UsageError(f"{place} holds a run of another version of the model {model.name}: its states cannot be read")
    return subject, shards


def measurer(subject: Subject) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The measures of each state, taken in the executors."""

    def measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        replicas = Replicas(expander_of(subject).compiled)
        for batch in batches:
            rows = replicas.compiled.rows_of(packed(batch, "state"))
            fingerprints = batch.column("fingerprint").cast(pa.uint64()).to_numpy(zero_copy_only=False)
            yield pa.record_batch(
                {
                    "level": batch.column("level"),
                    "fingerprint": pa.array([f"{word:016x}" for word in fingerprints.tolist()]),
                    "lags": lists(replicas.lags(rows)),
                    "epochs": lists(replicas.epochs(rows)),
                    "gap": pa.array(replicas.gaps(rows).astype(np.int32)),
                }
            )

    return measure


def counter(subject: Subject) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The counts over all states that the tables need, made in the executors: a few rows from each task."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = Counts(Replicas(expander_of(subject).compiled), witnesses_of(subject))
        for batch in batches:
            levels, fingerprints = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("level", "fingerprint"))
            counts.add(packed(batch, "state"), levels, fingerprints)
        found = [(what, number, n, 0, "") for (what, number), n in counts.totals.items()]
        found += [("nearest", gap, 1, level, fingerprint) for gap, level, fingerprint in counts.nearest]
        yield as_batch(found, COUNTED)

    return count


def as_batch(rows: list[tuple[Any, ...]], schema: str) -> pa.RecordBatch:
    """Rows as a batch with the columns of a schema in Spark's words."""
    kinds = {"string": pa.string(), "int": pa.int32(), "bigint": pa.int64()}
    names = [column.split() for column in schema.split(", ")]
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    arrays = [pa.array(list(column), kinds[kind]) for column, (_, kind) in zip(columns, names, strict=True)]
    return pa.record_batch(arrays, [name for name, _ in names])


@cache
def witnesses_of(subject: Subject) -> Witnesses:
    """The counters of the run's `sometimes` properties, compiled once per process."""
    return Witnesses(expander_of(subject).compiled, subject.request().properties)


def lists(numbers: Any) -> Any:
    """Rows of numbers as a column of lists."""
    count, width = numbers.shape
    flat = pa.array(np.ascontiguousarray(numbers, np.int32).reshape(-1))
    return pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32) * width), flat)


def packed(batch: pa.RecordBatch, name: str) -> Words:
    """A column of packed states as words."""
    values = batch.column(name)
    offsets, data = np.frombuffer(values.buffers()[1], np.int32), values.buffers()[2]
    first, last = (int(offsets[place]) for place in (values.offset, values.offset + len(values)))
    return np.frombuffer(data, np.uint8, last - first, first).copy().view(np.uint64).reshape(len(values), -1)


def actions_table(spark: Any, subject: Subject) -> Any:
    """How many states each action found, the most frequent action first."""
    compiled = expander_of(subject).compiled
    codes = [(code, compiled.model.actions[int(compiled.action_of[code])].name) for code in range(compiled.codes)]
    named = spark.createDataFrame([*codes, (NO_ACTION, "(initial)")], "code int, name string")
    named.createOrReplaceTempView("actions")
    return spark.sql(
        "select name as action, count(*) as states from states join actions on action = code "
        "group by name order by states desc, name"
    )


def witnesses_table(spark: Any, subject: Subject) -> Any:
    """How often each `sometimes` property was seen: of states, and of the steps that found a state.

    Under symmetry states are representatives, so the steps between them are not real ones and are left out.
    """
    sometimes = list(enumerate(witnesses_of(subject).properties))
    claims = [(place, KINDS[int(one.over_steps)], one.name) for place, one in sometimes]
    spark.createDataFrame(claims, "place int, kind string, name string").createOrReplaceTempView("claims")
    columns = "one.fingerprint = other.parent" + (" and one.fingerprint_low = other.parent_low" if subject.width == 2 else "")
    pairs = (
        "select other.state as state, one.state as before from states as other join states as one"
        f" on {columns} and one.level = other.level - 1"
    )
    asked = not subject.symmetry and any(one.over_steps for _, one in sometimes)
    steps = spark.sql(pairs if asked else "select state, state as before from states where false")
    steps.mapInArrow(step_counter(subject), COUNTED).createOrReplaceTempView("counted_steps")
    left_out = "where claims.kind = 'state'" if subject.symmetry else ""
    return spark.sql(
        "select name as property, claims.kind as of, coalesce(sum(n), 0) as times from claims left join"
        " (select * from counted union all select * from counted_steps) as seen"
        f" on claims.place = seen.number and claims.kind = seen.what {left_out} group by name, claims.kind order by name"
    )


def step_counter(subject: Subject) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Count in the executors in how many steps to a new state each property of steps is witnessed."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        witnesses = witnesses_of(subject)
        compiled, totals = witnesses.compiled, Counter[int]()
        for batch in batches:
            before, after = (compiled.layout.records(compiled.rows_of(packed(batch, name))) for name in ("before", "state"))
            for place, one in enumerate(witnesses.properties):
                if one.over_steps:
                    totals[place] += witnesses.count(one, before, after)
        yield as_batch([(KINDS[1], place, n, 0, "") for place, n in totals.items()], COUNTED)

    return count
