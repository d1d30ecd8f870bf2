"""Local runs in processes of their own. One process is warm, and forks a run for each line that it reads.

For each line `[path, resume, failing]` it prints the process of the run, what the run answered, and its status.
"""

import errno
import hashlib
import json
import os
import subprocess
import sys

from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.model.language import UsageError
from highwater.properties.registry import PUBLISHED
from support.elsewhere import with_support
from support.exploring import request, told

SIZES = {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1}
PROGRAM = "from faults.runner import serve; serve()"
CALLS = ("open", "fsync", "replace", "fdopen")
ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE)


def run(path=None, resume=False, bounds=None, **options):
    """The outcome of a run, in a directory when `path` names one."""
    options |= {"bounds": bounds or Bounds(), "run_directory": None if path is None else str(path), "resume": resume}
    return check(request(PUBLISHED, "kip-101", SIZES, **options))


def counts(outcome):
    """Everything that an outcome says, as a digest."""
    return hashlib.sha256(repr(told(outcome)).encode()).hexdigest()


def answer(path, resume):
    """What a run says: its counts, that it was stopped, or the sentence with which it is refused."""
    try:
        outcome = run(path, resume)
    except UsageError as error:
        return {"refused": str(error)}
    return {"counts": counts(outcome)} if outcome.complete else {"stopped": outcome.stopped}


def let_fail(name, after, code):
    """One of the system's calls fails from some call on, as on a disk that is full or broken."""
    whole, called = getattr(os, name), []

    def failing(*arguments, **named):
        called.append(None)
        if len(called) > after:
            raise OSError(code, os.strerror(code))
        return whole(*arguments, **named)

    setattr(os, name, failing)


def serve():
    """Read lines, and fork."""
    run()
    print("ready", flush=True)
    for line in sys.stdin:
        path, resume, failing = json.loads(line)
        process = os.fork()
        if process == 0:
            print(os.getpid(), flush=True)
            if failing:
                let_fail(*failing)
            try:
                said = answer(path, resume)
            except BaseException as error:
                said = {"defect": repr(error)}
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(process, 0)
        print(f"\nended {os.waitstatus_to_exitcode(status)}", flush=True)


class Runner:
    """The warm process, from outside."""

    def __enter__(self):
        self.server = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=with_support()
        )
        assert self.server.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_):
        self.server.stdin.close()
        self.server.wait(60)
        self.server.stdout.close()

    def begin(self, path, resume=False, failing=None):
        """Begin a run; its process."""
        self.server.stdin.write(json.dumps([str(path), resume, failing]) + "\n")
        self.server.stdin.flush()
        return int(self.server.stdout.readline())

    def end(self):
        """(exit code, or minus the signal; what the run answered, if it came to that), when it has ended."""
        said = {}
        while not (line := self.server.stdout.readline()).startswith("ended "):
            assert line, "the warm process has died"
            if line.startswith("{") and line.endswith("}\n"):
                said = json.loads(line)
        return int(line.split()[1]), said
