"""Every limit of the server, from one step outside: a clear 4xx, nothing stored, and the server lives on."""
import json
import socket

import pytest

from waybill_testing.client import job
from waybill_testing.waiting import wait_until


def refused(answer, *statuses):
    assert answer.status in (statuses or (400,)), answer
    error = answer.json["error"]
    assert error and len(error) < 2000
    for leak in ("/tmp/", "sqlite", "postgres", "SQL", "constraint", "terminate", "std::", "boost", "bad_alloc"):
        assert leak not in error, error
    return error


def test_a_body_that_is_too_large_is_413(alice, run):
    refused(alice.post("/job", job("type:ping", name=f"n-{run}", context={"x": "y" * (1 << 20)})), 413)
    assert alice.get("/jobs", query={"name": f"n-{run}"}).json["data"] == []


def test_a_body_that_only_says_it_is_large_is_refused_unread(shared_server):
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=20) as connection:
        connection.sendall(b"POST /api/v1/job HTTP/1.1\r\nHost: x\r\nX-Heimdall-User: a\r\n"
                           b"Content-Length: 99999999999\r\n\r\n{")
        assert b" 413 " in connection.makefile("rb").readline()


def test_headers_that_are_too_large_are_refused(alice):
    answer = alice.get("/jobs?limit=1", headers={"X-Filler": "x" * 40000})
    assert answer.status in (400, 431)
    assert alice.get("/jobs?limit=1").status == 200


@pytest.mark.parametrize("member, value", [
    ("name", "n" * 257), ("version", "v" * 300), ("queue", "q" * 300), ("tags", ["t" * 257]),
    ("tags", [f"t:{n}" for n in range(65)]), ("command_criteria", ["c" * 257]), ("cluster_criteria", ["c"] * 70 + ["x" * 300])])
def test_what_is_longer_than_its_limit_is_400(alice, run, member, value):
    members = {"name": f"n-{run}", member: value}
    body = {**job("type:ping"), **members}
    refused(alice.post("/job", body), 400, 422)


def test_what_is_just_as_long_as_its_limit_is_taken(alice):
    seen = alice.submit("type:ping", name="n" * 256, tags=["t" * 256] + [f"t:{n}" for n in range(63)])
    assert len(seen["name"]) == 256 and len(seen["tags"]) == 67


def nested(depth):
    return json.loads('{"a":' * depth + "1" + "}" * depth)


def test_a_context_may_be_so_deep_and_no_deeper(alice):
    assert alice.post("/job", job("type:ping", context=nested(32))).status == 200
    refused(alice.post("/job", job("type:ping", context=nested(34))))
    deep = '{"name":"x","version":"1","context":' + "[" * 100000 + "]" * 100000 + "}"
    refused(alice.post("/job", body=deep.encode()), 400, 413)


@pytest.mark.parametrize("text", [
    b"", b"{", b"nonsense", b"[]", b"1", b'"x"', b"null", b'{"name": 1}', b'{"tags": "x"}', b'{"tags": [1]}', b'{"context": []}',
    b'{"name": "\xff"}', b'{"name": "\xed\xa0\x80"}', b'{"name": "a\\u0000b"}', b'{"name": "\\ud800"}',
    b'{"context": {"a\\u0000": 1}}', b'{"command_criteria": {}}', b'{"priority": "high"}', b'{"priority": 101}',
    b'{"timeout_seconds": -1}', b'{"timeout_seconds": 1e300}', b'{"max_attempts": 0.5}', b'{"max_attempts": -1}',
    b'{"status": "NOPE"}', b'{"name": "x"} trailing'])
def test_a_body_that_is_no_job_is_400(alice, text):
    refused(alice.post("/job", body=text), 400, 422)


@pytest.mark.parametrize("value", [1e308, -1e308, 0.1, 12345678901234567890, -0.0, 1e-300])
def test_numbers_of_a_context_come_back_as_float64(alice, value):
    seen = alice.submit("type:ping", context={"n": value})
    assert float(alice.job(seen["id"])["context"]["n"]) == float(value)


@pytest.mark.parametrize("user", ["", "a" * 300, "a\tb", "root\x7f"])
def test_a_caller_that_can_be_none(alice, user):
    answer = alice.as_user(user).post("/job", job("type:ping"))
    assert answer.status in (400, 401), answer


@pytest.mark.parametrize("path", [
    "/job/../../etc/passwd", "/job/..%2f..%2fetc%2fpasswd", "/job/%00", "/job/%ff", "/job/" + "x" * 3000,
    "/job/%zz", "/job/x/stdout/..", "/command/%2e%2e", "/jobs?cursor=%00", "/jobs?name=%ff"])
def test_paths_that_lead_nowhere(alice, path):
    answer = alice.get(path)
    assert answer.status in (400, 404, 414), answer
    assert b"root:" not in answer.body


@pytest.mark.parametrize("raw", [
    b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET /\r\n\r\n",
    b"POST /api/v1/job HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /api/v1/job HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    b"POST /api/v1/job HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
    b"GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n"])
def test_what_is_no_http_is_refused_and_the_connection_closed(shared_server, raw):
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=30) as connection:
        connection.sendall(raw)
        try:
            connection.shutdown(socket.SHUT_WR)
            everything = b"".join(iter(lambda: connection.recv(65536), b""))
        except ConnectionResetError:
            everything = b""
    assert everything == b"" or b" 400 " in everything.splitlines()[0] or b" 505 " in everything.splitlines()[0], everything
    assert shared_server.client().get("//healthz").status == 200


def test_header_injection_through_names_does_not_reach_a_header(alice):
    sent = alice.submit("type:ping", name="x\r\nSet-Cookie: a=b")
    answer = alice.get(f"/job/{sent['id']}")
    assert "Set-Cookie" not in answer.headers


def test_quotes_are_text_everywhere(alice, run):
    name = f"'; drop table jobs; -- \" \\ {run}"
    sent = alice.submit("type:ping", name=name, tags=[f"it's:{run}"])
    assert alice.job(sent["id"])["name"] == name
    assert [row["id"] for row in alice.get("/jobs", query={"tags": f"it's:{run}"}).json["data"]] == [sent["id"]]


def test_a_slow_client_is_timed_out_and_others_are_served(new_server, database):
    server = new_server(database=database(), config={"server": {"read_header_timeout": 1, "read_timeout": 1}}).start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as slow:
        slow.sendall(b"GET /healthz HT")
        assert server.client().get("//healthz").status == 200
        # Closed by the server, with or without a 408: recv comes back before its own timeout.
        answer = b"".join(iter(lambda: slow.recv(4096), b""))
        assert answer == b"" or b" 408 " in answer.splitlines()[0]


def test_more_connections_than_allowed_are_turned_away_and_the_server_lives(new_server, database):
    server = new_server(database=database(), config={"server": {"max_connections": 20}}).start()
    held = []
    try:
        for _ in range(40):
            held.append(socket.create_connection(("127.0.0.1", server.port), timeout=5))
    except OSError:
        pass
    for connection in held:
        connection.close()
    wait_until(lambda: answers(server), "an answer after the crowd has gone")


def answers(server):
    try:
        return server.client().get("//healthz", timeout=5).status == 200
    except OSError:
        return False


def test_blank_tags_are_stored_as_heimdall_does(alice):
    """Its filters find none of them; a blank word in `tags=` is no filter."""
    assert alice.submit("type:ping", tags=["", " ", "a:1"])["tags"][:2] == ["", " "]


def test_a_tag_that_is_too_long_is_named_by_its_place(alice):
    for member in ("tags", "command_criteria", "cluster_criteria"):
        answer = alice.post("/job", job("type:ping", **{member: ["type:ping", "z" * 257, "a"]}))
        assert answer.status == 400 and answer.json["error"].startswith(f"{member}[1] is 257 bytes long"), answer
