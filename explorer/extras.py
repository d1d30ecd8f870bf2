"""What is installed: the version and the optional extras; an error message says how to install a missing one."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version

from ..model.language.errors import UsageError
from ..model.language.program import OWN


def own_version() -> str:
    """The installed version of Highwater."""
    try:
        return version("highwater")
    except PackageNotFoundError:
        return "0"


@contextmanager
def needed(extra: str, what: str) -> Iterator[None]:
    """Imports within the block are of the extra `extra`, which `what` needs; UsageError when one is not installed."""
    try:
        yield
    except ImportError as error:
        missing = (error.name or str(error)).partition(".")[0]
        if missing == OWN:
            raise
        raise UsageError(f"{what} needs {missing}, which is not installed; pip install 'highwater[{extra}]'") from None
