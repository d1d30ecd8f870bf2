"""The run directory through the file system of the driver's Java, which is Hadoop's: for places that are not `file:`."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any, Self

from ..runs.reading import patiently
from .folder import Folder
from .session import first_line


class HadoopFolder:
    """Small files below a URI: written durably and renamed, so that a name stands for a whole file."""

    def __init__(self, spark: Any, uri: str) -> None:
        self.spark, self.lock = spark, b""
        self.jvm = spark.sparkContext._jvm
        self.base = guarded(lambda: self._path(uri))
        configuration = spark.sparkContext._jsc.hadoopConfiguration()
        self.system = guarded(lambda: self.base.getFileSystem(configuration))
        self.base = guarded(lambda: self.system.makeQualified(self.base))

    def _path(self, *parts: Any) -> Any:
        return self.jvm.org.apache.hadoop.fs.Path(*parts)

    def _below(self, name: str) -> Any:
        """The path of a file or folder; "": of the directory itself."""
        return self._path(self.base, name) if name else self.base

    @property
    def uri(self) -> str:
        """The qualified URI, the same for everyone."""
        return str(self.base.toUri().toString())

    def make(self, name: str = "") -> None:
        """Make a folder, and those above it."""
        if not guarded(lambda: self.system.mkdirs(self._below(name))):
            raise OSError("the folder cannot be made")

    def names(self, folder: str) -> list[str]:
        """The names in a folder; none when it is not there."""
        path = guarded(lambda: self._below(folder))
        if not patiently(lambda: guarded(lambda: self.system.exists(path))):
            return []
        return [str(status.getPath().getName()) for status in patiently(lambda: guarded(lambda: self.system.listStatus(path)))]

    def read(self, name: str) -> bytes:
        """A whole small file."""

        def read() -> bytes:
            stream = self.system.open(self._below(name))
            try:
                return bytes(self.jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()

        return bytes(patiently(lambda: guarded(read)))

    def write(self, name: str, data: bytes) -> None:
        """Write a new file: on disk whole, and then under its name."""
        temporary = f"{name}.{uuid.uuid4().hex}.tmp"
        guarded(lambda: self._create(temporary, data))
        if not guarded(lambda: self.system.rename(self._below(temporary), self._below(name))):
            raise OSError(f"{name} cannot be renamed")

    def _create(self, name: str, data: bytes) -> None:
        """Write a file that is not there yet, to the disk."""
        stream = self.system.create(self._below(name), False)
        try:
            stream.write(bytearray(data))
            stream.hsync()
        finally:
            stream.close()

    def remove(self, name: str) -> None:
        """Remove a file; nothing when it is not there."""
        guarded(lambda: self.system.delete(self._below(name), False))

    def chunks(self, name: str) -> Iterator[bytes]:
        """A large file, part by part."""
        return Folder(self.uri).chunks(name)

    def below(self, name: str) -> Self:
        """A folder of the directory, as a store."""
        return type(self)(self.spark, f"{self.uri}/{name}")

    def create(self, name: str, data: bytes) -> None:
        """Write a file that is not there; FileExistsError when there is one."""
        try:
            guarded(lambda: self._create(name, data))
        except OSError:
            if guarded(lambda: self.system.exists(self._below(name))):
                raise FileExistsError(name) from None
            raise

    def replace(self, name: str, before: bytes, data: bytes) -> None:
        """Write a file in the place of one with this content; FileExistsError when it is another one."""
        if self.read(name) != before:
            raise FileExistsError(name)
        if before != data:
            self.remove(name)
            self.create(name, data)
        else:
            now = self.jvm.java.lang.System.currentTimeMillis()
            guarded(lambda: self.system.setTimes(self._below(name), now, -1))

    def modified(self, name: str) -> float:
        """When a file was written, in seconds by the store's clock."""
        return float(guarded(lambda: self.system.getFileStatus(self._below(name)).getModificationTime())) / 1e3


def guarded(call: Callable[[], Any]) -> Any:
    """Java's exceptions as an OSError with their first line; FileNotFoundError when it says that."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return call()
    except (Py4JError, PySparkException) as error:
        is_missing = "java.io.FileNotFoundException" in str(error)
        raise (FileNotFoundError if is_missing else OSError)(first_line(error)) from None
