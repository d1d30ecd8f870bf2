"""Programs on executors that are processes of their own."""

import json
import subprocess
import sys

from support.elsewhere import TESTS, with_support

PROGRAM = TESTS / "spark" / "cluster_program.py"
CLUSTER = "local-cluster[2,1,2048]"


def program(*arguments):
    """The program, begun."""
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=with_support(), start_new_session=True,
    )  # fmt: skip


def finished(process):
    """What it told."""
    told, errors = process.communicate(timeout=900)
    assert process.returncode == 0, errors[-2000:]
    return json.loads(told.splitlines()[-1])
