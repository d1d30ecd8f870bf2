"""Questions to a run after its end, answered by Spark SQL over the Parquet that its manifests name.

    levels     states of each level, of its largest and its smallest shard, and the skew between largest and mean
    actions    by which action states were found first
    witnesses  for each `sometimes` property how many states show it, or how many of the steps that found a state
    lag        how far what is known to be committed is behind the ends of logs
    epochs     how many epochs the entries of a log have
    nearest    the ten states that come nearest to two logs that disagree on what is committed

The last three, and the view `measured`, are there where the model's state has the fields that `properties.log_fields` names.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from ...model.language.errors import UsageError
from ...properties.catalogue import claims_of
from ...properties.log_fields import COUNTED as COUNTED_IN
from ...properties.log_fields import MEASURES
from ...properties.registry import Models
from ...traces.trace import LostPath
from ..compiling.arrays import Words
from ..runs.identity import is_readable
from ..runs.manifests import File, Level, Manifests
from ..sources import digest_of_what_runs
from ..spark.batch import HALF, NO_ACTION, Batch, owners
from ..spark.explore import store_at
from ..spark.folder import Folder, keys_of, opened_states, states_as_column, states_in_column, words_of
from ..spark.masks import order_of, places_of
from ..spark.session import share_package
from ..spark.tasks import Subject, expander_of
from .measures import MAX_NEAREST, Counts, logs_of
from .witnesses import Witnesses

TABLES = ("levels", "actions", "witnesses", *MEASURES)
KINDS = ("state", "first step")

Parts = Iterator[tuple[int, Batch]]
"""States of some files, each part with its level."""

Batches = Iterator[pa.RecordBatch]


@dataclass
class Stats:
    """A run, finished or not, open for questions; `tables` has a DataFrame for each name of `page.TITLES` that there is."""

    manifests: Manifests
    subject: Subject
    levels: list[Level]
    tables: dict[str, Any]

    @property
    def states(self) -> int:
        """How many states it has."""
        return sum(level.states for level in self.levels)


def stats_of(spark: Any, place: str, models: Models) -> Stats:
    """The tables of a run. UsageError when there is none, or it is of another version of the model."""
    share_package(spark.sparkContext)
    try:
        store, uri = store_at(spark, place)
    except OSError as error:
        raise UsageError(f"the run directory {place} cannot be used: {error}; choose another one") from None
    manifests = Manifests(store, place)
    manifests.require_run()
    levels = manifests.read_levels()
    subject, shards = subject_in(manifests.identity(), place, models), max(1, *(level.shards for level in levels))
    files = [(number, *file) for number, level in enumerate(levels, 1) for file in level.files]
    of = Files(spark, uri, files)
    states = of.map(partial(states_of, subject), columns_of(subject)).selectExpr(
        "*", f"cast((fingerprint div {1 << HALF}) * {shards} div {1 << HALF} as int) as shard"
    )
    states.createOrReplaceTempView("states")
    of.map(partial(count, subject, shards), COUNTED).persist().createOrReplaceTempView("counted")
    size = sum(level.size for level in levels)
    tables = {
        "levels": spark.sql(LEVELS.format(shards=shards)),
        "actions": actions_table(spark, subject),
        "witnesses": witnesses_table(spark, subject, of, size),
    }
    if logs_of(expander_of(subject).compiled) is not None:
        measured = states.select("level", "fingerprint", "state").mapInArrow(partial(measure, subject), MEASURED)
        measured.createOrReplaceTempView("measured")
        tables |= {name: spark.sql(HISTOGRAM.format(value=name, counted=what)) for name, what in COUNTED_IN.items()}
        tables["nearest"] = spark.sql(NEAREST_STATES)
    return Stats(manifests, subject, levels, tables)


@dataclass
class Files:
    """The files of a run, (level, name, rows, digest) each, and the way to go over them in the executors: Arrow reads there.

    Spark's own reader makes an object of every fingerprint, since it has no unsigned numbers of 64 bits: some ten times as slow.
    """

    spark: Any
    uri: str
    files: list[tuple[int, str, int, str]]

    def map(self, task: Callable[[Parts], Batches], schema: str) -> Any:
        """What `task` makes of the states, which come with their level, part by part."""
        uri = self.uri

        def run(batches: Batches) -> Batches:
            folder = Folder(uri)
            rows = (row for batch in batches for row in batch.to_pylist())
            named = ((row.pop("level"), File(**row)) for row in rows)
            yield from task((level, part) for level, file in named for part in parts_in(folder, file))

        parts = PARTS * int(self.spark.sparkContext.defaultParallelism)
        files = self.spark.createDataFrame(self.files, "level int, name string, rows bigint, digest string")
        return files.repartition(parts).mapInArrow(run, schema)


PARTS = 2
"""Parts for each core, over which the files are spread."""


def parts_in(folder: Folder, file: File) -> Iterator[Batch]:
    """The states of a file, one row group after the other."""
    with opened_states(folder, file) as parquet:
        for group in range(parquet.num_row_groups):
            table = parquet.read_row_group(group, use_threads=False)
            codes = table.column("action").to_numpy()
            yield Batch(words_of(table, "fingerprint"), words_of(table, "parent"), codes, keys_of(table))


def columns_of(subject: Subject) -> str:
    """The columns of `states`: Spark has no unsigned numbers of 64 bits."""
    low = ["", "_low"][: subject.width]
    words = [f"{name}{half} decimal(20)" for name in ("fingerprint", "parent") for half in low]
    return ", ".join([*words, "action int", "state binary", "level int"])


def states_of(subject: Subject, parts: Parts) -> Batches:
    """The states as rows for queries."""
    names = [column.split()[0] for column in columns_of(subject).split(", ")]
    for level, batch in parts:
        words = [*batch.fps.T, *batch.parents.T]
        columns = [pa.array(np.ascontiguousarray(word)).cast(pa.decimal128(20, 0)) for word in words]
        level_column = pa.repeat(pa.scalar(level, pa.int32()), len(batch))
        others = [pa.array(batch.codes.astype(np.int32)), states_as_column(batch.keys).cast(pa.binary()), level_column]
        yield pa.record_batch([*columns, *others], names)


HISTOGRAM = """
    select number as {value}, sum(n) as {counted} from counted where what = '{value}' group by number order by number
"""

LEVELS = """
select level, cast(sum(n) as bigint) as states, max(n) as largest, if(count(*) < {shards}, 0, min(n)) as smallest,
       round(max(n) * {shards} / sum(n), 3) as skew
from (select level, number as shard, sum(n) as n from counted where what = 'shard' group by level, number)
group by level order by level
"""

MEASURED = "level int, fingerprint string, lags array<int>, epochs array<int>, gap int"

COUNTED = "what string, number int, n bigint, level int, fingerprint string"
"""From each task: how often each number was met; of the states nearest to a violation the gap, level and fingerprint."""

NEAREST_STATES = f"""
select number as gap, level, fingerprint from counted where what = 'nearest' order by gap, level, fingerprint limit {MAX_NEAREST}
"""


def subject_in(document: dict[str, Any], place: str, models: Models) -> Subject:
    """The subject of the run."""
    try:
        model = models[document["model"]]
        config, known = model.configure(document["revision"], **document["settings"]), claims_of(model)
        chosen = [known[name] for name in document["properties"] if name in known]
        same = is_readable(document, model, config, chosen)
        subject = Subject(
            model.name, document["revision"], tuple(document["settings"].items()), tuple(document["properties"]),
            document["symmetry"], bool(document.get("generic")), document["bits"] // 64, 1 << 20, model.plugins,
            digest_of_what_runs(),
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{place}/manifest/0000.json does not say what the run is about; it was damaged") from None
    if not same:
        raise UsageError(f"{place} holds a run of another version of the model {model.name}: its states cannot be read")
    return subject


def measure(subject: Subject, batches: Batches) -> Batches:
    """The measures of each state, taken in the executors."""
    compiled = expander_of(subject).compiled
    logs = logs_of(compiled)
    assert logs is not None, "the driver has looked"
    for batch in batches:
        states = batch.column("state").cast(pa.binary(8 * compiled.key_words))
        rows = compiled.rows_of(states_in_column(states))
        fingerprints = batch.column("fingerprint").cast(pa.uint64()).to_numpy(zero_copy_only=False)
        yield pa.record_batch(
            {
                "level": batch.column("level"),
                "fingerprint": pa.array([f"{word:016x}" for word in fingerprints.tolist()]),
                "lags": lists(logs.lags(rows)),
                "epochs": lists(logs.epochs(rows)),
                "gap": pa.array(logs.gaps(rows).astype(np.int32)),
            }
        )


def count(subject: Subject, shards: int, parts: Parts) -> Batches:
    """The counts over all states that the tables need, made in the executors: a few rows from each task."""
    counts, places = Counts(witnesses_of(subject)), Counter[tuple[str, int, int]]()
    for level, batch in parts:
        for at in range(0, len(batch), PIECE):
            piece = slice(at, at + PIECE)
            counts.add(batch.keys[piece], np.full(len(batch.codes[piece]), level), batch.fps[piece, 0])
        for what, numbers in (("shard", owners(batch.fps, shards)), ("action", batch.codes)):
            for number, n in zip(*np.unique(numbers, return_counts=True), strict=True):
                places[what, int(number), level] += int(n)
    found = [(what, number, n, 0, "") for (what, number), n in counts.totals.items()]
    found += [(what, number, n, level, "") for (what, number, level), n in places.items()]
    found += [("nearest", gap, 1, level, fingerprint) for gap, level, fingerprint in counts.nearest]
    yield as_batch(found, COUNTED)


PIECE = 1 << 16
"""States whose rows are in memory at a time."""


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


def actions_table(spark: Any, subject: Subject) -> Any:
    """How many states each action found, the most frequent action first."""
    compiled = expander_of(subject).compiled
    codes = [(code, compiled.model.actions[int(compiled.action_of[code])].name) for code in range(compiled.codes)]
    named = spark.createDataFrame([*codes, (NO_ACTION, "(initial)")], "code int, name string")
    named.createOrReplaceTempView("actions")
    return spark.sql(
        "select name as action, cast(sum(n) as bigint) as states from counted join actions on what = 'action' and number = code"
        " group by name order by states desc, name"
    )


def witnesses_table(spark: Any, subject: Subject, of: Files, size: int) -> Any:
    """How often each `sometimes` property was seen: of states, and of the steps that found a state.

    `size`: bytes of all states. Under symmetry states are representatives: steps between them are not real, and are left out.
    """
    sometimes = list(enumerate(witnesses_of(subject).properties))
    claims = [(place, KINDS[int(word.over_steps)], word.name) for place, word in sometimes]
    spark.createDataFrame(claims, "place int, kind string, name string").createOrReplaceTempView("claims")
    asked = not subject.symmetry and any(word.over_steps for _, word in sometimes)
    parts = max(PARTS * int(spark.sparkContext.defaultParallelism), -(-size // MAX_BYTES))
    met = of.map(partial(meetings, 4 * parts), MEETING).where(str(asked)).repartition(parts, "part")
    met.mapInArrow(partial(count_steps, subject), COUNTED).createOrReplaceTempView("counted_steps")
    left_out = "where claims.kind = 'state'" if subject.symmetry else ""
    return spark.sql(
        "select name as property, claims.kind as of, coalesce(sum(n), 0) as times from claims left join"
        " (select * from counted union all select * from counted_steps) as seen"
        f" on claims.place = seen.number and claims.kind = seen.what {left_out} group by name, claims.kind order by name"
    )


MEETING = "part int, later boolean, states binary"
"""States that meet their parents in a part: many states in one row, since Spark takes 40 times as long for a row each."""

MAX_BYTES = 1 << 27
"""About how much the states are that meet in one task."""


def meetings(parts: int, found: Parts) -> Batches:
    """Each state twice, beside its fingerprint for those that it found, and, `later`, beside that of its parent."""
    for _, batch in found:
        children = np.flatnonzero(batch.codes != NO_ACTION)
        found_by = batch.parents.take(children, axis=0), batch.keys.take(children, axis=0)
        for later, (words, keys) in ((False, (batch.fps, batch.keys)), (True, found_by)):
            owner = owners(words, parts)
            whole = np.column_stack([words, keys]).take(np.argsort(owner, kind="stable"), axis=0)
            pieces = np.split(whole, np.cumsum(np.bincount(owner, minlength=parts))[:-1])
            columns = [np.arange(parts, dtype=np.int32), np.full(parts, later), [piece.tobytes() for piece in pieces]]
            yield pa.record_batch([*map(pa.array, columns)], ["part", "later", "states"])


def count_steps(subject: Subject, batches: Batches) -> Batches:
    """Count in the executors in how many steps to a new state each property of steps is witnessed."""
    witnesses, width = witnesses_of(subject), subject.width
    compiled, totals = witnesses.compiled, Counter[int]()
    sides: tuple[list[Words], list[Words]] = ([], [])
    for batch in batches:
        for later, states in zip(batch.column("later").to_pylist(), batch.column("states"), strict=True):
            sides[later].append(np.frombuffer(states.as_buffer(), np.uint64).reshape(-1, width + compiled.key_words))
    befores, afters = (np.concatenate(side) if side else np.empty((0, width), np.uint64) for side in sides)
    befores = befores.take(order_of(befores[:, :width]), axis=0)
    places = places_of(afters[:, :width], befores[:, :width])
    if (places < 0).any():
        raise LostPath("a state's parent is in no level of the run")
    for at in range(0, len(places), PIECE):
        piece = slice(at, at + PIECE)
        rows = [compiled.rows_of(states[:, width:]) for states in (befores[places[piece]], afters[piece])]
        for place, claim in enumerate(witnesses.properties):
            if claim.over_steps:
                totals[place] += witnesses.count(claim, *rows)
    yield as_batch([(KINDS[1], place, n, 0, "") for place, n in totals.items()], COUNTED)
