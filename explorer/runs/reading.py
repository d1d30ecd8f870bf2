"""How what is kept is read: a file that is missing or not what was written is damaged; one that cannot be read now is neither.

A store that does not respond, a disk that is busy or a file without permission say nothing of what the file holds. Whatever may
pass is tried again, after a longer wait each time; what remains is `Unread`, and nothing that drops levels is advised for it.
"""

import errno
import io
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from ...model.language.errors import reason_of

WAITS = (0.2, 1.0, 4.0)
"""Seconds before each new attempt."""

PASSING = frozenset(
    {errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.ECONNREFUSED, errno.ECONNRESET}
    | {errno.ECONNABORTED, errno.EPIPE, errno.EHOSTUNREACH, errno.EHOSTDOWN, errno.ENETUNREACH, errno.ENETDOWN, errno.EREMOTEIO}
)  # fmt: skip
"""Errors of the system that may pass, as those of a file system on a network."""

REFUSED = re.compile(r"AWS Error (ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|NO_SUCH_BUCKET)|AccessControl")
"""What a store says that will say the same again."""

CHARACTERS = 300
"""Characters of a store's error that are reported."""

T = TypeVar("T")


class Unread(Exception):
    """A file that cannot be read now: `name: why`. `Manifests.unreadable` adds what to do."""


def is_missing(error: BaseException) -> bool:
    """Whether the error says that there is no such file."""
    return isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError)


def may_pass(error: OSError) -> bool:
    """Whether the same call may succeed later. What a store says has no number."""
    if is_missing(error) or isinstance(error, PermissionError):
        return False
    return error.errno in PASSING if error.errno is not None else REFUSED.search(str(error)) is None


def patiently(call: Callable[[], T]) -> T:
    """The result of a call that can be repeated; OSError when waiting does not help."""
    for wait in WAITS:
        try:
            return call()
        except OSError as error:
            if not may_pass(error):
                raise
            time.sleep(wait)
    return call()


def in_parts(read_at: Callable[[int], bytes]) -> Iterator[bytes]:
    """A file part by part; `read_at`: the part that begins at a byte, empty at the end."""
    at = 0
    while part := patiently(partial(read_at, at)):
        yield part
        at += len(part)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Unread when a file cannot be read within the block; a missing one is another error."""
    try:
        yield
    except OSError as error:
        if is_missing(error):
            raise
        raise Unread(f"{name}: {reason_of(error)[:CHARACTERS]}".splitlines()[0]) from None


class PatientFile(io.RawIOBase):
    """A file of a remote store, to be read at any place; it is opened again after an error that may pass."""

    def __init__(self, name: str, open_file: Callable[[], Any]) -> None:
        self.shown, self.open_file, self.at = name, open_file, 0
        self.file: Any = None
        self._patiently(lambda: None)

    def _patiently(self, use: Callable[[], T]) -> T:
        def opened() -> T:
            try:
                if self.file is None:
                    self.file = self.open_file()
                return use()
            except OSError:
                self._forget()
                raise

        with reading(self.shown):
            return patiently(opened)

    def _forget(self) -> None:
        if self.file is not None:
            with suppress(OSError):
                self.file.close()
        self.file = None

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """The byte that is read next."""
        return self.at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Read on from a byte."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self.at}
        self.at = offset + (origin[whence] if whence in origin else int(self._patiently(lambda: self.file.size())))
        return self.at

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, as far as there is something."""

        def read() -> int:
            self.file.seek(self.at)
            return int(self.file.readinto(buffer))

        count = self._patiently(read)
        self.at += count
        return count

    def close(self) -> None:
        """Close the file."""
        self._forget()
        super().close()
