"""Writing files: first under a name that no one can guess, then renamed at once."""

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..model.language.errors import UsageError, reason_of

BUFFER = 1 << 20


@contextmanager
def replacing(path: Path, durable: bool = False) -> Iterator[Any]:
    """A new file to write to, which takes the place of the one at `path` when the block ends, and is discarded when it fails.

    `durable`: it is on disk before its name stands for it; the folder is the caller's to sync.
    """
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(temporary, flags, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(temporary, flags, 0o666)
    try:
        with open(descriptor, "wb", buffering=BUFFER) as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_file(path: str, text: str) -> None:
    """Write a whole file, its folder too; UsageError when that cannot be.

    A link is followed to what it names, whose permissions stay. A device or a pipe is opened in place.
    """
    try:
        target = Path(os.path.realpath(path))
        data = text.encode("utf-8", "backslashreplace")
        before = status(Path(path))
        if before is not None and not stat.S_ISREG(before.st_mode):
            with open(path, "wb") as file:
                file.write(data)
            return
        with replacing(target) as file:
            if before is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            file.write(data)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None


def status(path: Path) -> os.stat_result | None:
    """What is at a path; None when nothing is."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def probe(path: str, is_folder: bool = False, makes_folders: bool = True) -> None:
    """UsageError when `path` cannot be written: asked before a long run. Nothing stays behind, no folder either.

    `is_folder`: it is one, or will be, and files are to be made in it. `makes_folders`: else one that is missing is refused, for
    a mistake in a path would put a result where nobody looks.
    """
    file = os.path.join(path, "x") if is_folder else path
    try:
        target = Path(os.path.realpath(file))
        there = status(Path(file))
        if there is not None and stat.S_ISDIR(there.st_mode):
            raise IsADirectoryError(0, "it is a folder")
        if there is not None and not os.access(file, os.W_OK):
            raise PermissionError(0, "it may not be written")
        if there is not None and not stat.S_ISREG(there.st_mode):
            return
        folder = target.parent
        if not makes_folders and status(folder) is None:
            raise FileNotFoundError(0, f"there is no folder {folder}")
        while status(folder) is None:
            folder = folder.parent
        trial = folder / f".{uuid.uuid4().hex}.tmp"
        os.close(os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        trial.unlink()
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None


def unwritable(path: str, error: OSError | ValueError) -> UsageError:
    """The error of a file that cannot be written."""
    return UsageError(f"{path[:200]} cannot be written: {reason_of(error)}; choose another path")
