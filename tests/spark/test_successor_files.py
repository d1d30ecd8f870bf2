"""Successors on their way: sorted by owner, written, read, each taken once; and what becomes of files that were damaged."""

import random
import shutil
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
from highwater.explorer.compiling.compiled_for import compile_for
from highwater.explorer.compiling.memory import outboxes
from highwater.explorer.compiling.meta_words import meta_word
from highwater.explorer.runs.manifests import File, Unsound
from highwater.explorer.spark import successor_files
from highwater.explorer.spark.batch import END, Batch, Spare, Successors, fingerprints, owners, range_of
from highwater.explorer.spark.compiled import loops
from highwater.explorer.spark.deduplication import Gathered
from highwater.explorer.spark.expansion import MIN_BITS, Router
from highwater.explorer.spark.folder import Folder, opened, parts_of, schema_of, write_states
from highwater.explorer.spark.shards import MAX_SHARDS
from highwater.explorer.spark.successor_files import PART, Arrivals, Outgoing, Sent, by_owner, folder_of
from highwater.explorer.spark.tasks import groups_of, tasks_for
from highwater.explorer.spark.visited import FileRuns, mark_known, write_run
from highwater.model.language import UsageError
from support.on_spark import alike, on_spark, request

SHARDS, SLICES = 3, 2


def hashed(numbers, width):
    """Keys of one word, and something like their fingerprints."""
    keys = np.array(numbers, np.uint64).reshape(-1, 1)
    with np.errstate(over="ignore"):
        first = (keys + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    fps = np.concatenate([first] * width, axis=1)
    if width > 1:
        loops(width).second_words(keys, fps)
    return fps, keys


def successors(count, width, seed=1):
    """Numbers with repetitions, as boxes of successors of states 0, 1, 2 ...; and the fingerprints of those states."""
    dice = random.Random(seed)
    numbers = [dice.randrange(count // 2) for _ in range(count)]
    fps, keys = hashed(numbers, width)
    boxes = outboxes(1, 2, count, 1)
    boxes.filled[:] = 0
    for i in range(count):
        box = int(fps[i, 0] >> np.uint64(63))
        to = boxes.filled[0, box]
        boxes.fp[0, box, to], boxes.key[0, box, to], boxes.meta[0, box, to] = fps[i, 0], keys[i], meta_word(i, 0, i % 7)
        boxes.filled[0, box] += 1
    return numbers, boxes, hashed(range(count), width)[0]


@pytest.mark.parametrize("width", [1, 2])
def test_sent_and_taken_each_state_arrives_once_with_its_first_parent(tmp_path, width):
    """Room for few, so that an owner's rows and the table of what was found fill up on the way."""
    numbers, boxes, parents = successors(400, width)
    folder, router = Folder(f"file:{tmp_path}"), Router(width, 1, 4000)
    outgoing, rows, rounds = Outgoing(folder, 5, 0), 0, 0
    router.begin(SHARDS * SLICES, "", 1)
    for parts in chain(router.take(boxes, parents), (router.parts() for _ in range(1))):
        rows, rounds = rows + sum(len(batch) for _, batch in parts), rounds + 1
        outgoing.send(parts)
    outgoing.close()
    assert len(set(numbers)) <= rows < 400 and rounds > 2
    assert (tmp_path / outgoing.name).stat().st_size == outgoing.bytes

    arrived = {}
    for shard, sent in enumerate(by_owner([outgoing.name], [outgoing.parts()], SHARDS, SLICES)):
        arrivals = Arrivals(folder, sent, width, 1, Spare())
        for low, high, _, batches in arrivals.slices(shard, SHARDS):
            gathered = Gathered(width, 1, low, high, 2, Spare())
            for batch in batches:
                gathered.add(hashed(batch.keys[:, 0], width)[0], batch)
            new = gathered.without(FileRuns(folder, [], low, high, Spare()))
            assert (new.fps == hashed(new.keys[:, 0], width)[0]).all() and (new.fps[1:, 0] > new.fps[:-1, 0]).all()
            assert (owners(new.fps, SHARDS) == shard).all() and low < high <= range_of(shard, SHARDS)[1]
            for key, parent, code in zip(new.keys[:, 0].tolist(), new.parents.tolist(), new.codes.tolist(), strict=True):
                assert key not in arrived
                arrived[key] = parent, code
    first = {number: numbers.index(number) for number in set(numbers)}
    assert arrived == {number: (parents[at].tolist(), at % 7) for number, at in first.items()}


def test_an_owner_takes_its_parts_by_sender_and_in_the_order_of_time():
    parts = [[(2, 0, 0, 2, 7), (1, 0, 50, 1, 8), (2, 0, 90, 1, 9)], [], [(3, 0, 60, 1, 12), (2, 0, 0, 4, 10), (7, 0, 80, 1, 11)]]
    sent = by_owner(["a", "", "c"], [np.array(some, PART) for some in parts], 4, 2)
    taken = [[(message.names[sender], at, rows) for _, sender, at, rows, _ in message.parts.tolist()] for message in sent]
    assert taken == [[("a", 50, 1)], [("a", 0, 2), ("a", 90, 1), ("c", 0, 4), ("c", 60, 1)], [], [("c", 80, 1)]]
    assert [message.rows for message in sent] == [1, 8, 0, 1]


@pytest.mark.parametrize("width", [1, 2])
def test_what_is_visited_by_the_time_it_would_arrive_is_not_sent(width):
    """One worker, task after task: not what it or tasks of earlier levels sent; but what others of its own level did."""
    numbers, boxes, parents = successors(100, width)
    once = len(set(numbers))
    router = Router(width, 1, 1 << 20)

    def sends(run, level):
        router.begin(1, run, level)
        list(router.take(boxes, parents))
        return sum(len(batch) for _, batch in router.parts())

    assert sends("a", 3) == once, "nothing was sent before"
    assert sends("a", 3) == once, "the task before may have failed"
    assert [sends("a", 4), sends("a", 4), sends("a", 9)] == [0, 0, 0]
    assert sends("a", 8) == once, "a run that begins again from an earlier level"
    assert sends("b", 9) == once, "another run"
    router.task = router.most
    assert [sends("b", 10), sends("b", 10), sends("b", 11)] == [once, once, 0], "the numbers of the tasks begin again"


@pytest.mark.parametrize("width", [1, 2])
def test_a_line_keeps_what_was_sent_last(width):
    """Nine fingerprints of one line, whose lower bits are the same: the first one gives way to the ninth."""
    _, boxes, parents = successors(20, width)
    router = Router(width, 1, 1 << 20)

    def sent(level, numbers):
        boxes.filled[:] = 0
        for number in numbers:
            at = boxes.filled[0, 0]
            boxes.fp[0, 0, at], boxes.key[0, 0, at, 0], boxes.filled[0, 0] = number << 32 | 77, number, at + 1
        router.begin(1, "", level)
        list(router.take(boxes, parents))
        return [number for _, batch in router.parts() for number in batch.keys[:, 0].tolist()]

    nine = [*range(1, 10)]
    assert sent(1, [*nine, *nine[1:]]) == nine
    assert sent(2, nine[1:]) == [] and sent(3, nine[:1]) == nine[:1]
    assert sent(4, [*nine[:1], *nine[2:]]) == [] and sent(5, nine[1:2]) == nine[1:2], "and the second to the first"


def test_a_table_of_what_was_sent_grows_with_what_is_sent():
    """What was in a smaller table is forgotten, and nothing that was not sent is taken for sent."""
    _, boxes, parents = successors(100, 1)
    router = Router(1, 1, 1 << 24)

    def sends(level, rows, run=""):
        router.begin(1, run, level, rows)
        list(router.take(boxes, parents))
        return sum(len(batch) for _, batch in router.parts()), len(router.recent)

    (once, small), larger = sends(1, 10), 1 << 18
    assert small == 1 << MIN_BITS < larger < len(router.table)
    assert [sends(2, 10), sends(3, larger), sends(4, 10)] == [(0, small), (once, larger), (0, larger)]
    assert sends(5, 1 << 40) == (once, len(router.table)) and sends(6, 1 << 41) == (0, len(router.table))
    assert sends(7, 10, "another run") == (once, small)


def test_an_empty_slot_does_not_stand_for_a_fingerprint_with_small_upper_bits():
    """The upper bits of such a fingerprint are those of an empty slot, at a level whose tasks may trust earlier ones."""
    _, boxes, parents = successors(4, 1)
    boxes.filled[:] = 0
    boxes.fp[0, 0, 0], boxes.filled[0, 0] = 5, 1
    router = Router(1, 1, 1 << 20)
    for level in (1, 2):
        router.begin(1, "", level)
    list(router.take(boxes, parents))
    assert [len(batch) for _, batch in router.parts()] == [1]


@pytest.mark.parametrize("bit", range(64))
def test_fingerprints_that_differ_in_one_bit_are_both_sent(bit):
    """Those that differ in an upper bit share a slot."""
    _, boxes, parents = successors(4, 1)
    boxes.filled[:] = 0
    one = 0x9E3779B97F4A7C15
    boxes.fp[0, 0, :2], boxes.filled[0, 0] = (one, one ^ (1 << bit)), 2
    router = Router(1, 1, 1 << 20)
    router.begin(1, "", 1)
    list(router.take(boxes, parents))
    assert [len(batch) for _, batch in router.parts()] == [2]


def test_few_files_are_open_whatever_the_senders(tmp_path, monkeypatch):
    monkeypatch.setattr(successor_files, "MAX_OPEN", 2)
    folder, sent = Folder(f"file:{tmp_path}"), []
    for sender in range(5):
        fps, keys = hashed(range(sender, sender + 3), 1)
        sent.append(Outgoing(folder, 1, sender))
        for number in (0, 1):
            sent[-1].send([(number, Successors(fps, np.zeros(3, np.uint16), keys))])
        sent[-1].close()
    (all_of_them,) = by_owner([message.name for message in sent], [message.parts() for message in sent], 1, 2)
    arrivals, taken = Arrivals(folder, all_of_them, 1, 1, Spare()), []
    for *_, batches in arrivals.slices(0, 1):
        for batch in batches:
            taken.append(batch.keys[:, 0].tolist())
            assert 1 <= len(arrivals.files) <= 2
    assert taken == 2 * [[sender, sender + 1, sender + 2] for sender in range(5)]
    arrivals.close()
    assert not arrivals.files


@pytest.mark.parametrize(("shards", "count"), [(3, 2), (11, 4), (50, 16), (4, 4), (7, 1)])
def test_the_shards_of_a_level_are_split_evenly(shards, count):
    groups = groups_of(range(shards), count)
    assert len(groups) == count and [one for group in groups for one in group] == list(range(shards))
    assert max(map(len, groups)) - min(map(len, groups)) <= 1


def test_a_task_per_core_but_enough_to_be_given_executors(spark):
    """Spark's own configuration is asked, with the setting and without it."""
    context, conf = spark.sparkContext, spark.sparkContext._jvm.org.apache.spark.SparkConf(False)
    assert tasks_for(context, 9) == context.defaultParallelism == 2 and tasks_for(context, 1) == 1
    conf.set("spark.dynamicAllocation.enabled", "true")
    dynamic = SimpleNamespace(defaultParallelism=4, _jsc=SimpleNamespace(sc=lambda: SimpleNamespace(conf=lambda: conf)))
    assert tasks_for(dynamic, 9) == 9 and tasks_for(dynamic, 3) == 3


def test_an_owner_has_the_range_that_its_number_says_however_many_there_are():
    for shards in (1, 3, 65_537, MAX_SHARDS):
        for shard in {0, shards // 2, shards - 1}:
            low, high = range_of(shard, shards)
            assert owners(np.array([[low], [high - 1]], np.uint64), shards).tolist() == [shard, shard]


def test_what_was_visited_is_not_new(tmp_path):
    fps, keys = hashed(range(100), 1)
    gathered, folder = Gathered(1, 1, 0, END, 10, Spare()), Folder(f"file:{tmp_path}")
    gathered.add(fps, Successors(fps, np.zeros(100, np.uint16), keys))
    visited = FileRuns(folder, [write_run(folder, "a.run", iter([np.sort(fps[:40], axis=0)]), 1)], 0, END, Spare())
    assert sorted(gathered.without(visited).keys[:, 0].tolist()) == list(range(40, 100))


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(("visited", "asked"), [(0, 5), (5, 0), (1, 1), (400, 500), (3000, 500), (3001, 500), (5000, 7)])
def test_marks_are_those_of_a_set(visited, asked, width):
    """Both ways to look a sorted list up in another: side by side, and by strides in one that is much longer."""
    dice, end = np.random.default_rng(visited), 6000 if width == 1 else 90
    lists = [sorted({*map(tuple, dice.integers(1, end, (count, width)).tolist())}) for count in (visited, asked)]
    run, fps = (np.array(one, np.uint64).reshape(-1, width) for one in lists)
    known = np.zeros(len(fps), np.bool_)
    mark_known(run, fps, known)
    in_run = {*map(tuple, run.tolist())}
    assert known.tolist() == [tuple(number) in in_run for number in fps.tolist()]


def entries_off_their_place(low, high, count=2000):
    """How far from its first slot an entry of a full table stands, at most."""
    dice = np.random.default_rng(3)
    fps = np.sort(dice.integers(low, high, count, np.uint64, endpoint=False)).reshape(-1, 1)
    gathered = Gathered(1, 1, low, high, count, Spare())
    gathered.add(fps, Successors(fps, np.zeros(count, np.uint16), fps))
    used = np.flatnonzero(gathered.slots[:, 0])
    wanted = (gathered.slots[used, 0].astype(object) - low) * (count * 3 // 2) // (high - low)
    return max(abs(used - wanted))


@pytest.mark.parametrize(("shard", "shards"), [(0, 1), (1, 2), (1, 3), (6, 7)])
def test_a_table_is_used_evenly_whatever_the_range(shard, shards):
    assert entries_off_their_place(*range_of(shard, shards)) < 64
    assert entries_off_their_place(range_of(shard, shards)[0], range_of(shard, shards)[0] + 12_345) < 1000


def test_a_part_that_was_damaged_is_refused(tmp_path):
    _, boxes, parents = successors(50, 1)
    folder, router = Folder(f"file:{tmp_path}"), Router(1, 1, 10_000)
    router.begin(1, "", 1)
    outgoing = Outgoing(folder, 2, 0)
    list(router.take(boxes, parents))
    outgoing.send(router.parts())
    outgoing.close()
    sent, path = Sent([outgoing.name], outgoing.parts(), 1), tmp_path / outgoing.name
    whole = path.read_bytes()

    def taken():
        return [list(batches) for *_, batches in Arrivals(folder, sent, 1, 1, Spare()).slices(0, 1)]

    for wrong in (whole[:-1], whole[:7] + bytes([whole[7] ^ 4]) + whole[8:]):
        path.write_bytes(wrong)
        with pytest.raises(Unsound, match="the digest of a part differs"):
            taken()
    path.unlink()
    with pytest.raises(Unsound, match="it is missing"):
        taken()


def test_nothing_on_its_way_stays_behind(spark, tmp_path):
    """While a run goes on there are files of two levels at most, and at its end there are none."""
    seen = []

    def look(now):
        seen.append([path.name for path in (tmp_path / "run" / "sent").glob("*")])
        assert set(seen[-1]) <= {folder_of(now.depth).split("/")[1], folder_of(now.depth + 1).split("/")[1]}

    assert on_spark(spark, request(), path=tmp_path / "run", report=look).complete
    assert seen and not (tmp_path / "run" / "sent").exists()


def test_a_run_that_loses_what_was_sent_goes_on_from_its_newest_level(spark, tmp_path, whole):
    def lose(now):
        if now.depth >= 11:
            shutil.rmtree(tmp_path / "run" / "sent", ignore_errors=True)

    with pytest.raises(UsageError, match=r"run/sent/level=\d+/\S+ was damaged .* continue with --resume: the newest level is"):
        on_spark(spark, request(), path=tmp_path / "run", report=lose)
    assert alike(on_spark(spark, request(), path=tmp_path / "run", resume=True)) == whole


def test_a_file_with_row_groups_of_no_states(tmp_path):
    """They say nothing of the order; what follows them is still held against what came before."""
    asked = request()
    compiled = compile_for(asked, asked.applicable)
    keys = np.repeat(compiled.initial_keys(), 2, axis=0)
    fps = fingerprints(compiled, keys, 1)
    full = Batch(fps, np.zeros_like(fps), np.zeros(len(fps), np.uint16), keys)
    folder, none = Folder(f"file:{tmp_path}"), Batch(*(column[:0] for column in full))
    for name, batches in {"one": [none, full, none], "two": [full, none, full], "none": [none]}.items():
        schema = schema_of(1, compiled.key_words)
        _, digest = folder.write(name, lambda file, schema=schema, batches=batches: write_states(file, schema, batches, True))
        with opened(folder, name) as parquet:
            assert parquet.num_row_groups == len(batches)
        parts = list(parts_of(folder, File(name, sum(map(len, batches)), digest), compiled, 1))
        assert [words.tolist() for words, _ in parts] == [fps.tolist() for batch in batches if len(batch)]
