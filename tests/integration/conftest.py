"""One server for each database, shared by the tests that leave it as they found it. Every answer is held against the
OpenAPI document that the server serves."""
import json
import uuid

import pytest

from waybill_testing.openapi import OpenApi
from waybill_testing.server import Server


@pytest.fixture(scope="session")
def shared_server(database, binary):
    with Server(database=database()) as server:
        yield server


@pytest.fixture(scope="session")
def openapi(shared_server):
    return OpenApi(json.loads(shared_server.client().get("//openapi.json").body))


@pytest.fixture
def alice(shared_server, openapi):
    return shared_server.client("alice", openapi.judge)


@pytest.fixture
def admin(alice):
    return alice.as_user("admin")


@pytest.fixture
def nobody(alice):
    return alice.as_user(None)


@pytest.fixture
def run():
    """A word of this test's own, so that tests on one server don't see each other's jobs."""
    return uuid.uuid4().hex[:8]
