"""The process from which Spark forks its Python workers on this machine: what all of them import is there already.

Spark puts its archives first on the path. Modules from an archive are compiled in each process, and the first task of a worker
reads an archive's contents again for each package that came from it: 0.3 s of CPU time.
"""

import sys
from collections.abc import Sequence
from pathlib import Path


def without_archives(path: Sequence[str]) -> list[str]:
    """The entries without Spark's own, pyspark.zip and a jar, where they are part of an installed package: as pip installs it."""
    packages = {Path(entry).parent.parent.parent for entry in path if Path(entry).name == "pyspark.zip"}
    installed = {one for one in packages if (one / "__init__.py").is_file()}
    return [entry for entry in path if installed.isdisjoint(Path(entry).parents)]


sys.path[:] = without_archives(sys.path)
sys.path_importer_cache.clear()

from pyspark.daemon import manager  # noqa: E402

from . import tasks  # noqa: E402, F401  # with numba and pyarrow, a second and a half of CPU time for each worker

if __name__ == "__main__":
    manager()
