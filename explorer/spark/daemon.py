"""The process from which Spark forks its Python workers on this machine: what all of them import is there already."""

from pyspark.daemon import manager

from . import tasks  # noqa: F401  # with numba and pyarrow, a second and a half of CPU time for each worker

if __name__ == "__main__":
    manager()
