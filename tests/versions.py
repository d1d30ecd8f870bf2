"""Highwater with the lowest and the newest versions that `pyproject.toml` allows, and known advisories about them.

python -m tests.versions --lowest     a fresh environment with every lower bound, and the tests of what is compiled
python -m tests.versions --newest     the same with the newest versions within the bounds
python -m tests.versions --audit      pip-audit over what is installed here
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRIED = (
    "tests/explorer/test_known_graphs.py", "tests/explorer/test_lanes.py", "tests/language/test_lowering.py",
    "tests/progress/test_random_graphs.py", "tests/spark/test_equals_local.py", "tests/spark/test_damage.py",
)  # fmt: skip
APART = ("test", "site")
"""Extras whose packages pip may choose: they are not what is tried."""

UNREACHABLE = 3
"""The exit code where the advisories cannot be reached."""


def lowest():
    """The lower bound of each dependency, as pip's constraints."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].items()
    wanted = [*project["dependencies"], *(one for name, several in extras if name not in APART for one in several)]
    found = [re.fullmatch(r"([\w-]+)(?:\[\w+\])?>=([\d.]+).*", one) for one in wanted]
    assert all(found), wanted
    return [f"{one[1]}=={one[2]}" for one in found]


def tried(constraints):
    """The tests in a fresh environment; their exit code."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python, file = f"{folder}/bin/python", Path(folder) / "constraints.txt"
        file.write_text("\n".join(constraints) + "\n")
        subprocess.run([python, "-m", "pip", "install", "-q", "-c", file, "-e", f"{ROOT}[test]"], check=True)
        shown = "import numba, llvmlite, numpy, pyspark; print(*(f'{one.__name__} {one.__version__}' for one in"
        subprocess.run([python, "-c", f"{shown} (numba, llvmlite, numpy, pyspark)))"], check=True)
        return subprocess.run([python, "-m", "pytest", "-q", *TRIED], cwd=ROOT, check=False).returncode


def audited():
    """What pip-audit says; it is not a dependency, and is installed beside."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([f"{folder}/bin/python", "-m", "pip", "install", "-q", "pip-audit"], check=True)
        frozen = subprocess.run([sys.executable, "-m", "pip", "freeze"], check=True, capture_output=True, text=True).stdout
        file = Path(folder) / "installed.txt"
        file.write_text("\n".join(line for line in frozen.splitlines() if re.fullmatch(r"[\w.-]+==[\w.]+", line)) + "\n")
        command = [f"{folder}/bin/pip-audit", "-r", file, "--no-deps", "--disable-pip", "--progress-spinner", "off"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr[-2000:], sep="\n")
        said = done.stdout + done.stderr
        unreached = any(words in said for words in ("ConnectionError", "ServiceError", "could not be audited"))
        return UNREACHABLE if unreached else done.returncode


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.versions", description=__doc__.partition("\n")[0])
    for name in ("lowest", "newest", "audit"):
        parser.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args()
    codes = [tried(lowest())] if options.lowest else []
    codes += [tried([])] if options.newest else []
    codes += [audited()] if options.audit else []
    return max(codes, default=2)


if __name__ == "__main__":
    sys.exit(main())
