"""The command in a process of its own: for what must not touch this one, such as plugins."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
PROGRAM = "import sys; from highwater.explorer.command_line import main; sys.exit(main(sys.argv[1:]))"


def highwater(folder, *arguments, **how):
    """(exit code, standard output, standard error) of the command in a folder."""
    return python(folder, "-c", PROGRAM, *arguments, **how)


def python(folder, *arguments, seconds=300, **environment):
    """The same of a Python process; the tests' support can be imported there."""
    paths = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder, env={**os.environ, "PYTHONPATH": paths, **environment}, capture_output=True, text=True, timeout=seconds,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr
