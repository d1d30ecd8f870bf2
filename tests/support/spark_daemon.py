"""What Spark forks Python workers from, with what tasks load: a worker ends with the task that fails, and another begins."""

import highwater.explorer.spark.tasks  # noqa: F401
import pandas  # noqa: F401  # by pyarrow, for its first array
from highwater.model.language.loader import load_without_scipy
from numba.core.registry import cpu_target
from pyspark.daemon import manager

if __name__ == "__main__":
    load_without_scipy()
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    manager()
