"""One browser for the tests of a file."""

import pytest
from support.browser import start


@pytest.fixture(scope="module")
def browser():
    driver = start()
    yield driver
    driver.quit()
