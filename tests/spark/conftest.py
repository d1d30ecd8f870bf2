"""One session for all tests of this folder: two cores, two attempts for a task, two parts for what SQL groups.

Its executors are told of a store that `test_object_store.py` starts."""

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.spark.session import session
from support import faults
from support.elsewhere import with_support
from support.object_store import ENVIRONMENT
from support.on_spark import alike, request


@pytest.fixture(scope="session")
def spark():
    environment = {**ENVIRONMENT, "PYTHONPATH": with_support()["PYTHONPATH"]}
    store = {f"spark.executorEnv.{name}": value for name, value in environment.items()}
    daemon = {"spark.python.daemon.module": "support.spark_daemon"}
    faults.by_value()
    with session("local[2,2]", **{"spark.sql.shuffle.partitions": "2", **daemon, **store}) as found:
        yield found


@pytest.fixture(scope="session")
def whole():
    """What the local explorer says."""
    return alike(check(request()))
