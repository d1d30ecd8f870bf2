"""One session for all tests of this folder: two cores, two attempts for a task, two parts for what SQL groups.

Its executors are told of a store that `test_object_store.py` starts."""

import os

import pytest
from highwater.explorer.spark.session import session
from support.elsewhere import TESTS
from support.object_store import ENVIRONMENT


@pytest.fixture(scope="session")
def spark():
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])}
    store = {f"spark.executorEnv.{name}": value for name, value in environment.items()}
    daemon = {"spark.python.daemon.module": "support.spark_daemon"}
    with session("local[2,2]", **{"spark.sql.shuffle.partitions": "2", **daemon, **store}) as found:
        yield found
