"""What Spark forks Python workers from, with what tasks import: a worker ends with the task that fails, and another begins."""

import highwater.explorer.spark.tasks  # noqa: F401
from pyspark.daemon import manager

if __name__ == "__main__":
    manager()
