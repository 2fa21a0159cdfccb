"""Logs: whole, in parts, from the end, while they are written."""
import http.client

import pytest

from waybill_testing.waiting import wait_until

TEN_LINES = "for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; done"
TEXT = "".join(f"line {i}\n" for i in range(1, 11))


@pytest.fixture
def done(alice):
    return alice.succeeded(alice.shell(TEN_LINES)["id"])["id"]


def test_a_whole_log_is_plain_text(alice, done):
    answer = alice.get(f"/job/{done}/stdout")
    assert answer.text == TEXT and answer.headers["Content-Type"].startswith("text/plain")
    assert alice.get(f"/job/{done}/stderr").text == ""


def test_offset_skips_bytes(alice, done):
    assert alice.get(f"/job/{done}/stdout?offset=7").text == TEXT[7:]
    beyond = alice.get(f"/job/{done}/stdout?offset=100000")
    assert beyond.status in (200, 416) and beyond.body in (b"",) or beyond.status == 416


def test_tail_answers_the_last_lines(alice, done):
    assert alice.get(f"/job/{done}/stdout?tail=2").text == "line 9\nline 10\n"
    assert alice.get(f"/job/{done}/stdout?tail=1000").text == TEXT


@pytest.mark.parametrize("wanted, status, part, content_range", [
    ("bytes=0-5", 206, TEXT[:6], "bytes 0-5/71"),
    ("bytes=7-", 206, TEXT[7:], "bytes 7-70/71"),
    ("bytes=-8", 206, TEXT[-8:], "bytes 63-70/71"),
    ("bytes=60-500", 206, TEXT[60:], "bytes 60-70/71"),
    ("bytes=71-", 416, None, "bytes */71"),
    ("bytes=9-3", 200, TEXT, None),       # not a valid range: as if it were not there (RFC 9110)
    ("lines=1-2", 200, TEXT, None),       # a unit that we don't know: likewise
])
def test_ranges(alice, done, wanted, status, part, content_range):
    assert len(TEXT) == 71
    answer = alice.get(f"/job/{done}/stdout", headers={"Range": wanted})
    assert answer.status == status, answer
    assert answer.headers.get("Content-Range") == content_range
    if part is not None:
        assert answer.text == part


@pytest.mark.parametrize("query", ["offset=-1", "offset=x", "tail=x", "tail=-1", "attempt=x", "offset=99999999999999999999999"])
def test_a_number_that_is_none_is_400(alice, done, query):
    answer = alice.get(f"/job/{done}/stdout?{query}")
    assert answer.status == 400 and answer.json["error"], answer


def test_an_attempt_that_was_not_made_is_404(alice, done):
    assert alice.get(f"/job/{done}/stdout?attempt=1").text == TEXT
    assert alice.get(f"/job/{done}/stdout?attempt=2").status == 404


def test_a_running_job_shows_its_log_so_far(alice):
    job = alice.shell("echo first; while [ ! -e go ]; do sleep 0.05; done")["id"]
    wait_until(lambda: alice.get(f"/job/{job}/stdout").body == b"first\n", "the first line")
    assert alice.status(job) == "RUNNING"
    alice.post(f"/job/{job}/cancel")
    alice.wait_for(job, {"CANCELED"})
    assert alice.get(f"/job/{job}/stdout").text == "first\n"


def test_follow_brings_lines_as_they_come_and_ends_with_the_job(alice, shared_server):
    """The job waits for a file that appears only once its first line has come through."""
    flag = shared_server.folder / "follow-go"
    flag.unlink(missing_ok=True)
    job = alice.shell(f"echo first; while [ ! -e {flag} ]; do sleep 0.05; done; echo last")["id"]
    alice.wait_for(job, {"RUNNING"})
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=30)
    connection.request("GET", f"/api/v1/job/{job}/stdout?follow=true", headers={"X-Heimdall-User": "alice"})
    answer = connection.getresponse()
    assert answer.status == 200 and answer.headers["Transfer-Encoding"] == "chunked"
    assert answer.readline() == b"first\n"
    assert alice.status(job) == "RUNNING"
    flag.touch()
    assert answer.read() == b"last\n"
    connection.close()
    assert alice.succeeded(job)


def test_follow_of_a_finished_job_is_its_log(alice, done):
    assert alice.get(f"/job/{done}/stdout?follow=true").text == TEXT


def test_a_reader_who_goes_away_does_not_end_the_job(alice, shared_server):
    flag = shared_server.folder / "away-go"
    flag.unlink(missing_ok=True)
    job = alice.shell(f"echo first; while [ ! -e {flag} ]; do sleep 0.05; done; echo last")["id"]
    alice.wait_for(job, {"RUNNING"})
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=30)
    connection.request("GET", f"/api/v1/job/{job}/stdout?follow=true")
    connection.getresponse().readline()
    connection.close()
    flag.touch()
    alice.succeeded(job)


def test_bytes_that_are_no_text_come_as_they_are(alice):
    job = alice.succeeded(alice.shell(r"printf '\377\000\n\303\274'")["id"])["id"]
    assert alice.get(f"/job/{job}/stdout").body == b"\xff\x00\n\xc3\xbc"


def test_a_log_over_the_cap_keeps_head_and_tail(new_server, database):
    server = new_server(database=database(), config={"limits": {"log_bytes": 65536}}).start()
    alice = server.client()
    job = alice.succeeded(alice.shell("echo HEAD; yes 0123456789abcde | head -c 1000000; echo; echo TAIL")["id"])["id"]
    text = alice.get(f"/job/{job}/stdout").text
    assert text.startswith("HEAD\n0123456789abcde\n") and text.endswith("\nTAIL\n")
    assert len(text) < 80000
    marker = [line for line in text.splitlines() if not set(line) <= set("0123456789abcdeHEADTIL")]
    assert len(marker) == 1, marker
