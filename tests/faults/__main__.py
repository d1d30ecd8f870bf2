"""Many faults, for the record in `docs/reliability.md`: see the package."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from . import damage, endless, local

PARTS = {
    "kills": "processes killed with signal 9 at random moments",
    "flips": "single bits flipped in the files of a run",
    "damages": "files cut, lengthened, exchanged, removed, edited, or older",
    "signals": "other signals at random moments",
    "calls": "runs whose system calls fail from some moment on",
    "disks": "runs on a disk that fills up",
    "writers": "pairs of processes that write to one directory",
}
OF_SPARK = ("kills", "flips", "damages")


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description=__doc__, epilog="example: python -m tests.faults --kills 60 --flips 100"
    )
    parser.add_argument("--engine", choices=("local", "spark", "both"), default="both", help="whose runs (both)")
    for name, text in PARTS.items():
        whose = "of each engine" if name in OF_SPARK else "of the local engine alone"
        parser.add_argument(f"--{name}", metavar="N", type=int, default=0, help=f"{text}, {whose}")
    parser.add_argument("--seed", default="1", help="what is drawn (1)")
    parser.add_argument("--seconds", type=float, default=86400, help="for each part on Spark: begin nothing after so many")
    parser.add_argument("--all", action="store_true", help="every part in turn, for --hours")
    parser.add_argument("--hours", type=float, default=1.0, help="how long --all lasts (1)")
    options = parser.parse_args()
    if options.all:
        return 1 if endless.all_parts(options.seed, time.monotonic() + 3600 * options.hours) else 0
    wrong = False
    if options.engine != "spark":
        wrong |= told("local", options, local_parts())
    if options.engine != "local":
        from . import spark

        wrong |= told("spark", options, spark.parts(options.seconds))
    return 1 if wrong else 0


def local_parts():
    """The parts by their flags."""

    def flips(folder, seed, count):
        return local.damages(folder, seed, count, (damage.flip,))

    def damages(folder, seed, count):
        return local.damages(folder, seed, count, damage.DAMAGES)

    return {**local.PARTS, "flips": flips, "damages": damages}


def told(engine, options, parts):
    """Do what was asked for, and print it; whether anything was wrong."""
    any_wrong = False
    for name, part in parts.items():
        count = getattr(options, name)
        if not count:
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            seen, wrong = part(Path(folder), options.seed, count)
        any_wrong |= bool(wrong)
        print(f"{engine}, {name}: {dict(seen)}; wrong: {wrong or 'none'}; {time.monotonic() - begun:.0f} s", flush=True)
    return any_wrong


if __name__ == "__main__":
    sys.exit(main())
