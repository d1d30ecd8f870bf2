"""A run on disk: whatever ends it, it goes on to the same end; and a directory of something else is refused."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import cache

import numpy as np
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.compiled_for import compile_for
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.explorer.local.check import check
from highwater.explorer.local.run_directory import RunDirectory, open_run
from highwater.explorer.runs.files import LocalFiles, checksum
from highwater.explorer.runs.manifests import Damaged
from highwater.model.language import UsageError
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from support import toys
from support.exploring import request, sort_small_levels, told
from support.runs import flip, manifest_of, numbers_in, sealed, sentence, without_permission

SMALL = {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 2}
LARGE = {"brokers": 3, "log_size": 2, "max_records": 2, "max_epoch": 2}


def asked(path=None, revision="kip-101", settings=SMALL, properties=None, **options):
    """A request for a run, which is kept in a directory if one is given."""
    directory = None if path is None else str(path)
    return request(PUBLISHED, revision, settings, properties, run_directory=directory, **options)


def run(path=None, resume=False, **options):
    """The outcome of a run."""
    return check(asked(path, resume=resume, **options))


@pytest.fixture(scope="module")
def whole():
    """The outcome of an uninterrupted run."""
    return told(run())


def test_a_run_that_is_kept_says_what_one_that_is_not_says(tmp_path, whole):
    assert told(run(tmp_path / "run")) == whole


def test_the_keys_of_a_level_that_is_written_leave_the_memory(tmp_path, whole):
    """What is expanded is read from the file of its level, in a run that goes on and in one that begins again from it."""
    of_all = asked()
    compiled = compile_for(of_all, of_all.applicable)

    def level_of(search):
        """The keys of the newest level, and the memory that each shard holds for keys."""
        return [shard.on_disk.tolist() for shard in search.shards], {shard.keys.nbytes for shard in search.shards}

    levels = []
    search = BreadthFirst(compiled, of_all.applicable, keep_going=True)
    with open_run(str(tmp_path), search, "kip-101", resume=False) as directory:

        def commit():
            directory.commit()
            levels.append(level_of(search))

        search.run(Bounds(depth=9), commit=commit)
    assert [sum(map(len, keys)) for keys, _ in levels] == whole[0][1:9]
    assert all(held == {1024 * 8 * compiled.key_words} for _, held in levels)
    again = BreadthFirst(compiled, of_all.applicable, keep_going=True)
    with open_run(str(tmp_path), again, "kip-101", resume=True):
        assert level_of(again) == levels[-1]


@pytest.mark.parametrize("depth", [3, 6])
def test_a_level_that_is_changed_before_it_is_expanded_ends_the_run(tmp_path, monkeypatch, depth):
    """The file is read a second time: neither the next level nor a verdict may rest on others than those found."""
    commit = RunDirectory.commit

    def commit_and_change(directory):
        commit(directory)
        if len(directory.search.levels) == 3:
            with open(tmp_path / "level-0003.states", "r+b") as file:
                file.write(b"\xff")

    monkeypatch.setattr(RunDirectory, "commit", commit_and_change)
    with pytest.raises(Damaged, match=r"level-0003\.states was damaged.*--resume-from 2"):
        run(tmp_path, bounds=Bounds(depth=depth), keep_going=True)
    assert numbers_in(tmp_path)[-1] == 3 and not (tmp_path / "outcome.json").exists()


FIRST_TWO = {"keep_going": False, "properties": list(properties_of(PUBLISHED))[:2]}
WAYS = {"fingerprints": {}, "exact": {"exact": True}, "symmetry": {"symmetry": True}, "to a violation": FIRST_TWO}
ENDS = ({"depth": 1}, {"depth": 2}, {"depth": 9}, {"depth": 17}, {"states": 50}, {"states": 500}, {"states": 5000}, {})


@pytest.mark.parametrize("bound", ENDS, ids=str)
@pytest.mark.parametrize("how", WAYS)
def test_a_run_goes_on_to_the_same_end(tmp_path, how, bound):
    """After a bound on depth, in the middle of a level, and when it had ended."""
    first = run(tmp_path, bounds=Bounds(**bound), **WAYS[how])
    assert first.depth == bound.get("depth", first.depth) or how == "to a violation"
    assert first.complete == (not bound) or how != "fingerprints"
    assert told(run(tmp_path, resume=True, **WAYS[how])) == undisturbed(how)


@cache
def undisturbed(how):
    return told(run(**WAYS[how]))


def test_resumed_after_every_level(tmp_path, whole):
    run(tmp_path, bounds=Bounds(depth=1))
    for depth in range(2, 19):
        outcome = run(tmp_path, resume=True, bounds=Bounds(depth=depth), threads=1 + depth % 3)
        assert outcome.levels == whole[0][:depth]
        assert outcome.resumed == sum(whole[0][: depth - 1])
    assert told(run(tmp_path, resume=True)) == whole


def test_resumed_with_sorted_levels(tmp_path, monkeypatch):
    """A level is sorted before it is written, so whoever resumes expands it in the same order."""
    sort_small_levels(monkeypatch)
    whole = told(run())
    for states in (50, 500, 5000):
        assert not run(tmp_path, resume=states > 50, bounds=Bounds(states=states)).complete
    assert told(run(tmp_path, resume=True, threads=2)) == whole


LONG_RUN = """
import sys
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.explorer.local.check import check
from highwater.explorer.local.run_directory import open_run
from highwater.explorer.compiling.compiled_for import compile_for
from highwater.explorer.request import Request
from highwater.properties.registry import PUBLISHED
from highwater.properties.catalogue import properties_of
config = PUBLISHED.configure("kip-101", brokers=3, log_size=2, max_records=2, max_epoch=2)
properties = list(properties_of(PUBLISHED))
resume = sys.argv[2] == "resume"
print("begins", flush=True)
check(Request(PUBLISHED, "kip-101", config, properties, generic=True, keep_going=True, run_directory=sys.argv[1], resume=resume))
"""


def begin(path, resume):
    """The long run in a process of its own."""
    arguments = [sys.executable, "-c", LONG_RUN, str(path), "resume" if resume else "begin"]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_killed_at_random_moments(tmp_path):
    """A process is killed with signal 9 again and again; the directory always holds a run that goes on."""
    expected = told(run(settings=LARGE))
    chance, killed, levels = random.Random(9), 0, set()
    while killed < 4:
        before = len(numbers_in(tmp_path))
        process = begin(tmp_path, before > 0)
        assert process.stdout is not None
        process.stdout.readline()
        while process.poll() is None and len(numbers_in(tmp_path)) == before:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        _, errors = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), errors.decode()
        killed += 1
        levels.add(numbers_in(tmp_path)[-1])
    assert min(levels) < len(expected[0])  # it was killed before its end
    assert told(run(tmp_path, resume=True, settings=LARGE)) == expected


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_by_a_signal(tmp_path, number, whole):
    """The search ends after its round, says so, and can go on."""
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if progress.depth == 10:
            os.kill(os.getpid(), number)
            time.sleep(0.01)

    outcome = check(asked(tmp_path), interrupt)
    assert outcome.stopped == "an interruption" and outcome.levels == whole[0][: outcome.depth]
    assert told(run(tmp_path, resume=True)) == whole


def refused(path, resume=True, **options):
    return sentence(run, path, resume, **options)


def test_a_directory_that_holds_a_run_is_not_overwritten(tmp_path):
    run(tmp_path, bounds=Bounds(depth=3))
    before = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "lock"}
    said = refused(tmp_path, resume=False)
    assert said == f"{tmp_path} already holds a run; add --resume to continue it, or name another directory"
    assert {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "lock"} == before


def test_a_directory_that_cannot_be_used_is_refused_before_anything_is_compiled(tmp_path, monkeypatch):
    """Compiling takes ten seconds, after which it was said."""
    run(tmp_path / "held", bounds=Bounds(depth=3))
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("highwater.explorer.local.check.compile_for", lambda *_: pytest.fail("it is compiled"))
    assert "already holds a run" in refused(tmp_path / "held", resume=False)
    nothing = tmp_path / "nothing"
    assert refused(nothing) == f"{nothing} holds no run to resume; leave out --resume to begin one there" and not nothing.exists()
    assert f"{tmp_path / 'file' / 'run'} cannot be written: Not a directory" in refused(tmp_path / "file" / "run", resume=False)
    assert "cannot be written" in refused(tmp_path / "file", resume=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"settings": {**SMALL, "max_epoch": 1}}, "its settings (max_epoch: 2 there, 1 here)"),
        ({"revision": "kip-279"}, "its revision (kip-101 there, kip-279 here)"),
        ({"properties": list(properties_of(PUBLISHED))[:3]}, "its properties ("),
        ({"symmetry": True}, "its symmetry (False there, True here)"),
        ({"exact": True}, "its exact (False there, True here)"),
    ],
)
def test_a_run_about_something_else_is_refused(tmp_path, options, said):
    run(tmp_path, bounds=Bounds(depth=3))
    assert f"{tmp_path} holds a run that differs in {said}" in refused(tmp_path, **options)


def test_a_run_of_another_model_is_refused(tmp_path):
    run(tmp_path, bounds=Bounds(depth=3))
    with pytest.raises(UsageError, match=r"its model \(published there, lock here\)"):
        check(request(toys.LOCK, "rude", {}, [], run_directory=str(tmp_path), resume=True))


def test_a_run_of_an_edited_model_is_refused(tmp_path):
    run(tmp_path, bounds=Bounds(depth=3))
    sealed(tmp_path, 0, model_version="0123456789ab")
    assert "its model version" in refused(tmp_path)


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory):
    """A directory with a run of six levels."""
    path = tmp_path_factory.mktemp("unfinished")
    run(path, bounds=Bounds(depth=6))
    return path


def copy_of(unfinished, tmp_path):
    """The unfinished run, to be damaged."""
    return shutil.copytree(unfinished, tmp_path / "damaged")


def with_manifest(number=-1, **changes):
    """A damage: entries of a manifest are replaced, and its checksums are right."""
    return lambda path: sealed(path, number, **changes)


def overwritten(name, text):
    """A damage: a file is replaced."""
    return lambda path: (path / name).write_bytes(text)


def cut(name, keep):
    """A damage: a file is cut off."""
    return lambda path: (path / name).write_bytes((path / name).read_bytes()[:keep])


def flipped(name, at):
    """A damage: one bit of a file is another."""
    return lambda path: flip(path / name, at % (path / name).stat().st_size, at % 8)


def with_states(keys=lambda keys: keys, metas=lambda metas: metas):
    """A damage: the states of level 3 are others, and all digests are right."""

    def damage(path):
        ((name, rows, _),) = manifest_of(path, 3)["files"]
        words = np.fromfile(path / name, np.uint64)
        parts = [keys(words[: len(words) - rows].copy()), metas(words[len(words) - rows :].copy())]
        np.concatenate(parts).tofile(path / name)
        sealed(path, 3, files=[[name, rows, checksum([(path / name).read_bytes()])]])

    return damage


LAST, THIRD, LEVEL = "manifest/0006.json", "manifest/0003.json", "level-0003.states"

DAMAGES = {
    "identity empty": (overwritten("manifest/0000.json", b""), "start a new run"),
    "identity flipped": (flipped("manifest/0000.json", 300), "start a new run"),
    "identity missing": (lambda path: (path / "manifest/0000.json").unlink(), "start a new run"),
    "first manifest flipped": (flipped("manifest/0001.json", 77), "start a new run"),
    "manifest empty": (overwritten(LAST, b""), "--resume-from 5"),
    "manifest cut": (cut(LAST, 200), "--resume-from 5"),
    "manifest binary": (overwritten(LAST, bytes(range(256))), "--resume-from 5"),
    "manifest a list": (overwritten(LAST, b"[]"), "--resume-from 5"),
    "manifest deep": (overwritten(LAST, b"[" * 100_000), "--resume-from 5"),
    "manifest flipped": (flipped(LAST, 250), "--resume-from 5"),
    "checksum flipped": (flipped(LAST, 20), "--resume-from 5"),
    "manifest missing": (lambda path: (path / THIRD).unlink(), "--resume-from 2"),
    "manifests exchanged": (
        lambda path: ((path / LAST).rename(path / "x"), (path / THIRD).rename(path / LAST), (path / "x").rename(path / THIRD)),
        "--resume-from 2",
    ),
    "manifest of another": (lambda path: shutil.copy(path / "manifest/0005.json", path / LAST), "--resume-from 5"),
    "files no list": (with_manifest(files=7), "--resume-from 5"),
    "files not files": (with_manifest(files=[1, 2]), "--resume-from 5"),
    "files none": (with_manifest(files=[]), "--resume-from 5"),
    "files elsewhere": (with_manifest(files=[["../../etc/passwd", 98, "0"]]), "--resume-from 5"),
    "files from the root": (with_manifest(files=[["/etc/passwd", 98, "0"]]), "--resume-from 5"),
    "more states": (with_manifest(states=99), "--resume-from 5"),
    "found no table": (with_manifest(found=[1]), "--resume-from 5"),
    "found half a place": (with_manifest(found={"weak_isr": {"depth": 3}}), "--resume-from 5"),
    "found nowhere": (with_manifest(found={"weak_isr": {"depth": 3, "shard": 99, "index": 0, "code": -1}}), "--resume-from 5"),
    "found falsely": (with_manifest(found={"weak_isr": {"depth": 1, "shard": 0, "index": 0, "code": -1}}), "start a new run"),
    "taken no list": (with_manifest(taken="many"), "--resume-from 5"),
    "taken too short": (with_manifest(taken=[1]), "--resume-from 5"),
    "taken below zero": (with_manifest(taken=[-1] * 10), "--resume-from 5"),
    "new missing numbers": (with_manifest(new=[None] * 10), "--resume-from 5"),
    "an unknown entry": (with_manifest(colour="red"), "--resume-from 5"),
    "level missing": (lambda path: (path / LEVEL).unlink(), "--resume-from 2"),
    "level empty": (overwritten(LEVEL, b""), "--resume-from 2"),
    "level cut": (cut(LEVEL, 100), "--resume-from 2"),
    "level cut within a word": (cut(LEVEL, 101), "--resume-from 2"),
    "level longer": (lambda path: (path / LEVEL).write_bytes((path / LEVEL).read_bytes() + b"\0"), "--resume-from 2"),
    "level flipped": (flipped(LEVEL, 150), "--resume-from 2"),
    "level of another": (lambda path: shutil.copy(path / "level-0004.states", path / LEVEL), "--resume-from 2"),
    "level a directory": (lambda path: ((path / LEVEL).unlink(), (path / LEVEL).mkdir()), "--resume-from 2"),
    "keys fewer": (with_states(keys=lambda keys: keys[:-1]), "--resume-from 2"),
    "keys twice": (with_states(keys=lambda keys: np.full_like(keys, keys[0])), "--resume-from 2"),
    "metas to nowhere": (with_states(metas=lambda metas: np.full_like(metas, 1 << 60)), "--resume-from 2"),
}


@pytest.mark.parametrize(("damage", "hint"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_run_is_refused_in_one_sentence_with_what_can_be_done(unfinished, tmp_path, whole, damage, hint):
    path = copy_of(unfinished, tmp_path)
    damage(path)
    said = refused(path)
    assert hint in said and str(path) in said, said
    if (path / LEVEL).is_dir():
        (path / LEVEL).rmdir()
    if hint.startswith("--resume-from"):
        assert told(run(path, resume=True, resume_from=int(hint.split()[1]))) == whole


@pytest.mark.parametrize("name", ["manifest/0000.json", "manifest/0005.json", "level-0005.states"])
def test_a_file_that_cannot_be_read_is_not_damage_and_costs_no_level(unfinished, tmp_path, whole, name):
    path = shutil.copytree(unfinished, tmp_path / "run")
    with pytest.MonkeyPatch.context() as patch:
        without_permission(patch, name)
        said = sentence(run, path, resume=True)
    assert f"{name} cannot be read: Permission denied" in said and "no damage" in said
    assert "--resume-from" not in said and "start a new run" not in said
    assert told(run(path, resume=True)) == whole


def test_going_on_from_an_earlier_level_forgets_the_later_ones(unfinished, tmp_path):
    path = copy_of(unfinished, tmp_path)
    outcome = run(path, resume=True, resume_from=3, bounds=Bounds(depth=4))
    assert outcome.depth == 4 and numbers_in(path) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("level", [7, 99])
def test_there_is_no_such_level_to_go_on_from(unfinished, tmp_path, level):
    path = copy_of(unfinished, tmp_path)
    assert "has 6 levels" in refused(path, resume_from=level)
    assert numbers_in(path) == list(range(7))


def test_files_that_no_manifest_names_do_not_matter(unfinished, tmp_path, whole):
    path = copy_of(unfinished, tmp_path)
    (path / "level-0007.states").write_bytes(b"half a level")
    (path / ".0123.tmp").write_bytes(b"half a level")
    (path / "manifest" / ".0123.tmp").write_bytes(b"half a manifest")
    assert told(run(path, resume=True)) == whole


def test_a_run_that_was_killed_before_its_first_level_is_resumed(unfinished, tmp_path, whole):
    path = copy_of(unfinished, tmp_path)
    for number in range(6, 0, -1):
        (path / "manifest" / f"{number:04d}.json").unlink()
    assert told(run(path, resume=True)) == whole


def test_one_directory_has_one_writer(tmp_path):
    """The second is refused with who has it; a writer that is killed leaves nothing to clean up."""
    process = begin(tmp_path, False)
    assert process.stdout is not None
    process.stdout.readline()
    while len(numbers_in(tmp_path)) < 3:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGSTOP)
    said = refused(tmp_path, settings=LARGE)
    assert f"is in use by process {process.pid} of " in said
    assert "verify" not in said
    process.kill()
    process.communicate()
    assert run(tmp_path, resume=True, settings=LARGE, bounds=Bounds(depth=9)).depth >= 3


def test_a_directory_that_was_removed_is_made_again(tmp_path, whole):
    assert told(run(tmp_path / "run")) == whole
    shutil.rmtree(tmp_path / "run")
    assert told(run(tmp_path / "run")) == whole


def test_everything_is_on_disk_before_the_manifest_that_names_it(tmp_path, monkeypatch):
    """The level's file is synced and gets its name, then its folder is synced; then the same of the manifest, and of the end."""
    calls = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(descriptor):
        calls.append(("sync", os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    def noted_replace(source, target):
        calls.append(("name", str(source), str(target)))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    run(tmp_path / "run", bounds=Bounds(depth=3))
    synced, named = set(), []
    for kind, path, *target in calls:
        if kind == "name":
            assert path in synced, "a file is synced before it gets its name"
            if "/manifest/" in target[0] and not target[0].endswith("0000.json"):
                level = target[0].replace("/manifest/", "/level-").replace(".json", ".states")
                assert named[-1] == level and str(tmp_path / "run") in synced
            if target[0].endswith("/outcome.json"):
                assert named[-1].endswith("/manifest/0003.json") and str(tmp_path / "run" / "manifest") in synced
            named.append(target[0])
            synced -= {str(tmp_path / "run"), str(tmp_path / "run" / "manifest")}
        else:
            synced.add(path)
    assert len(named) == 8 and named[-1].endswith("/outcome.json") and str(tmp_path / "run") in synced


def test_the_name_of_a_folder_is_put_on_disk_once(tmp_path, monkeypatch):
    """The folder of a file is synced with each file, those above it with the first: each sync waits for the disk. A folder
    that was removed and made again is a new one."""
    synced, files = [], LocalFiles(tmp_path / "run")
    fsync = os.fsync

    def noted(descriptor):
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    def folders_of(name):
        synced.clear()
        files.write(name, b"some")
        return [path.removeprefix(f"{tmp_path}") for path in synced if not path.endswith(".tmp")]

    monkeypatch.setattr(os, "fsync", noted)
    assert folders_of("level=1/shard=0/one") == ["/run/level=1/shard=0", "/run/level=1", "/run", ""]
    assert folders_of("level=1/shard=0/two") == ["/run/level=1/shard=0"]
    assert folders_of("level=1/shard=1/one") == ["/run/level=1/shard=1", "/run/level=1"]
    (tmp_path / "run" / "level=1").rename(tmp_path / "moved")
    assert folders_of("level=1/shard=0/one") == ["/run/level=1/shard=0", "/run/level=1", "/run"]
