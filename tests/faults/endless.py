"""Every part in turn, round after round, until the time is over. Each round has another seed; what a part saw is added up."""

import tempfile
import time
from collections import Counter
from pathlib import Path

from highwater.explorer.spark.session import session

from . import commands, damage, differential, local, spark, store

SLICE = 1 / 16
"""Of the whole time, what a part has before the next one's turn."""


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
        "local damages": lambda folder, seed, until: local.damages(folder, seed, 1 << 30, damage.DAMAGES, until=until),
        "configurations": timed(differential.configurations),
        "progress": timed(differential.progress),
        "flags": timed(differential.flags),
        "signals at commands": timed(commands.signals),
    }


def all_parts(seed, until):
    """Print what each part saw; whether anything was wrong."""
    begun, number, total, any_wrong = time.monotonic(), 0, {}, False
    share = (until - begun) * SLICE
    while time.monotonic() < until:
        for name, part in parts().items():
            now = time.monotonic()
            if now >= until:
                break
            with tempfile.TemporaryDirectory() as folder:
                seen, wrong = part(Path(folder), f"{seed} {number}", min(until, now + share))
            total[name] = total.get(name, Counter()) + Counter(seen)
            any_wrong |= bool(wrong)
            spent = time.monotonic() - now
            print(f"{name}: {dict(total[name])}; wrong: {wrong or 'none'}; {spent:.0f} s", flush=True)
        number += 1
    print(f"{time.monotonic() - begun:.0f} s in all; wrong: {any_wrong}", flush=True)
    return any_wrong
