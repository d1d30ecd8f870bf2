"""One session for all tests of this folder: two cores, and four attempts for a task."""

import pytest
from highwater.explorer.spark.session import session


@pytest.fixture(scope="session")
def spark():
    with session("local[2,4]") as found:
        yield found
