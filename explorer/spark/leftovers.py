"""Temporary folders of this machine: those of a process that was killed are removed by the next."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..runs.lock import is_dead, who

OWNER = "owner"
"""The file that says whose a folder is."""

PREFIX = "highwater-"


@contextmanager
def temporary(kind: str) -> Iterator[Path]:
    """A folder for the block; it is removed at its end, and if there is none, by the next process that makes one."""
    remove_leftovers()
    path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-"))
    (path / OWNER).write_text(json.dumps(who()))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def remove_leftovers() -> None:
    """Remove the folders of this user whose process is certainly gone."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if not path.is_symlink() and path.stat().st_uid == os.getuid() and is_dead((path / OWNER).read_bytes()):
                shutil.rmtree(path, ignore_errors=True)
