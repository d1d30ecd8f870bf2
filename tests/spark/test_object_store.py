"""A run directory in an object store: everything that a local one can do, on a server of S3 in this process."""

import json
import logging
import random
import re
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from highwater.explorer.runs import reading
from highwater.explorer.runs.lock import NAME, who
from highwater.explorer.spark import claim, object_store
from highwater.explorer.spark.claim import claimed_by_me
from highwater.explorer.spark.explore import OnSpark, explore
from highwater.explorer.spark.hadoop import HadoopFolder
from highwater.explorer.spark.object_store import ObjectStore, base_of
from highwater.explorer.stats.on_spark import TABLES, stats_of
from highwater.model.language import UsageError
from highwater.properties.registry import MODELS
from highwater.traces.replay import replay
from support.elsewhere import output_of
from support.faulty_store import FaultyStore
from support.object_store import ENVIRONMENT, PORT, STORE_PORT
from support.on_spark import alike, request
from support.runs import sentence

DEPTH, SHARDS = 12, 2


@pytest.fixture(scope="module")
def store():
    """The server, with a bucket; the driver's environment leads to a proxy before it, as that of the session's executors does."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=STORE_PORT, verbose=False)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server.start()
        bucket = pytest.importorskip("boto3").client("s3", endpoint_url=f"http://127.0.0.1:{STORE_PORT}")
        bucket.create_bucket(Bucket="runs")
        yield bucket
        server.stop()


@pytest.fixture(scope="module")
def proxy(store):
    with FaultyStore(PORT, STORE_PORT) as found:
        yield found


@pytest.fixture(autouse=True)
def undisturbed(proxy):
    yield
    proxy.never()


def there(spark, place, **options):
    resume = options.pop("resume", False)
    asked = replace(request(**options), run_directory=place, resume=resume)
    return explore(asked, spark, OnSpark(shards=SHARDS, narrow=1000))


def names_in(store, prefix):
    pages = store.get_paginator("list_objects_v2").paginate(Bucket="runs", Prefix=prefix)
    return [one["Key"] for page in pages for one in page.get("Contents", []) if not one["Key"].endswith("/")]


@pytest.fixture(scope="module")
def unfinished(spark, store, proxy):
    """A run that a bound has ended."""
    assert there(spark, "s3a://runs/some/where", bounds=Bounds(depth=DEPTH)).depth == DEPTH
    return "some/where"


def copied(store, unfinished, to):
    """Another run directory with the same objects."""
    for name in names_in(store, f"{unfinished}/"):
        store.copy_object(Bucket="runs", CopySource=f"runs/{name}", Key=name.replace(unfinished, to))
    return f"s3://runs/{to}"


@pytest.fixture(scope="module")
def finished(spark, store, unfinished):
    """Where it went on, and the outcome."""
    place = copied(store, unfinished, "finished")
    return place, there(spark, place, resume=True)


def said(spark, place, **options):
    return sentence(there, spark, place, **options)


def test_a_run_resumed_finds_what_the_local_explorer_finds(finished, store):
    _, outcome = finished
    assert alike(outcome) == alike(check(request()))
    names = names_in(store, "finished/")
    assert any("/shard=1/" in name for name in names), "some levels ran on executors"
    assert not [name for name in names if "/sent/" in name or name.endswith(("/lock", ".tmp"))]
    assert replay(outcome.violated[0].trace, MODELS["published"]).mismatch == ""


def test_verify_and_stats(spark, store, unfinished, finished, capsys):
    assert main(["verify", finished[0]]) == 0 and "sound" in capsys.readouterr().out
    store.put_object(Bucket="runs", Key="finished/progress=1/manifest/0000.json", Body=b"{}")
    assert main(["verify", finished[0]]) == 2
    assert "progress=1" in (told := capsys.readouterr().out) and "sound up to" not in told  # what is told of it mends it
    store.delete_object(Bucket="runs", Key="finished/progress=1/manifest/0000.json")
    stats = stats_of(spark, f"s3://runs/{unfinished}", MODELS)
    assert [row["states"] for row in stats.tables["levels"].collect()] == finished[1].levels[:DEPTH]


@pytest.mark.long
def test_stats_are_those_of_a_local_directory(spark, finished, store, tmp_path):
    for name in names_in(store, "finished/"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(store.get_object(Bucket="runs", Key=name)["Body"].read())
    one, other = (stats_of(spark, where, MODELS) for where in (finished[0], f"file:{tmp_path}/finished"))
    for name in TABLES:
        here, there = (sorted(map(tuple, stats.tables[name].collect())) for stats in (one, other))
        assert here == there and here, name


def test_another_run_is_refused_and_so_is_a_second_writer(spark, finished, store):
    place, _ = finished
    assert "already holds a run" in said(spark, place)
    assert "its revision" in said(spark, place, revision="kip-101", resume=True)
    mine = ObjectStore(place)
    with claimed_by_me(mine, place, remarks := []):
        sentence = said(spark, place, resume=True)
        assert re.search(r"is in use by process \d+ of .*; when that process is gone, wait 180 s, or remove s3://runs/", sentence)
        store.put_object(Bucket="runs", Key=f"finished/{NAME}", Body=b"{}")
        with pytest.raises(OSError, match="another process has taken it meanwhile"):
            mine.below("manifest").write("9999.json", b"")
    assert names_in(store, f"finished/{NAME}") and not remarks, "what is another one's is left alone"
    mine.remove(NAME)
    mine.remove(NAME)
    assert alike(there(spark, place, resume=True)) == alike(finished[1])


@pytest.mark.parametrize("conditional", [True, False])
def test_what_two_processes_write_at_the_same_moment(finished, store, monkeypatch, conditional):
    """The lock and a manifest are put only where there is none. A repeated answer of the store does not matter."""
    if not conditional:
        monkeypatch.setattr(object_store, "conditional_client", lambda: None)
    mine, other = ObjectStore("s3://runs/two"), ObjectStore("s3://runs/two")
    with claimed_by_me(mine, "two", []):
        with pytest.raises(FileExistsError):
            other.create(NAME, b"other")
        with pytest.raises(FileExistsError):
            other.replace(NAME, b"another", b"other")
        mine.write("manifest/0001.json", b"mine")
        mine.write("manifest/0001.json", b"mine")
        store.put_object(Bucket="runs", Key="two/manifest/0002.json", Body=b"other")
        with pytest.raises(OSError, match=r"another process has written manifest/0002\.json"):
            mine.write("manifest/0002.json", b"mine")
    assert not names_in(store, f"two/{NAME}")


def test_a_store_whose_answers_are_lost(finished, store, proxy):
    """The lock is taken and a manifest is written once, though the client tries again."""
    lost = []
    proxy.plan = lambda method, path: "lost" if method == "PUT" and path not in lost and not lost.append(path) else None
    mine = ObjectStore("s3://runs/lost")
    with claimed_by_me(mine, "lost", []):
        mine.write("manifest/0001.json", b"mine")
    assert len(lost) > 1 and names_in(store, "lost/") == ["lost/manifest/0001.json"]


def test_a_lock_that_cannot_be_removed_costs_no_verdict(spark, finished, proxy, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(reading, "WAITS", (0.01,))
    proxy.always("DELETE", NAME)
    asked = ["--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic", "--quiet", "--depth", "4"]
    kept = ["--run-dir", "s3://runs/kept", "--json", str(tmp_path / "o.json"), "--traces", str(tmp_path)]
    shown = output_of(capsys, 20, ["check", "--engine", "spark", *asked, *kept]).out
    assert "incomplete: " in shown and "the lock s3://runs/kept/lock could not be removed (" in shown
    assert len(json.loads((tmp_path / "o.json").read_text())["remarks"]) == 1


@pytest.mark.parametrize("flips", [1, 2])
def test_a_lock_that_changes_on_the_way_is_removed_or_taken_over(finished, store, proxy, flips):
    """Found by a long run on a store that fails: the lock was left, as if it were another's."""
    mine, left = ObjectStore(f"s3://runs/flipped-{flips}"), ["flip"] * flips
    with claimed_by_me(mine, "flipped", []):
        proxy.plan = lambda method, path: left.pop() if left and method == "GET" and path.endswith(NAME) else None
    assert len(names_in(store, f"flipped-{flips}/{NAME}")) == flips - 1
    proxy.never()
    with claimed_by_me(mine, "flipped", remarks := []):
        assert bool(remarks) == (flips == 2)
    assert not names_in(store, f"flipped-{flips}/{NAME}")


def test_a_lock_of_a_process_that_is_gone_is_taken_over(spark, unfinished, store, finished):
    place = copied(store, unfinished, "gone")
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    store.put_object(Bucket="runs", Key=f"gone/{NAME}", Body=json.dumps({**who(), "process": process.pid}).encode())
    outcome = there(spark, place, resume=True)
    assert alike(outcome) == alike(finished[1])
    assert re.fullmatch(r"the lock of process \d+ of .* was taken over: its process is gone", *outcome.remarks)


def test_a_lock_is_renewed_and_taken_over_after_its_lease(finished, store, proxy, monkeypatch):
    monkeypatch.setattr(claim, "LEASE", 1.5)
    mine, seen = ObjectStore("s3://runs/lease"), []
    proxy.plan = lambda method, path: seen.append(path) if method == "PUT" and path.endswith(NAME) else None
    with claimed_by_me(mine, "lease", []):
        time.sleep(2.5)
        with pytest.raises(UsageError, match="in use"), claimed_by_me(ObjectStore("s3://runs/lease"), "lease", []):
            pass
    assert len(seen) > 3, "it was put again and again"
    store.put_object(Bucket="runs", Key=f"lease/{NAME}", Body=json.dumps({**who(), "machine": "another"}).encode())
    time.sleep(2.6)
    with claimed_by_me(mine, "lease", remarks := []):
        assert re.search(r"was taken over: it was not renewed for \d s", *remarks)
    assert not names_in(store, f"lease/{NAME}")


@pytest.mark.parametrize("damage", ["changed", "missing", "earlier"])
def test_damage_is_refused_with_the_object(spark, unfinished, store, damage):
    """`earlier`: of a level that only a trace reads, by the checksums of pages."""
    place = copied(store, unfinished, damage)
    name = names_in(store, f"{damage}/level={3 if damage == 'earlier' else DEPTH}/")[0]
    if damage != "missing":
        data = bytearray(store.get_object(Bucket="runs", Key=name)["Body"].read())
        data[len(data) // (8 if damage == "changed" else 3)] ^= 1  # of a fingerprint, and of a packed state
        store.put_object(Bucket="runs", Key=name, Body=bytes(data))
    else:
        store.delete_object(Bucket="runs", Key=name)
    sentence = said(spark, place, resume=True)
    assert "was damaged or changed" in sentence and name.removeprefix(f"{damage}/") in sentence


def test_places_that_cannot_be_used_and_a_store_that_does_not_answer(spark, store, monkeypatch):
    assert "there is no bucket nowhere" in said(spark, "s3://nowhere/run")
    assert "it is written s3://BUCKET/FOLDER" in said(spark, "s3://user@runs/run")
    assert base_of("s3a://runs/a/b/") == "runs/a/b"
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    sentence = said(spark, "s3://runs/run")
    assert "cannot be" in sentence and "AWS Error" in sentence and "damaged" not in sentence


@pytest.mark.parametrize("name", ["manifest/0003.json", f"level={DEPTH}/"])
def test_what_a_store_does_not_hand_over_is_not_damaged(spark, unfinished, store, proxy, monkeypatch, capsys, name):
    """Whether a manifest or states: it is tried again, and nothing is advised that drops levels."""
    monkeypatch.setattr(reading, "WAITS", (0.01, 0.02))
    place = copied(store, unfinished, name.replace("/", "-"))
    proxy.always("GET", name)
    said_of_it = said(spark, place, resume=True)
    assert "cannot be read: " in said_of_it and "this is no damage" in said_of_it, said_of_it
    assert "--resume-from" not in said_of_it and "start a new run" not in said_of_it
    assert proxy.struck["drop"] > 2
    shown = output_of(capsys, 2, ["verify", place]).out
    assert "not everything could be read" in shown and "damaged" not in shown and "--resume-from" not in shown, shown
    proxy.never()
    assert main(["verify", place]) == 0


def test_a_store_that_fails_now_and_then_costs_nothing_but_time(spark, unfinished, store, proxy, finished):
    place = copied(store, unfinished, "now-and-then")
    proxy.randomly(random.Random(5), 0.1, ("drop", "5xx", "cut", "slow"))
    assert alike(there(spark, place, resume=True)) == alike(finished[1])
    assert sum(proxy.struck.values()) > 3, proxy.struck


def test_bits_that_change_on_the_way_are_not_damage(spark, unfinished, store, proxy):
    """The object is read three more times before anything is said of it."""
    place = copied(store, unfinished, "on-the-way")
    struck = []

    def thrice(method, path):
        if method == "GET" and "manifest/0002.json" in path and len(struck) < 3:
            return struck.append(path) or "flip"
        return None

    proxy.plan = thrice
    assert there(spark, place, resume=True).complete and struck


def test_the_store_of_hadoop_keeps_small_files(spark, tmp_path):
    """On the only file system that Hadoop's client has here without a server."""
    folder = HadoopFolder(spark, f"file:{tmp_path}/run")
    assert folder.names("manifest") == []
    folder.make("manifest")
    folder.write("manifest/0000.json", b"one")
    below = folder.below("manifest")
    assert "manifest" in folder.names("") and below.names("") == folder.names("manifest") == ["0000.json"]
    assert below.read("0000.json") == b"one"
    with claimed_by_me(folder, "the run", []):
        with pytest.raises(UsageError, match=r"the run is in use by process \d+"), claimed_by_me(folder, "the run", []):
            pass
        folder.replace(NAME, folder.lock, folder.lock)
    folder.create(NAME, json.dumps({**who(), "process": 1 << 22, "born": 0.0}).encode())
    with claimed_by_me(folder, "the run", remarks := []):
        assert "was taken over: its process is gone" in remarks[0]
    assert NAME not in folder.names("")
    answer, removal = folder.create, folder.remove

    def lost(name, data):
        answer(name, data)
        raise OSError("no answer")

    folder.create = lost
    with pytest.raises(OSError, match="no answer"), claimed_by_me(folder, "the run", []):
        pass
    folder.create = answer
    with claimed_by_me(folder, "the run", remarks := []):
        assert "was taken over: its run is over" in remarks[0]
        folder.remove = lambda name: lost(name, b"")
    assert "could not be removed" in remarks[1]
    folder.remove = removal
    with claimed_by_me(folder, "the run", remarks := []):
        assert "was taken over: its run is over" in remarks[0]
    below.remove("0000.json")
    below.remove("0000.json")
    assert [name for name in folder.names("manifest") if not name.startswith(".")] == []
    with pytest.raises(OSError, match=r"0000\.json"):
        below.read("0000.json")
