"""One session for all tests of this folder: two cores, four attempts for a task, two parts for what SQL groups.

Its executors are told of a store that `test_object_store.py` starts."""

import pytest
from highwater.explorer.spark.session import session
from support.object_store import ENVIRONMENT


@pytest.fixture(scope="session")
def spark():
    store = {f"spark.executorEnv.{name}": value for name, value in ENVIRONMENT.items()}
    with session("local[2,4]", **{"spark.sql.shuffle.partitions": "2", **store}) as found:
        yield found
