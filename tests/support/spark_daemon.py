"""What Spark forks Python workers from, with what tasks load: a worker ends with the task that fails, and another begins."""

import pandas  # noqa: F401  # by pyarrow, for its first array
from highwater.explorer.spark.daemon import begin
from highwater.model.language.machine_code.numba_private import load_without_scipy
from numba.core.registry import cpu_target

if __name__ == "__main__":
    load_without_scipy()
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    begin()
