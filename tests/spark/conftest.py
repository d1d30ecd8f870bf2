"""One session for all tests of this folder: two cores, four attempts for a task, two parts for what SQL groups."""

import pytest
from highwater.explorer.spark.session import session


@pytest.fixture(scope="session")
def spark():
    with session("local[2,4]", **{"spark.sql.shuffle.partitions": "2"}) as found:
        yield found
