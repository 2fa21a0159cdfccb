"""GET /events: transitions as they happen, and none lost over a broken connection."""
import http.client
import json

import pytest

from waybill_testing.client import Answer
from waybill_testing.event_stream import Stream
from waybill_testing.waiting import wait_until


@pytest.fixture
def stream(shared_server, openapi):
    opened = []

    def open_stream(**arguments):
        opened.append(Stream(shared_server.port, **arguments))
        openapi.judge("GET", "/api/v1/events", Answer(opened[-1].answer.status, opened[-1].answer.headers, b""))
        return opened[-1]

    yield open_stream
    for one in opened:
        one.close()


def test_a_job_is_told_from_new_to_its_end(alice, stream):
    listening = stream()
    assert listening.answer.status == 200
    assert listening.answer.headers["Content-Type"].startswith("text/event-stream")
    job = alice.submit("type:ping")["id"]
    wait_until(lambda: "SUCCEEDED" in listening.states(job), "the last event")
    assert listening.states(job)[0] == "NEW" and listening.states(job)[-1] == "SUCCEEDED"
    assert all(e.get("id") for e in listening.of(job))


def test_last_event_id_goes_on_where_a_connection_broke(alice, stream):
    first = stream()
    one = alice.submit("type:ping")["id"]
    wait_until(lambda: "SUCCEEDED" in first.states(one), "the first job's end")
    last = first.events[-1]["id"]
    first.close()
    two = alice.submit("type:ping")["id"]
    alice.succeeded(two)
    again = stream(last_id=last)
    wait_until(lambda: "SUCCEEDED" in again.states(two), "the second job's end")
    assert again.states(two)[0] == "NEW", "nothing of the second job is missing"
    assert again.of(one) == [], "nothing of the first job comes twice"


def test_without_last_event_id_only_what_comes_is_told(alice, stream):
    old = alice.submit("type:ping")["id"]
    alice.succeeded(old)
    listening = stream()
    new = alice.submit("type:ping")["id"]
    wait_until(lambda: "SUCCEEDED" in listening.states(new), "the new job's end")
    assert listening.of(old) == []


def test_filters_narrow_the_stream(alice, stream):
    ping_only = stream(query="?status=SUCCEEDED&user=alice")
    job = alice.submit("type:ping")["id"]
    wait_until(lambda: "SUCCEEDED" in ping_only.states(job), "the end")
    assert ping_only.states(job) == ["SUCCEEDED"]


@pytest.mark.parametrize("last", ["not-a-position", "-1", "1" * 400])
def test_a_position_that_is_none_is_refused_or_reset(shared_server, last):
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=20)
    connection.request("GET", "/api/v1/events", headers={"Last-Event-ID": last, "X-Heimdall-User": "alice"})
    answer = connection.getresponse()
    if answer.status == 200:
        lines = [answer.readline().decode() for _ in range(3)]
        assert any("reset" in line for line in lines), lines
    else:
        assert answer.status == 400
    connection.close()


def test_many_listeners_hear_the_same(alice, stream):
    listeners = [stream() for _ in range(30)]
    job = alice.submit("type:ping")["id"]
    for listening in listeners:
        wait_until(lambda: "SUCCEEDED" in listening.states(job), "each listener's end")
    assert len({tuple(listening.states(job)) for listening in listeners}) == 1
