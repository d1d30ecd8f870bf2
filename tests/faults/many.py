"""Many faults, for the record in `docs/reliability.md`: see the package."""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from faults.local import damage_many, kill_many  # noqa: E402 - it is found from here on


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--damages", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))}
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        seen, bad = damage_many(Path(folder), options.seed, options.damages)
        print(f"{options.damages} damages: {dict(seen)}; wrong: {bad}; {time.monotonic() - begun:.0f} s", flush=True)
        struck, wrong = kill_many(Path(folder), options.seed, options.kills, environment)
        print(f"{struck} kills; runs with other counts: {wrong}; {time.monotonic() - begun:.0f} s")
    return 1 if bad or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
