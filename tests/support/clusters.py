"""Programs on executors that are processes of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
PROGRAM = TESTS / "spark" / "cluster_program.py"
CLUSTER = "local-cluster[2,1,2048]"


ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))}


def program(*arguments):
    """The program, begun."""
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=ENVIRONMENT, start_new_session=True,
    )  # fmt: skip


def finished(process):
    """What it told."""
    told, errors = process.communicate(timeout=900)
    assert process.returncode == 0, errors[-2000:]
    return json.loads(told.splitlines()[-1])
