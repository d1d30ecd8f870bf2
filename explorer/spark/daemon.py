"""The process from which Spark forks its Python workers on this machine: what all of them import is there already.

Spark puts its archives first on the path. A module from an archive is compiled each time that it is imported. The first task of
a worker also lists the archive again for each package that came from it, which takes 0.3 s of CPU time.
"""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path


def without_archives(path: Sequence[str]) -> list[str]:
    """The path without what lies within an installed pyspark: its archives and jars. A Spark that pip did not install stays."""
    packages = {Path(entry).parent.parent.parent for entry in path if Path(entry).name == "pyspark.zip"}
    installed = {package for package in packages if (package / "__init__.py").is_file()}
    return [entry for entry in path if installed.isdisjoint(Path(entry).parents)]


sys.path[:] = without_archives(sys.path)
sys.path_importer_cache.clear()

from pyspark.daemon import manager  # noqa: E402

from ...model.language.machine_code import numba_functions  # noqa: E402, F401  # what compiled code needs before it is called
from ..sources import digest_of_sources  # noqa: E402
from . import tasks  # noqa: E402, F401  # with numba and pyarrow, a second and a half of CPU time for each worker


def begin() -> None:
    """Fork workers. They collect garbage after every task; objects that were there before the fork are left out of that."""
    digest_of_sources()  # of what was just imported: workers have that, whatever is in the files later
    gc.collect()
    gc.freeze()
    manager()


if __name__ == "__main__":
    begin()
