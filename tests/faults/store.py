"""Runs on Spark whose directory is in an object store that fails: every fault of `support.faulty_store`, at random requests.

A run ends in the counts of an undisturbed one, or is refused in one sentence that drops no level; undisturbed, it then goes on to
those counts.
"""

import logging
import os
import random
import time
from collections import Counter

from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.runs import reading
from highwater.explorer.spark.session import session
from highwater.model.language import UsageError
from support.faulty_store import FaultyStore
from support.object_store import ENVIRONMENT, PORT, STORE_PORT
from support.on_spark import alike, on_spark_at, request

HOLE = 1.0
"""Seconds without an answer: fewer than in the tests, for the sake of many runs."""

SIZES = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1}
DEPTH = 7
"""Some 200 states in seven levels: what takes time is the number of requests, 50 to 300 of them."""

NARROW = (40, 1400, 1400)
"""Four levels are on Spark, or none."""

HARMFUL = ("--resume-from", "start a new run")


def asked():
    """The request of all these runs."""
    return request(settings=SIZES, bounds=Bounds(depth=DEPTH))


def runs(folder, seed, count, until):
    """(what came of so many runs and which faults they met, what was wrong)."""
    import boto3
    from moto.server import ThreadedMotoServer

    os.environ.update(ENVIRONMENT)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    reading.WAITS = (0.05, 0.2, 0.5)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=STORE_PORT, verbose=False)
    server.start()
    boto3.client("s3", endpoint_url=f"http://127.0.0.1:{STORE_PORT}").create_bucket(Bucket="runs")
    store = {f"spark.executorEnv.{name}": value for name, value in ENVIRONMENT.items()}
    seen, wrong, whole = Counter(), [], alike(check(asked()))
    store["spark.sql.shuffle.partitions"] = "2"
    with FaultyStore(PORT, STORE_PORT, HOLE) as proxy, session("local[2]", **store) as spark:
        for number in range(count):
            if time.monotonic() > until:
                break
            chance = random.Random(f"store {seed} {number}")
            one(spark, proxy, f"s3://runs/{seed}-{number}", chance, whole, seen, wrong)
        seen.update(proxy.struck)
    server.stop()
    return seen, wrong


def one(spark, proxy, place, chance, whole, seen, wrong):
    """One run under faults, and if it was refused, its end without."""
    proxy.randomly(chance, chance.choice((0.01, 0.03, 0.1)))
    how, resume = {"narrow": chance.choice(NARROW), "shards": 2}, False
    for rate in ("faults", "faults", "none"):
        if rate == "none":
            proxy.never()
        try:
            found = alike(on_spark_at(spark, asked(), place, resume=resume, **how))
        except UsageError as error:
            seen["refused"] += 1
            said = str(error)
            if rate == "none" and "no run to resume" in said:
                resume = False
                found = alike(on_spark_at(spark, asked(), place, resume=False, **how))
            elif rate == "none" or "\n" in said or any(word in said for word in HARMFUL):
                wrong.append((place, said))
                return
            else:
                resume = "already holds a run" in said or resume or committed_at(place, proxy)
                continue
        except Exception as error:
            wrong.append((place, repr(error)[:300]))
            return
        seen["complete"] += 1
        if found != whole:
            wrong.append((place, "another count"))
        return


def committed_at(place, proxy):
    """Whether there is a run at a place; the question meets no fault."""
    from highwater.explorer.spark.object_store import ObjectStore

    plan = proxy.plan
    proxy.never()
    try:
        return "0000.json" in ObjectStore(place).names("manifest")
    finally:
        proxy.plan = plan
