"""The real program, for the Python client's tests."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/python"))
sys.path.insert(0, str(ROOT / "sdk/python/src"))

from waybill_testing.server import Server  # noqa: E402
from waybill_testing.waiting import free_port  # noqa: E402


@pytest.fixture(scope="session")
def server():
    port = free_port()
    with Server(config={"server": {"grpc_addr": f"127.0.0.1:{port}"}}) as started:
        started.grpc_port = port
        yield started


@pytest.fixture(scope="session")
def url(server):
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="session")
def target(server):
    return f"127.0.0.1:{server.grpc_port}"
