"""The sources of Highwater, where several processes import them: all must have the same, or they would count different things."""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from ..model.language.errors import UsageError
from ..model.language.unchanged import validate_unchanged

OWN = __package__.rpartition(".")[0]
PACKAGES = ("explorer", "model", "properties", "traces")
ABOVE = "package"
"""The folder of the source tree that is the whole package once it is installed."""


def digest_of_what_runs() -> str:
    """The digest of the sources, if they are still those that this process has imported; UsageError otherwise."""
    validate_unchanged(_imported().values())
    return digest_of_sources()


def validate_sources() -> None:
    """UsageError when a module was imported after its file was changed under this process: it is not of the same Highwater."""
    found = _imported()
    validate_unchanged(found[name] for name in found.keys() - _looked_at)
    _looked_at.update(found)


_looked_at: set[str] = set()


def _imported() -> dict[str, str]:
    """The files of the modules of Highwater that are imported."""
    mine = {name: module for name, module in list(sys.modules.items()) if name == OWN or name.startswith(f"{OWN}.")}
    return {name: file for name, module in mine.items() if (file := getattr(module, "__file__", None))}


def validate_same_sources(theirs: str) -> None:
    """UsageError where the process that has sent this one its work has other sources."""
    if theirs and theirs != digest_of_sources():
        raise UsageError("its highwater is not the one of the driver; install the same there, and begin again")


@cache
def digest_of_sources() -> str:
    """A digest of all modules that are there; it takes a tenth of a second."""
    found = hashlib.sha256()
    for name in PACKAGES:
        for path, text in _modules_in(files(f"{OWN}.{name}"), name):
            found.update(f"{path} {len(text)} ".encode() + text)
    return found.hexdigest()[:16]


def _modules_in(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """(path, text) of each module of a package, in order."""
    for item in sorted(folder.iterdir(), key=lambda element: element.name):
        inner = f"{path}/{item.name}"
        if item.name.endswith(".py"):
            yield inner, item.read_bytes()
        elif item.is_dir() and item.name != ABOVE and item.joinpath("__init__.py").is_file():
            yield from _modules_in(item, inner)
