"""The server starts with the first test that asks for it, and stops with the session."""

import logging
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from server import Server


@pytest.fixture(scope="session")
def zookeeper():
    logging.getLogger("kazoo").setLevel(logging.CRITICAL)
    server = Server()
    yield server
    server.stop()
