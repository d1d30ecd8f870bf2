"""A run directory in an object store, `s3:` or `s3a:`, through Arrow's own client: neither Java nor libhdfs takes part.

The store is found as other programs find it: by AWS_ENDPOINT_URL (of another store than Amazon's), AWS_REGION and AWS's own
ways to credentials, on each machine. It has no rename; but an object is there when its last byte has arrived, and not before,
so objects are written under their own names. What counts still follows from the manifests alone, and a level's is put last.

The lock and the manifests are put on the condition that they are not there, where botocore is installed and the store knows
conditions. Where not, the lock is only a convention: a process writes its name there and reads it again, and checks before it
commits a level that the name is still its own. If two begin in the same moment, one gives up at its next level; a manifest that
the other one has put in between does not fit the chain of the manifests.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, Self
from urllib.parse import urlsplit

import pyarrow.fs

from ..runs.lock import NAME, holder_in
from ..runs.reading import in_parts, patiently
from .session import ENDPOINT, REGION

SCHEMES = ("s3", "s3a")

CHUNK = 1 << 23
"""Bytes of a part of a large object."""

UNMET, UNKNOWN = (409, 412), 501
"""A store's answers: the condition is not met, or another one writes at the same time; it knows no conditions."""

ATTEMPTS, TIMEOUT = 5, 10
"""Of the lock's client: attempts, and seconds for one."""


@cache
def system_at(endpoint: str | None, region: str | None) -> Any:
    """The store's client, one in each process."""
    return pyarrow.fs.S3FileSystem(
        endpoint_override=endpoint, region=region, scheme="http" if (endpoint or "").startswith("http:") else "https"
    )


def system() -> Any:
    """The client that the environment asks for."""
    return system_at(*given())


def given() -> tuple[str | None, str | None]:
    """The endpoint and the region of the environment."""
    endpoint, region = (next(filter(None, map(os.environ.get, names)), None) for names in (ENDPOINT, REGION))
    return endpoint, region


@contextmanager
def as_os_error() -> Iterator[None]:
    """What the client for conditions raises within the block is an OSError, as of the other one."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise OSError(f"AWS Error: {error}"[:300]) from error


def conditional_client() -> Any:
    """A client that can write on a condition, for the lock and the manifests: botocore, where it is installed; else None."""
    return conditional_client_at(*given())


@cache
def conditional_client_at(endpoint: str | None, region: str | None) -> Any:
    """The same, one in each process."""
    try:
        from botocore.config import Config
        from botocore.session import Session
    except ImportError:
        return None
    retries = {"mode": "standard", "total_max_attempts": ATTEMPTS}
    style = {"addressing_style": "path"} if endpoint else {}
    how = Config(retries=retries, connect_timeout=TIMEOUT, read_timeout=TIMEOUT, s3=style)
    return Session().create_client("s3", endpoint_url=endpoint, region_name=region, config=how)


def base_of(uri: str) -> str:
    """Bucket and folder, as the client calls them."""
    parts = urlsplit(uri)
    if not parts.netloc or parts.username or parts.query:
        raise OSError("it is written s3://BUCKET/FOLDER")
    return f"{parts.netloc}{parts.path}".rstrip("/")


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
        return [info.base_name for info in patiently(lambda: self.system.get_file_info(chosen))]

    def read(self, name: str) -> bytes:
        """A whole small object."""

        def read() -> bytes:
            with self.system.open_input_stream(f"{self.base}/{name}") as file:
                return bytes(file.read())

        return patiently(read)

    def write(self, name: str, data: bytes) -> None:
        """Put an object; where the directory is claimed, only while it still is."""
        if not self.top.lock:
            return self._put(name, data)
        found = self.top.read(NAME)
        if found != self.top.lock:
            raise OSError(f"{holder_in(found)} has taken it meanwhile")
        try:
            return self.create(name, data)
        except FileExistsError:
            if self.read(name) != data:
                raise OSError(f"another process has written {name} meanwhile") from None
            return None  # it was this process, and the answer was lost

    def create(self, name: str, data: bytes) -> None:
        """Put an object where there is none; FileExistsError when there is one."""
        if self._put_if(name, data, IfNoneMatch="*"):
            return
        if patiently(lambda: self.system.get_file_info(f"{self.base}/{name}")).type != pyarrow.fs.FileType.NotFound:
            raise FileExistsError(name)
        self._put(name, data)

    def replace(self, name: str, before: bytes, data: bytes) -> None:
        """Put an object in the place of one with this content; FileExistsError when it is another one."""
        client, tag = conditional_client(), ""
        if client is None:
            found = self.read(name)
        else:
            with as_os_error():
                answer = client.get_object(**self._address(name))
                found, tag = answer["Body"].read(), answer["ETag"]
        if found != before:
            raise FileExistsError(name)
        if not self._put_if(name, data, IfMatch=tag):
            self._put(name, data)

    def _address(self, name: str) -> dict[str, str]:
        bucket, _, key = f"{self.base}/{name}".partition("/")
        return {"Bucket": bucket, "Key": key}

    def _put_if(self, name: str, data: bytes, **condition: str) -> bool:
        """Put an object on a condition; False when nothing here or there knows conditions, FileExistsError when it is not met."""
        client = conditional_client()
        if client is None:
            return False
        try:
            with as_os_error():
                client.put_object(**self._address(name), Body=data, **condition)
        except OSError as error:
            code = getattr(error.__cause__, "response", {}).get("ResponseMetadata", {}).get("HTTPStatusCode")
            if code in UNMET:
                raise FileExistsError(name) from None
            if code == UNKNOWN:
                return False
            raise
        return True

    def modified(self, name: str) -> float:
        """When an object was put, in seconds by the store's clock."""
        info = patiently(lambda: self.system.get_file_info(f"{self.base}/{name}"))
        if info.mtime_ns is None:
            raise FileNotFoundError(name)
        return float(info.mtime_ns) / 1e9

    def _put(self, name: str, data: bytes) -> None:

        def put() -> None:
            with self.system.open_output_stream(f"{self.base}/{name}") as file:
                file.write(data)

        patiently(put)

    def remove(self, name: str) -> None:
        """Remove an object; nothing when it is not there."""
        with suppress(FileNotFoundError):
            patiently(lambda: self.system.delete_file(f"{self.base}/{name}"))

    def chunks(self, name: str) -> Iterator[bytes]:
        """A large object, part by part."""

        def part_at(at: int) -> bytes:
            with self.system.open_input_file(f"{self.base}/{name}") as file:
                file.seek(at)
                return bytes(file.read(CHUNK))

        return in_parts(part_at)

    def below(self, name: str) -> Self:
        """A folder of the directory, as a store."""
        return type(self)(f"{self.uri}/{name}", self.top)
