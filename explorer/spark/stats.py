"""Questions to a run after its end, answered by Spark SQL over the Parquet that its manifests name.

    levels     states of each level, of its largest and its smallest shard, and the skew between largest and mean
    actions    by which action states were found first
    witnesses  for each `sometimes` property how many states show it, or how many of the steps that found a state
    lag        how far high watermarks are behind the ends of their logs
    epochs     how many leader epochs the records of a log have
    nearest    the ten states that come nearest to two logs that disagree on what is committed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ...model.language.errors import UsageError
from ...model.registry import model_named
from ...properties.plugins import loaded_plugins
from ...traces.trace import version_of
from ..runs.manifests import Manifests
from .batch import END, HALF, NO_ACTION, Words
from .explore import store_at
from .replicas import FAR, Replicas
from .session import share_package
from .tasks import Subject, expander_of

NEAREST = 10
TABLES = ("levels", "actions", "witnesses", "lag", "epochs", "nearest")
KINDS = ("state", "first step")


@dataclass
class Stats:
    """A finished or unfinished run, open for questions; `tables` has a DataFrame for each name of `TABLES`."""

    subject: Subject
    levels: int
    tables: dict[str, Any]


def stats_of(spark: Any, place: str) -> Stats:
    """The tables of a run. UsageError when there is none, or it is of another version of the model."""
    share_package(spark.sparkContext)
    try:
        store, uri = store_at(spark, place)
    except OSError as error:
        raise UsageError(f"the run directory {place} cannot be used: {error}; choose another one") from None
    manifests = Manifests(store, place)
    if len(manifests.numbers()) < 2:
        raise UsageError(f"{place} holds no run; name the --run-dir of a check with --engine spark")
    levels = manifests.read_levels()
    subject, shards = subject_in(manifests.identity(), place)
    names = [f"{uri}/{file.name}" for level in levels for file in level.files]
    states = spark.read.option("parquet.page.verify-checksum.enabled", "true").parquet(*names).selectExpr(
        "*",
        r"cast(regexp_extract(_metadata.file_path, 'level=([0-9]+)', 1) as int) as level",
        f"cast((fingerprint div {1 << HALF}) * {shards} div {1 << HALF} as int) as shard",
    )
    states.createOrReplaceTempView("states")
    measured = states.mapInArrow(measurer(subject), MEASURED)
    measured.createOrReplaceTempView("measured")
    tables = {
        "levels": spark.sql(LEVELS.format(shards=shards)),
        "actions": actions_table(spark, subject),
        "witnesses": witnesses_table(spark, subject),
        "lag": spark.sql(HISTOGRAM.format(value="lag", column="lags", counted="replicas")),
        "epochs": spark.sql(HISTOGRAM.format(value="epochs", column="epochs", counted="logs")),
        "nearest": spark.sql(NEAREST_STATES),
    }
    return Stats(subject, len(levels), tables)


HISTOGRAM = """
    select {value}, count(*) as {counted}
    from (select explode({column}) as {value} from measured)
    group by {value} order by {value}
"""

LEVELS = """
select level, cast(sum(n) as bigint) as states, max(n) as largest, if(count(*) < {shards}, 0, min(n)) as smallest,
       round(max(n) * {shards} / sum(n), 3) as skew
from (select level, shard, count(*) as n from states group by level, shard) group by level order by level
"""

MEASURED = "level int, fingerprint string, lags array<int>, epochs array<int>, gap int"

NEAREST_STATES = f"""
select gap, level, fingerprint from measured where gap < {FAR} order by gap, level, fingerprint limit {NEAREST}
"""


def subject_in(document: dict[str, Any], place: str) -> tuple[Subject, int]:
    """What the run is about, and its shards."""
    try:
        model = model_named(document["model"])
        same = document["model_version"] == version_of(model)
        subject = Subject(
            model.name, document["revision"], tuple(document["settings"].items()), tuple(document["properties"]),
            document["symmetry"], bool(document.get("generic")), document["bits"] // 64, 1 << 20, loaded_plugins(),
        )  # fmt: skip
        shards = int(document["shards"])
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{place}/manifest/0000.json does not say what the run is about; it was damaged") from None
    if not same:
        raise UsageError(f"{place} holds a run of another version of the model {model.name}: its states cannot be read any more")
    return subject, shards


def measurer(subject: Subject) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What is measured of each state, in the executors."""

    def measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        replicas = Replicas(expander_of(subject).compiled)
        for batch in batches:
            rows = replicas.rows(packed(batch, "state"))
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


def lists(numbers: Any) -> Any:
    """Rows of numbers as a column of lists."""
    count, width = numbers.shape
    flat = pa.array(np.ascontiguousarray(numbers, np.int32).reshape(-1))
    return pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32) * width), flat)


def packed(batch: pa.RecordBatch, name: str) -> Words:
    """A column of packed states as words."""
    values = batch.column(name)
    return np.frombuffer(b"".join(values.to_pylist()), np.uint64).reshape(len(values), -1)


def actions_table(spark: Any, subject: Subject) -> Any:
    """By which action states were found, the most frequent first."""
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
    checked = expander_of(subject).compiled.properties
    wanted = [
        (place, kind, one.name)
        for kind in (0, 1)
        for place, one in enumerate(checked.groups[2 + kind])
        if one.name in subject.properties
    ]
    claims = [(place, KINDS[kind], name) for place, kind, name in wanted]
    spark.createDataFrame(claims, "place int, kind string, name string").createOrReplaceTempView("claims")
    if not subject.symmetry:
        columns = "one.fingerprint = other.parent" + (" and one.fingerprint_low = other.parent_low" if subject.width == 2 else "")
        pairs = spark.sql(
            f"select other.state as state, one.state as before from states as other left join states as one"
            f" on {columns} and one.level = other.level - 1"
        )
    else:
        pairs = spark.sql("select state, cast(null as binary) as before from states")
    pairs.mapInArrow(witness_counter(subject), "kind string, place int, n bigint").createOrReplaceTempView("seen")
    left_out = "where claims.kind = 'state'" if subject.symmetry else ""
    return spark.sql(
        "select name as property, claims.kind as of, coalesce(sum(n), 0) as times from claims left join seen"
        f" on claims.place = seen.place and claims.kind = seen.kind {left_out} group by name, claims.kind order by name"
    )


def witness_counter(subject: Subject) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Count in the executors in how many states, and in how many steps to a state, each property is witnessed."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        compiled = expander_of(subject).compiled
        replicas_free = RowsOf(compiled)
        totals = np.zeros((2, 64), np.int64)
        every = np.uint64(END - 1)
        for batch in batches:
            _, after = replicas_free.records(packed(batch, "state"))
            known = np.flatnonzero(batch.column("before").is_valid().to_numpy(zero_copy_only=False))
            before = replicas_free.records(packed(batch.take(pa.array(known)), "before"))[1] if len(known) else ()
            for record in after:
                add(totals[0], int(compiled.module.witnessed(record, every)))
            for place, record in zip(known.tolist(), before, strict=True):
                add(totals[1], int(compiled.module.witnessed_steps(record, after[place], every)))
        rows = [(KINDS[kind], place, int(totals[kind, place])) for kind in (0, 1) for place in range(64)]
        kinds, places, numbers = zip(*rows, strict=True)
        yield pa.record_batch(
            {"kind": pa.array(kinds), "place": pa.array(places, pa.int32()), "n": pa.array(numbers, pa.int64())}
        )

    return count


class RowsOf:
    """States of keys as rows and records."""

    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled

    def records(self, keys: Words) -> tuple[Any, Any]:
        """The rows, and the same memory as records."""
        rows = self.compiled.layout.rows(self.compiled.config, len(keys))
        self.compiled.module.reveal(np.ascontiguousarray(keys), self.compiled.packing, rows)
        return rows, self.compiled.layout.records(rows)


def add(totals: Any, mask: int) -> None:
    """Count the bits of a mask, each for itself."""
    while mask:
        lowest = mask & -mask
        totals[lowest.bit_length() - 1] += 1
        mask ^= lowest
