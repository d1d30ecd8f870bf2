"""The command in a process of its own, for what must not touch this one, such as plugins; and one that is refused, in this."""

import json
import os
import subprocess
import sys
from pathlib import Path

from highwater.explorer.command_line import main

TESTS = Path(__file__).parents[1]
PROGRAM = "import sys; from highwater.explorer.command_line import main; sys.exit(main(sys.argv[1:]))"


def refused(capsys, *arguments, most=500):
    """The one sentence with which the command refuses these arguments before it has run."""
    assert main([str(a) for a in arguments]) == 2, arguments
    out, error = capsys.readouterr()
    assert out == "" and error.startswith("highwater: ") and error.count("\n") == 1 and len(error) < most, error
    return error


def output_of(capsys, code, arguments):
    """What the command prints (`out`, `err`), which ends with this code."""
    assert main([str(a) for a in arguments]) == code, arguments
    return capsys.readouterr()


def highwater(folder, *arguments, **how):
    """(exit code, standard output, standard error) of the command in a folder."""
    return python(folder, "-c", PROGRAM, *arguments, **how)


SEVERAL = """
import contextlib, io, json, sys
from highwater.explorer.command_line import main
told = []
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = main(arguments)
    told.append((code, out.getvalue()))
print(json.dumps(told))
"""


def in_turn(folder, commands, **how):
    """(exit code, what it said) of each command, after each other in one process, which reads a model once."""
    code, out, error = python(folder, "-c", SEVERAL, json.dumps(commands), **how)
    assert code == 0, error
    return json.loads(out)


def python(folder, *arguments, seconds=300, **environment):
    """The same of a Python process; the tests' support can be imported there."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder, env=with_support(**environment), capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def with_support(**more):
    """The environment, in which the tests' support can be imported, and more."""
    paths = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": paths, **more}
