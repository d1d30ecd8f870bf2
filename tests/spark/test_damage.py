"""Damaged run directories: a run on Spark is refused with the file and what can be done, or it ends in the same counts."""

import os
import random
import shutil

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.runs.files import checksum
from highwater.explorer.runs.lock import locked
from highwater.model.language import UsageError
from support.elsewhere import output_of
from support.on_spark import alike, on_spark, request
from support.runs import flip, manifest_of, numbers_in, sealed, sentence

DEPTH = 11


@pytest.fixture(scope="module")
def unfinished(spark, tmp_path_factory):
    """A run of eleven levels, the last of them on Spark."""
    path = tmp_path_factory.mktemp("unfinished") / "run"
    assert on_spark(spark, request(bounds=Bounds(depth=DEPTH)), path=path, narrow=300).depth == DEPTH
    return path


def resumed(spark, path, narrow=1400, **how):
    """Two of the levels that remain run on Spark; with a `narrow` of 300, five."""
    return on_spark(spark, request(), path=path, narrow=narrow, **{"resume": True, **how})


def refused(spark, path, **how):
    """What is said where a task on Spark reads the damaged file."""
    return sentence(resumed, spark, path, narrow=300, **how)


def states_of(path, number=-1):
    """The files of states of a level."""
    return [path / name for name, *_ in manifest_of(path, number)["files"]]


def runs_of(path):
    """The files of the visited sets."""
    return [path / name for runs in manifest_of(path)["runs"].values() for name, *_ in runs]


def damaged(unfinished, tmp_path):
    return shutil.copytree(unfinished, tmp_path / "damaged")


def test_the_whole_run_is_sound_and_goes_on(spark, unfinished, tmp_path, whole, capsys):
    path = damaged(unfinished, tmp_path)
    assert f"sound: {DEPTH} levels" in output_of(capsys, 0, ["verify", str(path)]).out
    assert alike(resumed(spark, path, narrow=300)) == whole


def exchanged(path, files_of):
    one, other = files_of(path)[:2]
    one.rename(path / "x"), other.rename(one), (path / "x").rename(other)


def row_too_many(path):
    document = manifest_of(path)
    sealed(path, taken=[number + 1 for number in document["taken"]], files=[[n, r + 1, d] for n, r, d in document["files"]])


def run_left_out(path):
    runs = manifest_of(path)["runs"]
    sealed(path, runs={shard: [] if shard == "0" else some for shard, some in runs.items()})


def shards_swapped(path):
    runs = manifest_of(path)["runs"]
    sealed(path, runs={**runs, "0": runs["1"], "1": runs["0"]})


HERE, BEFORE = f"--resume-from {DEPTH}", f"--resume-from {DEPTH - 1}"
DAMAGES = {
    "a bit of a state": (lambda path: flip(states_of(path)[0], states_of(path)[0].stat().st_size // 2, 3), BEFORE),
    "a bit of Parquet's footer": (lambda path: flip(states_of(path)[0], states_of(path)[0].stat().st_size - 40, 1), BEFORE),
    "states cut off": (lambda path: os.truncate(states_of(path)[0], 500), BEFORE),
    "states missing": (lambda path: states_of(path)[0].unlink(), BEFORE),
    "states of another shard": (lambda path: exchanged(path, states_of), BEFORE),
    "a bit of the visited set": (lambda path: flip(runs_of(path)[0], 100, 5), HERE),
    "a bit of its digests": (lambda path: flip(runs_of(path)[0], runs_of(path)[0].stat().st_size - 3, 0), HERE),
    "visited set cut off": (lambda path: os.truncate(runs_of(path)[0], 64), HERE),
    "visited set missing": (lambda path: runs_of(path)[1].unlink(), HERE),
    "visited sets exchanged": (lambda path: exchanged(path, runs_of), HERE),
    "a run left out": (run_left_out, BEFORE),
    "more rows": (row_too_many, BEFORE),
    "a bit of the manifest": (lambda path: flip(path / "manifest" / f"{DEPTH:04d}.json", 300, 2), BEFORE),
}


@pytest.mark.parametrize(("damage", "hint"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_run_is_refused_and_goes_on_from_what_is_sound(spark, unfinished, tmp_path, whole, damage, hint):
    path = damaged(unfinished, tmp_path)
    damage(path)
    said = refused(spark, path)
    assert hint in said and str(path) in said, said
    assert alike(resumed(spark, path, resume_from=int(hint.split()[1]))) == whole


def test_a_column_with_another_name_on_the_way_to_a_finding(spark, unfinished, tmp_path):
    """Of earlier levels only what a trace needs is read."""
    path = damaged(unfinished, tmp_path)
    for file in states_of(path, 3):
        file.write_bytes(file.read_bytes().replace(b"parent", b"qarent"))
    said = refused(spark, path)
    assert str(path) in said, said


def test_a_bit_of_an_earlier_level_on_the_way_to_a_finding(spark, unfinished, tmp_path):
    """A parent could be another state's, and an action another one that is possible too: only a digest can tell."""
    path = damaged(unfinished, tmp_path)
    for file in states_of(path, 3):
        flip(file, file.stat().st_size // 3, 1)
    said = refused(spark, path)
    assert "its digest differs" in said and "level=3" in said, said


def test_runs_of_other_shards_do_not_pass_for_ones_own(spark, unfinished, tmp_path, whole):
    """Their digests are right, and so is their number."""
    path = damaged(unfinished, tmp_path)
    shards_swapped(path)
    assert "it belongs to another shard" in refused(spark, path)


def test_the_visited_sets_are_made_again_shard_by_shard(spark, unfinished, tmp_path, whole):
    """Where the driver cannot hold them all."""
    path = damaged(unfinished, tmp_path)
    assert alike(resumed(spark, path, resume_from=DEPTH, driver_states=1)) == whole


def test_flipped_bits_never_give_another_count(spark, unfinished, tmp_path, whole):
    dice = random.Random(11)
    refusals = 0
    for number in range(12):
        path = shutil.copytree(unfinished, tmp_path / str(number))
        file = dice.choice([*path.rglob("*.json"), *states_of(path), *runs_of(path), *states_of(path, 4)])
        flip(file, dice.randrange(file.stat().st_size), dice.randrange(8))
        try:
            assert alike(resumed(spark, path, narrow=900)) == whole
        except UsageError:
            refusals += 1
    assert refusals >= 6


def test_one_directory_has_one_writer(spark, unfinished, tmp_path):
    path = damaged(unfinished, tmp_path)
    with locked(path, path):
        assert f"is in use by process {os.getpid()} of " in refused(spark, path)
    assert resumed(spark, path, resume_from=2).complete
    assert len(numbers_in(path)) > DEPTH


def test_a_directory_that_was_removed_is_made_again(spark, tmp_path, whole):
    assert alike(on_spark(spark, request(), path=tmp_path / "run", narrow=300)) == whole
    shutil.rmtree(tmp_path / "run")
    assert alike(on_spark(spark, request(), path=tmp_path / "run", narrow=300)) == whole


def test_digests_in_manifests_are_those_of_the_files(unfinished):
    for number in numbers_in(unfinished)[1:]:
        for name, _, digest in manifest_of(unfinished, number)["files"]:
            assert checksum([(unfinished / name).read_bytes()]) == digest
