"""What goes wrong on Spark, in one sentence each: a table of what an error says, and of the error that a user gets instead."""

import errno
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ...model.language.errors import ModelError, UsageError
from ...traces.trace import LostPath
from ..runs.files import Store
from ..runs.manifests import Damaged, Manifests, Unreadable, Unsound
from ..runs.reading import Unread
from ..runs.verify import difference, verify
from .session import first_line

SCRATCH = "blockmgr-|DiskBlockObjectWriter|ShuffleWriter|ShuffleExternalSorter|spark-local"
"""Words in an error that name Spark's own files, in SPARK_LOCAL_DIRS."""

FULL = (errno.ENOSPC, errno.EDQUOT)

OF_LEVELS = ("level=", "visited/")
"""How files begin that belong to levels."""

STORE_CHARACTERS = 300
"""Characters of a store's error that are reported."""

LOST = (
    "Python worker exited unexpectedly|ExecutorLostFailure|SparkContext was shut down|SparkContext has been shutdown"
    "|Error while sending or receiving|Answer from Java side is empty|Master removed our application"
    r"|(?m:^An error occurred while calling [\w.]*\w$)"  # and no more: Java is gone, or it would have said which
)
"""Spark's errors when processes died more often than it tolerates."""

NO_WORKER = (
    "Python daemon failed to launch|failed to connect back|waiting for the Python worker to connect|Invalid port number"
    r"|java\.io\.EOFException|java\.net\.SocketException|ClosedChannelException|AsynchronousCloseException|Broken pipe"
)
"""Spark's errors when a process that forks workers, or a worker, died as it began or was spoken to."""


@dataclass(frozen=True)
class Failure:
    """A run that failed. `line`: what the error says, in one line; `kept`: the run can be resumed."""

    manifests: Manifests
    line: str
    kept: bool

    def lost_path(self, _: re.Match[str] | None = None) -> Exception | None:
        """The path to a state is lost because a file was damaged; None where no file was."""
        found = verify(self.manifests.store, self.manifests.shown)
        if found.unread:
            return Unreadable(found.unread[0])
        wrong = found.wrong
        if not wrong:
            return None
        return Damaged(f"the path to a state is lost: {wrong[0]}; see highwater verify {self.manifests.shown}")

    def unsound(self, match: re.Match[str]) -> Exception:
        """A task read a file that was not what was written: it is read once more, before anything is advised."""
        name, what = match[1], match[2]
        try:
            known = {file.name: file for level in Manifests(*self.place).each_level() for file in level.all_files}
            if name in known and not difference(self.manifests.store, known[name]):
                return self.manifests.unreadable(name, f"it is what was written, and was read as something else ({what})")
            if name not in known and name.startswith(OF_LEVELS):
                new = f"{self.manifests.shown}/{name}, of a level that is not committed yet, was read as something else ({what})"
                return Damaged(f"{new}; {self.hint}")
        except OSError as error:
            return self.manifests.unreadable(name, error)
        except UsageError as error:
            return error
        return self.manifests.unsound(name, what)

    @property
    def place(self) -> tuple[Store, str]:
        """The run directory."""
        return self.manifests.store, self.manifests.shown

    def unread(self, match: re.Match[str]) -> Exception:
        """A task could not read a file."""
        return self.manifests.unreadable(match[1], match[2])

    def no_scratch(self, _: re.Match[str]) -> Exception:
        """Spark's own folders are full."""
        what = f"Spark has no room for what it shuffles: {self.line}"
        return UsageError(f"{what}; name folders with more room in SPARK_LOCAL_DIRS")

    def unwritable(self, match: re.Match[str]) -> Exception:
        """The run directory cannot be written; the system's words say why."""
        number = next((code for code in (*FULL, errno.EACCES, errno.EROFS) if os.strerror(code) == match[0]), None)
        return self.manifests.unwritable(
            OSError(match[1][:STORE_CHARACTERS]) if number is None else OSError(number, os.strerror(number))
        )

    def results_too_large(self, match: re.Match[str]) -> Exception:
        """What the tasks report is larger than the driver takes."""
        how = "raise it, or take fewer --shards: each adds to what the tasks of a level report"
        return UsageError(f"the results of a level exceed spark.driver.maxResultSize ({match[1]}); {how}; {self.hint}")

    def no_memory(self, _: re.Match[str] | None = None) -> Exception:
        """A worker may take no more memory."""
        what = "a Python worker ran out of memory"
        how = "set spark.executor.pyspark.memory to cores * (1 GB + 2 * --worker-memory), or leave it out"
        return UsageError(f"{what}: {how}; {self.hint}")

    @property
    def hint(self) -> str:
        """How to go on."""
        return "what is committed is kept, continue with --resume" if self.kept else "with --run-dir it could be resumed"

    def gave_up(self, _: re.Match[str] | None = None) -> Exception:
        """Too many processes died."""
        return UsageError(f"Spark gave up on the run: {self.line}; {self.hint}")

    def lacks_package(self, match: re.Match[str]) -> Exception:
        """A package is not installed where tasks run."""
        return UsageError(
            f"the executors' Python has no {match[1]}; install highwater-kafka[spark] there, send the wheel with --py-files,"
            " or set PYSPARK_PYTHON to another Python there"
        )

    def other_python(self, _: re.Match[str]) -> Exception:
        """Tasks run in another version of Python."""
        here = ".".join(map(str, sys.version_info[:2]))
        return UsageError(f"the executors' Python is not {here}, as this one is; set PYSPARK_PYTHON to such a Python")


def says(*numbers: int) -> str:
    """A pattern: what the system says of one of these errors."""
    return "|".join(re.escape(os.strerror(number)) for number in numbers)


FAILURES: tuple[tuple[str, Callable[[Failure, re.Match[str]], Exception | None]], ...] = (
    (r"LostPath: ", Failure.lost_path),
    (r"\bUnread: (\S+): (.+)", Failure.unread),
    (r"\bUnsound: (\S+): (.+)", Failure.unsound),
    (r"\bModelError: (.+)", lambda _, match: ModelError(match[1])),
    (rf"(?s)\A(?=.*(?:{SCRATCH}))(?=.*(?:{says(*FULL)}))", Failure.no_scratch),
    (r"\bOSError: (.*AWS Error.*)", Failure.unwritable),
    (says(*FULL), Failure.unwritable),
    (says(errno.EACCES), Failure.unwritable),
    (says(errno.EROFS), Failure.unwritable),
    (r"bigger than (?:local )?(?:spark\.driver\.)?maxResultSize,? ?\(?([\d.]+ \w+)", Failure.results_too_large),
    (r"MemoryError\b|failed to map segment|[Cc]annot allocate memory|can't start new thread", Failure.no_memory),
    (r"\bUsageError: (.+)", lambda _, match: UsageError(f"an executor cannot take part: {match[1]}")),
    (LOST, Failure.gave_up),
    (r"ModuleNotFoundError: No module named '(highwater|numpy|numba|pyarrow)\b", Failure.lacks_package),
    (r"PYTHON_VERSION_MISMATCH", Failure.other_python),
    (NO_WORKER, Failure.gave_up),  # last: Spark shows with it what the worker has said, such as a package that it lacks
)
"""What an error says, and the error to raise in its place. The first row that matches counts."""


@contextmanager
def explained(manifests: Manifests, kept: bool) -> Iterator[None]:
    """Report the usual failures, which the user can mend, in one sentence each."""
    try:
        yield
    except UsageError:
        raise
    except Exception as error:
        instead = explanation(error, Failure(manifests, first_line(error), kept))
        if instead is None:
            raise
        raise instead from None


def explanation(error: Exception, failure: Failure) -> Exception | None:
    """The error to raise in place of one that was not expected; None where nothing is known about it."""
    if isinstance(error, LostPath):
        return failure.lost_path()
    if isinstance(error, ConnectionError):
        return failure.gave_up()
    if isinstance(error, OSError):
        return failure.manifests.unwritable(error)
    kind = f"{type(error).__name__}: " if isinstance(error, Unsound | Unread) else ""
    text = f"{kind}{error}\n{failure.line}"
    for pattern, instead in FAILURES:
        match = re.search(pattern, text)
        if match is not None:
            return instead(failure, match)
    return None
