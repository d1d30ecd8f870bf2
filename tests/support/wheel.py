"""A wheel of the tree as it is."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build(tree, wheels):
    """Build in `tree`, for a build leaves files behind; the wheel's path."""
    for package in ("model", "properties", "explorer", "traces"):
        shutil.copytree(ROOT / package, tree / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "docs").mkdir()
    for name in ("pyproject.toml", "README.md", "setup.py", "docs/highwater.1"):
        shutil.copy(ROOT / name, tree / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels), str(tree)]
    subprocess.run(command, check=True, capture_output=True)
    return next(wheels.glob("highwater_kafka-*.whl"))
