"""Runs in a process of its own, on executors that are processes: some runs, with faults, and what they found as JSON.

python cluster_program.py MASTER FOLDER RUN...     RUN: killed; few or all, see support/spark_cases.py
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from highwater.explorer.spark.session import session
from support import faults, spark_cases
from support.on_spark import alike, on_spark, request


def main(master, folder, names):
    faults.by_value()
    folder, out = Path(folder), {}
    with session(master, **{"spark.task.maxFailures": "8"}) as spark:
        for name in names:
            if name in ("few", "all"):
                out[name] = [alike(run_case(spark, *case)) for case in getattr(spark_cases, name.upper())]
                continue
            marks = folder / f"{name}-marks"
            marks.mkdir()
            probe = faults.KillsExecutor(marks, "begun", [10, 13], shard=1)
            found = on_spark(spark, request(), shards=4, path=folder / name, probe=probe)
            out[name] = {"found": alike(found), "struck": faults.struck(marks)}
    print(json.dumps(out))


def run_case(spark, model, revision, symmetry, shards):
    asked = spark_cases.asked(model, revision, symmetry)
    return on_spark(spark, asked, shards, narrow=spark_cases.narrow(model, symmetry))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
