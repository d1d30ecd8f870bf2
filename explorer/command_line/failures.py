"""What ends a command without a result: an exit code and a sentence for each error."""

import errno
from collections.abc import Iterable

from ...model.language.errors import LanguageError, LayoutError, ModelError, UsageError
from ...model.language.machine_code.lowered_kinds import LoweringError
from ..verdict import EXIT_CRASH, EXIT_INCOMPLETE, EXIT_INTERRUPTED, EXIT_MODEL, EXIT_USAGE


def described(error: BaseException, plugins: Iterable[str]) -> tuple[int, str]:
    """The exit code, and the sentence. What was not foreseen is of the model when its own code, or that of plugins, raised it,
    else of the tool."""
    from ..compiling.failure import place, sentence

    if isinstance(error, UsageError):
        return EXIT_USAGE, str(error)
    if isinstance(error, KeyboardInterrupt):
        return EXIT_INTERRUPTED, "interrupted before there was anything to report"
    if not isinstance(error, Exception):
        return EXIT_USAGE, "a plugin ended the process; it must not call exit"
    if is_shortage(error):
        return EXIT_INCOMPLETE, "there is not enough memory; bound it with --memory, or choose smaller sizes"
    if isinstance(error, (LayoutError, LanguageError, ModelError)) or place(error, plugins):
        return EXIT_MODEL, f"the model itself failed: {sentence(error, plugins)}"
    if plugins and (isinstance(error, LoweringError) or type(error).__module__.startswith("numba.")):
        what = str(error).strip().splitlines()[-1]
        return EXIT_MODEL, f"the model itself failed: a plugin's code cannot be compiled: {what:.200}"
    return EXIT_CRASH, "this is a defect of highwater; please report it with the lines above"


def is_shortage(error: Exception) -> bool:
    """The system has no more memory, or room for a thread or a process, in the words of the library that asked for it."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EAGAIN)):
        return True
    signs = ("can't start new thread", "cannot allocate memory", "failed to map segment", "out of memory", "memory exceeded")
    return any(sign in str(error).lower() for sign in signs)
