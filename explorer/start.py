"""Where the command begins: what goes wrong while Python still loads the packages is one sentence too."""

import gc
import resource
import sys

GARBAGE = 100_000
"""New objects after which Python searches for garbage. With its own 700, compiling a model takes a seventh longer."""

INCOMPLETE, USAGE, INTERRUPTED = 20, 2, 130
"""As in `verdict`, which is not loaded yet."""


def main() -> int:
    """Load the command, and run it; the exit code."""
    gc.set_threshold(GARBAGE)
    try:
        from ..model.language.errors import UsageError

        try:
            from .command_line import main as run
        except UsageError as error:  # in the environment
            return complain(str(error), USAGE)
    except KeyboardInterrupt:
        return complain("interrupted before there was anything to report", INTERRUPTED)
    except (ImportError, OSError, MemoryError) as error:
        if isinstance(error, MemoryError) or resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            return complain("there is not enough memory to begin; highwater needs about 400 MB of address space", INCOMPLETE)
        return complain(f"a package that it needs cannot be loaded: {str(error).splitlines()[0]:.300}; install it again", USAGE)
    return run()


def complain(text: str, code: int) -> int:
    """One sentence on standard error; the exit code."""
    if sys.stderr is not None:
        print(f"highwater: {text}", file=sys.stderr)
    return code
