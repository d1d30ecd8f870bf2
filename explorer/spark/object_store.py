"""A run directory in an object store, `s3:` or `s3a:`, through Arrow's own client: neither Java nor libhdfs takes part.

The store is found as other programs find it: by AWS_ENDPOINT_URL (of another store than Amazon's), AWS_REGION and AWS's own
ways to credentials, on each machine. It has no rename; but an object is there when its last byte has arrived, and not before,
so objects are written under their own names. What counts still follows from the manifests alone, and a level's is put last.

The client has no 'create only if absent', so the lock is only a convention: a process writes its name there and reads it
again, and checks before it commits a level that the name is still its own. If two begin in the same moment, one gives up at
its next level; a manifest that the other one has put in between does not fit the chain of the manifests.
"""

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any, Self
from urllib.parse import urlsplit

import pyarrow.fs

from ...model.language.errors import UsageError
from ..runs.files import CHUNK
from ..runs.lock import NAME, holder_in, who
from .session import ENDPOINT, REGION

SCHEMES = ("s3", "s3a")


@cache
def system_at(endpoint: str | None, region: str | None) -> Any:
    """The store's client, one in each process."""
    return pyarrow.fs.S3FileSystem(
        endpoint_override=endpoint, region=region, scheme="http" if (endpoint or "").startswith("http:") else "https"
    )


def system() -> Any:
    """The client that the environment asks for."""
    endpoint, region = (next(filter(None, map(os.environ.get, names)), None) for names in (ENDPOINT, REGION))
    return system_at(endpoint, region)


def base_of(uri: str) -> str:
    """Bucket and folder, as the client calls them."""
    parts = urlsplit(uri)
    if not parts.netloc or parts.username or parts.query:
        raise OSError("it is written s3://BUCKET/FOLDER")
    return f"{parts.netloc}{parts.path}".rstrip("/")


def is_of_the_store(error: BaseException) -> bool:
    """Whether the store could not be reached, which says nothing of what it holds."""
    return isinstance(error, OSError) and not isinstance(error, FileNotFoundError) and "AWS Error" in str(error)


class ObjectStore:
    """Small objects below a URI, as `files.Store`; `top`: the directory whose folder this one is, and which is claimed."""

    def __init__(self, uri: str, top: Self | None = None) -> None:
        self.base = base_of(uri)
        self.uri, self.system = f"s3://{self.base}", system()
        self.top, self.lock = top or self, b""

    def make(self) -> None:
        """Folders need not be made, but the bucket must be there; OSError when it is not."""
        bucket = self.base.partition("/")[0]
        if self.system.get_file_info(bucket).type == pyarrow.fs.FileType.NotFound:
            raise OSError(f"there is no bucket {bucket}")

    def names(self, folder: str) -> list[str]:
        """The names in a folder; none when it is not there."""
        chosen = pyarrow.fs.FileSelector(f"{self.base}/{folder}", allow_not_found=True)
        return [info.base_name for info in self.system.get_file_info(chosen)]

    def read(self, name: str) -> bytes:
        """A whole small object."""
        with self.system.open_input_stream(f"{self.base}/{name}") as file:
            return bytes(file.read())

    def write(self, name: str, data: bytes) -> None:
        """Put an object; where the directory is claimed, only while it still is."""
        if self.top.lock:
            found = self.top.read(NAME)
            if found != self.top.lock:
                raise OSError(f"{holder_in(found)} has taken it meanwhile")
        self._put(name, data)

    def _put(self, name: str, data: bytes) -> None:
        with self.system.open_output_stream(f"{self.base}/{name}") as file:
            file.write(data)

    def remove(self, name: str) -> None:
        """Remove an object; nothing when it is not there."""
        with suppress(FileNotFoundError):
            self.system.delete_file(f"{self.base}/{name}")

    def chunks(self, name: str) -> Iterator[bytes]:
        """A large object, part by part."""
        with self.system.open_input_stream(f"{self.base}/{name}") as file:
            while part := file.read(CHUNK):
                yield part

    def below(self, name: str) -> Self:
        """A folder of the directory, as a store of its own."""
        return type(self)(f"{self.uri}/{name}", self.top)

    def claim(self, shown: str) -> None:
        """Take the directory for this process; UsageError when another one has it, or ended without giving it back."""
        mine = json.dumps({**who(), "token": uuid.uuid4().hex}).encode()
        if NAME not in self.names(""):
            self._put(NAME, mine)
        found = self.read(NAME)
        if found != mine:
            where = f"remove {self.uri}/{NAME} and continue with --resume"
            raise UsageError(f"{shown} is in use by {holder_in(found)}; when that process is gone, {where}")
        self.lock = mine
