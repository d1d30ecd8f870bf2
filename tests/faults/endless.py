"""Every part in turn, round after round, until the time is over. Each round has another seed; what a part saw is added up."""

import tempfile
import time
from collections import Counter
from pathlib import Path

from highwater.explorer.spark.session import session

from . import commands, damage, differential, local, spark, store

ROUNDS = 3
"""In the whole time: each part has a turn early, and few of them go on beginning sessions."""

SHARES = {"Spark kills": 15, "Spark damages": 10, "faulty store": 10, "configurations": 7, "configurations on Spark": 6}
"""Of the time of a round, where a part has more than the others. These need seconds for what others do in milliseconds."""

ROOT = Path(__file__).parents[2]
READ = ("explorer", "model", "properties", "tests", "traces")
"""The folders of what runs."""


def sources(root=ROOT):
    """When each file of the source tree was changed. Processes begin all the time, and each reads what is there by then."""
    return {file: file.stat().st_ctime_ns for folder in READ for file in (root / folder).rglob("*.py")}


def parts():
    """Each as `part(folder, seed, until)`."""

    def batched(part, batch):
        def run(folder, seed, until):
            seen, wrong, number = Counter(), [], 0
            while time.monotonic() < until and not wrong:
                some, wrong = part(folder, f"{seed} {number}", batch)
                seen += some
                number += 1
            return seen, wrong

        return run

    def timed(part):
        return lambda folder, seed, until: part(folder, seed, 1 << 30, until)

    def on_spark(folder, seed, until):
        with session("local[2]", **{"spark.sql.shuffle.partitions": "2"}) as found:
            return differential.configurations(folder, seed, 1 << 30, until, found)

    def spark_part(name):
        return lambda folder, seed, until: spark.parts(max(1.0, until - time.monotonic()))[name](folder, seed, 1 << 30)

    here = {f"local {name}": batched(part, 20) for name, part in local.PARTS.items() if name != "damages"}
    return {
        "configurations on Spark": on_spark,
        "faulty store": timed(store.runs),
        "Spark damages": spark_part("damages"),
        "Spark kills": spark_part("kills"),
        **here,
        "local damages": lambda folder, seed, until: local.damages(folder, seed, 1 << 30, damage.ANY, until=until),
        "configurations": timed(differential.configurations),
        "progress": timed(differential.progress),
        "flags": timed(differential.flags),
        "signals at commands": timed(commands.signals),
    }


def all_parts(seed, until):
    """Print what each part saw; whether anything was wrong. It ends when the source tree changes: nothing can be said then."""
    begun, number, total, times, any_wrong, before = time.monotonic(), 0, {}, Counter(), False, sources()
    shares = {name: SHARES.get(name, 1) for name in parts()}
    second = (until - begun) / ROUNDS / sum(shares.values())
    while time.monotonic() < until:
        for name, part in parts().items():
            now = time.monotonic()
            if now >= until:
                break
            with tempfile.TemporaryDirectory() as folder:
                seen, wrong = part(Path(folder), f"{seed} {number}", min(until, now + shares[name] * second))
            changed = [str(file) for file, when in sources().items() ^ before.items()]
            if changed:
                print(f"{name}: {wrong or 'nothing wrong'}, but {changed[0]} was changed meanwhile: begin again", flush=True)
                return True
            total[name] = total.get(name, Counter()) + Counter(seen)
            times[name] += time.monotonic() - now
            any_wrong |= bool(wrong)
            print(f"{name}: {dict(total[name])}; wrong: {wrong or 'none'}; {times[name]:.0f} s", flush=True)
        number += 1
    print(f"{time.monotonic() - begun:.0f} s in all; wrong: {any_wrong}", flush=True)
    return any_wrong
