"""Where the command begins: what goes wrong while Python still loads the packages is one sentence too."""

import atexit
import gc
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Mapping

from .clock import began

GARBAGE = 100_000
"""New objects after which Python searches for garbage. With its own 700, compiling a model takes a seventh longer."""

WITHOUT_DOCSTRINGS = 2
"""Python's level of optimisation -OO."""

INCOMPLETE, USAGE, INTERRUPTED = 20, 2, 130
"""As in `verdict`, which is not loaded yet."""


def main() -> int:
    """Run the command; the exit code. An interrupt that comes when all is said changes nothing any more."""
    code = begun()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


def begun() -> int:
    """Load the command, and run it; the exit code."""
    began.append(time.monotonic())
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)  # Python collects garbage as it ends: of all objects, which takes a third of a short check
    if sys.flags.optimize >= WITHOUT_DOCSTRINGS:
        return complain("python -OO drops the docstrings that say what properties claim; leave it out, or take -O", USAGE)
    if wrong := wrong_for_numba(os.environ):
        return complain(wrong, USAGE)
    try:
        from ..model.language.errors import UsageError

        try:
            from .command_line import main as run
            from .command_line import prepare

            prepare(sys.argv[1:])
        except UsageError as error:  # in the environment
            return complain(str(error), USAGE)
    except KeyboardInterrupt:
        return complain("interrupted before there was anything to report", INTERRUPTED)
    except (ImportError, OSError, MemoryError) as error:
        if isinstance(error, MemoryError) or resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            return complain("there is not enough memory to begin; highwater needs about 400 MB of address space", INCOMPLETE)
        return complain(f"a package that it needs cannot be loaded: {str(error).splitlines()[0]:.300}; install it again", USAGE)
    return run()


def wrong_for_numba(environment: Mapping[str, str]) -> str:
    """What is wrong with the settings of Numba, which compiles the models; empty when nothing is."""
    number = {name: as_number(environment.get(name, "")) for name in ("NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS")}
    if number["NUMBA_DISABLE_JIT"] and environment.get("HIGHWATER_COMPILE") != "no":
        return "NUMBA_DISABLE_JIT switches off the compiler that highwater needs; unset it, or run with HIGHWATER_COMPILE=no too"
    threads = number["NUMBA_NUM_THREADS"]
    if threads is not None and threads < 1:
        return f"NUMBA_NUM_THREADS must be a whole number above 0, not {threads}; unset it (--threads is highwater's own)"
    return ""


def as_number(text: str) -> int | None:
    """The number that a variable of the environment has; None where Numba takes its default."""
    try:
        return int(text)
    except ValueError:
        return None


def complain(text: str, code: int) -> int:
    """One sentence on standard error; the exit code."""
    if sys.stderr is not None:
        print(f"highwater: {text}", file=sys.stderr)
    return code


if __name__ == "__main__":  # else `python -m` would run nothing, and succeed
    sys.exit(main())
