"""What is installed: the version and the optional extras; an error message says how to install a missing one."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, metadata, requires, version

from ..model.language.errors import UsageError
from ..model.language.reading.program import OWN

DISTRIBUTION = "highwater-kafka"
"""The name under which it is installed. `highwater` on the Python index is another project."""


def own_version() -> str:
    """The installed version of Highwater."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0"


def repository() -> str:
    """The address of the repository from which it was built; empty where the build did not say."""
    try:
        urls = metadata(DISTRIBUTION).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    return next((url.partition(",")[2].strip() for url in urls if url.startswith("Repository,")), "")


def how_to_install(extra: str) -> str:
    """A command that installs what an extra needs, wherever Highwater came from."""
    try:
        needed = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        needed = []
    mine = [line.partition(";")[0].strip() for line in needed if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    return "pip install " + (" ".join(f"'{name}'" for name in mine) or f"'{DISTRIBUTION}[{extra}]'")


@contextmanager
def needed(extra: str, what: str) -> Iterator[None]:
    """Imports within the block are of the extra `extra`, which `what` needs; UsageError when one is not installed."""
    try:
        yield
    except ImportError as error:
        missing = (error.name or str(error)).partition(".")[0]
        if missing == OWN:
            raise
        raise UsageError(f"{what} needs {missing}, which is not installed; {how_to_install(extra)}") from None
