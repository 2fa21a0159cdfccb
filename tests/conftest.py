"""Fixtures of all tests in Python. What a test started, it ends: by process id, with its temp folder."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support/python"))

from waybill_testing import BINARY  # noqa: E402
from waybill_testing.postgres import Postgres  # noqa: E402
from waybill_testing.server import Server  # noqa: E402


@pytest.fixture(scope="session")
def binary():
    assert BINARY.exists(), f"{BINARY} is missing; ./x build makes it"
    return BINARY


@pytest.fixture(scope="session")
def postgres():
    server = Postgres()
    yield server
    server.close()


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def database(request):
    """A function that gives the URL of a new, empty database of the kind under test (None: SQLite's default)."""
    if request.param == "sqlite":
        return lambda: None
    return request.getfixturevalue("postgres").new_database


@pytest.fixture
def new_server(binary):
    """Makes servers that end with the test."""
    made = []

    def make(**arguments):
        made.append(Server(**arguments))
        return made[-1]

    yield make
    for server in reversed(made):
        server.close()
