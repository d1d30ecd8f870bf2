"""Many cases, for the record in `docs/reliability.md`: see the package."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from .hostile import SHARES  # noqa: E402 - it is found from here on
from .run import damage_cache, try_all  # noqa: E402

CACHES = 30
"""One of so many cases damages a cache."""


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, epilog="example: python -m tests.fuzz --cases 10000 --seed 1"
    )
    parser.add_argument("--cases", metavar="N", type=int, default=300, help="how many (300)")
    parser.add_argument("--seed", default="1", help="what is drawn (1)")
    parser.add_argument("--kind", choices=SHARES, action="append", help="only these; may be repeated")
    options = parser.parse_args()
    kinds, failed = options.kind or list(SHARES), False
    if kinds == ["plugin"]:
        return 1 if told(options.seed, options.cases, kinds) else 0
    shares = sum(SHARES.values())
    of_plugins = options.cases * SHARES["plugin"] // shares if "plugin" in kinds else 0
    caches = 0 if options.kind else options.cases // CACHES
    kinds = [kind for kind in kinds if kind != "plugin"]
    failed |= told(options.seed, options.cases - of_plugins - caches, kinds)
    if caches:
        begun, wrong = time.monotonic(), damage_cache(options.seed, caches)
        print(f"{caches} damaged caches; wrong: {wrong or 'none'}; {time.monotonic() - begun:.0f} s", flush=True)
        failed |= bool(wrong)
    if of_plugins:  # their code is run by the interpreter: to compile it takes seconds
        command = [sys.executable, "-m", "tests.fuzz", "--kind", "plugin", "--cases", str(of_plugins), "--seed", options.seed]
        environment = {**os.environ, "HIGHWATER_COMPILE": "no"}
        failed |= subprocess.run(command, cwd=TESTS.parent, env=environment, check=False).returncode != 0
    return 1 if failed else 0


def told(seed, count, kinds):
    """Try the cases, and print what came of them; whether anything was wrong."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seen, wrong = try_all(Path(folder), seed, count, kinds)
    for kind in kinds:
        codes = ", ".join(f"{n} times {code}" for (one, code), n in sorted(seen.items(), key=str) if one == kind)
        print(f"{kind}: {codes}", flush=True)
    print(f"{count} cases; wrong: {wrong or 'none'}; {time.monotonic() - begun:.0f} s", flush=True)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
