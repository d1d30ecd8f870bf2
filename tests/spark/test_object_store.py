"""A run directory in an object store: everything that a local one can do, on a server of S3 in this process."""

import logging
import re
from dataclasses import replace

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from highwater.explorer.runs.lock import NAME
from highwater.explorer.spark.explore import OnSpark, explore
from highwater.explorer.spark.hadoop import HadoopFolder
from highwater.explorer.spark.object_store import ObjectStore, base_of
from highwater.explorer.stats.on_spark import TABLES, stats_of
from highwater.model.language import UsageError
from highwater.model.registry import MODELS
from highwater.traces.replay import replay
from support.object_store import ENVIRONMENT, PORT
from support.on_spark import alike, request
from support.runs import sentence

DEPTH, SHARDS = 12, 2


@pytest.fixture(scope="module")
def store():
    """The server, with a bucket; the driver's environment leads to it, as that of the session's executors does."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=PORT, verbose=False)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server.start()
        bucket = pytest.importorskip("boto3").client("s3")
        bucket.create_bucket(Bucket="runs")
        yield bucket
        server.stop()


def there(spark, place, **options):
    resume = options.pop("resume", False)
    asked = replace(request(**options), run_directory=place, resume=resume)
    return explore(asked, spark, OnSpark(shards=SHARDS, narrow=1000))


def names_in(store, prefix):
    pages = store.get_paginator("list_objects_v2").paginate(Bucket="runs", Prefix=prefix)
    return [one["Key"] for page in pages for one in page.get("Contents", []) if not one["Key"].endswith("/")]


@pytest.fixture(scope="module")
def unfinished(spark, store):
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
    mine.claim(place)
    sentence = said(spark, place, resume=True)
    assert re.search(r"is in use by process \d+ of .*; when that process is gone, remove s3://runs/", sentence)
    store.put_object(Bucket="runs", Key=f"finished/{NAME}", Body=b"{}")
    with pytest.raises(OSError, match="another process has taken it meanwhile"):
        mine.below("manifest").write("9999.json", b"")
    mine.remove(NAME)
    mine.remove(NAME)
    assert alike(there(spark, place, resume=True)) == alike(finished[1])


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


def test_the_store_of_hadoop_keeps_small_files(spark, tmp_path):
    """On the only file system that Hadoop's client has here without a server."""
    folder = HadoopFolder(spark, f"file:{tmp_path}/run")
    assert folder.names("manifest") == []
    folder.make("manifest")
    folder.write("manifest/0000.json", b"one")
    below = folder.below("manifest")
    assert "manifest" in folder.names("") and below.names("") == folder.names("manifest") == ["0000.json"]
    assert below.read("0000.json") == b"one"
    folder.claim("the run")
    with pytest.raises(UsageError, match=r"the run is in use by process \d+"):
        folder.claim("the run")
    below.remove("0000.json")
    below.remove("0000.json")
    assert [name for name in folder.names("manifest") if not name.startswith(".")] == []
    with pytest.raises(OSError, match=r"0000\.json"):
        below.read("0000.json")
