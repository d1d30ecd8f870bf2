"""A run on disk: whatever ends it, it goes on to the same end; and a directory of something else is refused."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.local.run_directory import MANIFEST
from highwater.explorer.request import Request
from highwater.model.language import UsageError
from highwater.model.published.next import PUBLISHED
from highwater.properties.catalogue import properties_of
from support import toys
from support.exploring import told

SMALL = {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 2}
LARGE = {"brokers": 3, "log_size": 2, "max_records": 2, "max_epoch": 2}


def run(path=None, resume=False, revision="kip-101", settings=SMALL, properties=None, **options):
    """The outcome of a run that is kept in a directory."""
    config = PUBLISHED.configure(revision, **settings)
    chosen = list(properties_of("published")) if properties is None else properties
    options = {"keep_going": True, **options}
    directory = None if path is None else str(path)
    return check(Request(PUBLISHED, revision, config, chosen, generic=True, run_directory=directory, resume=resume, **options))


@pytest.fixture(scope="module")
def whole():
    """The outcome of an uninterrupted run."""
    return told(run())


def test_a_run_that_is_kept_says_what_one_that_is_not_says(tmp_path, whole):
    assert told(run(tmp_path / "run")) == whole


@pytest.mark.parametrize("depth", [1, 2, 9, 17])
@pytest.mark.parametrize("exact", [False, True], ids=["fingerprints", "exact"])
def test_resumed_after_a_bound_on_depth(tmp_path, whole, depth, exact):
    assert run(tmp_path, bounds=Bounds(depth=depth), exact=exact).depth == depth
    assert told(run(tmp_path, resume=True, exact=exact)) == whole


def test_resumed_after_every_level(tmp_path, whole):
    run(tmp_path, bounds=Bounds(depth=1))
    for depth in range(2, 19):
        outcome = run(tmp_path, resume=True, bounds=Bounds(depth=depth), threads=1 + depth % 3)
        assert outcome.levels == whole[0][:depth]
    assert told(run(tmp_path, resume=True)) == whole


@pytest.mark.parametrize("states", [50, 500, 5000])
def test_resumed_after_an_end_in_the_middle_of_a_level(tmp_path, whole, states):
    outcome = run(tmp_path, bounds=Bounds(states=states))
    assert not outcome.complete
    assert told(run(tmp_path, resume=True)) == whole


def test_resumed_under_symmetry(tmp_path):
    run(tmp_path, symmetry=True, bounds=Bounds(depth=8))
    assert told(run(tmp_path, resume=True, symmetry=True)) == told(run(symmetry=True))


def test_resuming_a_finished_run_tells_the_same(tmp_path, whole):
    run(tmp_path)
    assert told(run(tmp_path, resume=True)) == whole


def test_a_violation_ends_a_resumed_run_too(tmp_path):
    run(tmp_path, bounds=Bounds(depth=5), keep_going=False, properties=list(properties_of("published"))[:2])
    resumed = run(tmp_path, resume=True, keep_going=False, properties=list(properties_of("published"))[:2])
    assert told(resumed) == told(run(keep_going=False, properties=list(properties_of("published"))[:2]))
    assert [f.depth for f in resumed.violated] == [12, 12]


LONG_RUN = """
import sys
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.model.published.next import PUBLISHED
from highwater.properties.catalogue import properties_of
config = PUBLISHED.configure("kip-101", brokers=3, log_size=2, max_records=2, max_epoch=2)
properties = list(properties_of("published"))
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
        process = begin(tmp_path, (tmp_path / MANIFEST).exists())
        assert process.stdout is not None
        process.stdout.readline()
        before = (tmp_path / MANIFEST).stat().st_mtime_ns if (tmp_path / MANIFEST).exists() else 0
        while process.poll() is None and (
            not (tmp_path / MANIFEST).exists() or (tmp_path / MANIFEST).stat().st_mtime_ns == before
        ):
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        _, errors = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), errors.decode()
        killed += 1
        levels.add(len(json.loads((tmp_path / MANIFEST).read_text())["files"]))
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

    config = PUBLISHED.configure("kip-101", **SMALL)
    request = Request(
        PUBLISHED, "kip-101", config, list(properties_of("published")), keep_going=True, generic=True, run_directory=str(tmp_path)
    )
    outcome = check(request, interrupt)
    assert outcome.stopped == "an interruption" and outcome.levels == whole[0][: outcome.depth]
    assert told(run(tmp_path, resume=True)) == whole


def refused(path, resume=True, **options):
    """What is said when a run is refused: one sentence."""
    with pytest.raises(UsageError) as error:
        run(path, resume, **options)
    text = str(error.value)
    assert "\n" not in text and len(text) < 400
    return text


def test_a_directory_that_holds_a_run_is_not_overwritten(tmp_path):
    run(tmp_path, bounds=Bounds(depth=3))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert (
        refused(tmp_path, resume=False)
        == f"{tmp_path} already holds a run; add --resume to go on with it, or name another directory"
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_nothing_to_resume(tmp_path):
    assert (
        refused(tmp_path / "nothing") == f"{tmp_path / 'nothing'} holds no run to resume; leave out --resume to begin one there"
    )


def test_a_place_where_no_directory_can_be(tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refused(tmp_path / "file" / "run", resume=False)
    assert "cannot be written" in refused(tmp_path / "file", resume=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"settings": {**SMALL, "max_epoch": 1}}, "another settings (max_epoch: 2 there, 1 here)"),
        ({"revision": "kip-279"}, "another revision (kip-101 there, kip-279 here)"),
        ({"properties": list(properties_of("published"))[:3]}, "another properties ("),
        ({"symmetry": True}, "another symmetry (False there, True here)"),
        ({"exact": True}, "another exact (False there, True here)"),
    ],
)
def test_a_run_about_something_else_is_refused(tmp_path, options, said):
    run(tmp_path, bounds=Bounds(depth=3))
    assert f"{tmp_path} holds a run with {said}" in refused(tmp_path, **options)


def test_a_run_of_another_model_is_refused(tmp_path):
    run(tmp_path, bounds=Bounds(depth=3))
    request = Request(toys.LOCK, "rude", toys.LOCK.configure("rude"), [], generic=True, run_directory=str(tmp_path), resume=True)
    with pytest.raises(UsageError, match=r"another model \(published there, lock here\)"):
        check(request)


def test_a_run_of_an_edited_model_is_refused(tmp_path):
    run(tmp_path, bounds=Bounds(depth=3))
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    manifest["model_version"] = "0123456789ab"
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert "another model version" in refused(tmp_path)


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory):
    """A directory with a run of six levels."""
    path = tmp_path_factory.mktemp("unfinished")
    run(path, bounds=Bounds(depth=6))
    return path


def copy_of(unfinished, tmp_path):
    """The unfinished run, to be damaged."""
    return shutil.copytree(unfinished, tmp_path / "damaged")


def with_manifest(**changes):
    """A damage: entries of the manifest are replaced."""

    def damage(path):
        manifest = json.loads((path / MANIFEST).read_text())
        (path / MANIFEST).write_text(json.dumps({**manifest, **changes}))

    return damage


def overwritten(name, text):
    """A damage: a file is replaced."""
    return lambda path: (path / name).write_bytes(text)


def cut(name, keep):
    """A damage: a file is cut off."""
    return lambda path: (path / name).write_bytes((path / name).read_bytes()[:keep])


def flipped(name, at):
    """A damage: one byte of a file is another."""

    def damage(path):
        data = bytearray((path / name).read_bytes())
        data[at] ^= 0x55
        (path / name).write_bytes(data)

    return damage


def rewritten(**arrays):
    """A damage: arrays of a level are others."""

    def damage(path):
        with np.load(path / "level-0003.npz") as level:
            kept = dict(level)
        np.savez(path / "level-0003.npz", **{**kept, **arrays})

    return damage


DAMAGES = {
    "manifest empty": overwritten(MANIFEST, b""),
    "manifest cut": cut(MANIFEST, 200),
    "manifest binary": overwritten(MANIFEST, bytes(range(256))),
    "manifest a list": overwritten(MANIFEST, b"[]"),
    "manifest a number": overwritten(MANIFEST, b"7"),
    "manifest null": overwritten(MANIFEST, b"null"),
    "manifest deep": overwritten(MANIFEST, b"[" * 100_000),
    "manifest without entries": overwritten(MANIFEST, b'{"format": 1}'),
    "files no list": with_manifest(files=7),
    "files not names": with_manifest(files=[1, 2]),
    "files none": with_manifest(files=[], levels=[]),
    "files elsewhere": with_manifest(files=["../../etc/passwd"]),
    "levels no list": with_manifest(levels=None),
    "levels too few": with_manifest(levels=[1]),
    "levels others": with_manifest(levels=[1, 4, 14, 44, 100, 167]),
    "found no table": with_manifest(found=[1]),
    "found no places": with_manifest(found={"weak_isr": 3}),
    "found half a place": with_manifest(found={"weak_isr": {"depth": 3}}),
    "found nowhere": with_manifest(found={"weak_isr": {"depth": 3, "shard": 99, "index": 0, "code": -1}}),
    "found not a number": with_manifest(found={"weak_isr": {"depth": 3, "shard": 0, "index": "x", "code": -1}}),
    "taken no list": with_manifest(taken="many"),
    "taken too short": with_manifest(taken=[1]),
    "taken huge": with_manifest(taken=[10**30] * 10),
    "new missing numbers": with_manifest(new=[None] * 10),
    "level missing": lambda path: (path / "level-0003.npz").unlink(),
    "level empty": overwritten("level-0003.npz", b""),
    "level cut": cut("level-0003.npz", 300),
    "level text": overwritten("level-0003.npz", b"no arrays here"),
    "level flipped": flipped("level-0003.npz", 150),
    "level of another": lambda path: shutil.copy(path / "level-0004.npz", path / "level-0003.npz"),
    "level a directory": lambda path: ((path / "level-0003.npz").unlink(), (path / "level-0003.npz").mkdir()),
    "keys of another type": rewritten(keys=np.zeros(14, "f8")),
    "keys of another width": rewritten(keys=np.zeros((14, 9), np.uint64)),
    "keys fewer": rewritten(keys=np.zeros((3, 1), np.uint64)),
    "metas fewer": rewritten(metas=np.zeros(3, np.uint64)),
    "metas of another type": rewritten(metas=np.zeros((14, 2), "U3")),
    "metas to nowhere": rewritten(metas=np.full(14, 1 << 60, np.uint64)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_run_is_refused_in_one_sentence(unfinished, tmp_path, damage):
    path = copy_of(unfinished, tmp_path)
    damage(path)
    said = refused(path)
    assert "begin another run" in said
    assert str(path) in said


def test_files_that_the_manifest_does_not_name_do_not_matter(unfinished, tmp_path, whole):
    path = copy_of(unfinished, tmp_path)
    (path / "level-0007.npz").write_bytes(b"half a level")
    (path / "level-0007.npz.tmp").write_bytes(b"half a level")
    assert told(run(path, resume=True)) == whole
