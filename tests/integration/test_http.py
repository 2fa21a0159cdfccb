"""What HTTP itself promises: conditional requests, compression, HEAD, one connection for many requests, CORS."""
import gzip
import http.client
import json
import socket

import pytest

from waybill_testing.client import job


def test_every_answer_has_a_request_id(alice):
    seen = {alice.get(path).headers["X-Request-Id"] for path in ("/jobs", "/job/nope", "/nope", "//healthz")}
    assert len(seen) == 4 and all(seen)


def test_an_unchanged_job_is_not_sent_again(alice):
    sent = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    first = alice.get(f"/job/{sent}")
    tag = first.headers["ETag"]
    again = alice.get(f"/job/{sent}", headers={"If-None-Match": tag})
    assert again.status == 304 and again.body == b"" and again.headers["ETag"] == tag
    assert alice.get(f"/job/{sent}", headers={"If-None-Match": '"other"'}).status == 200


def test_a_changed_job_has_another_tag(alice):
    sent = alice.shell("sleep 300")["id"]
    alice.wait_for(sent, {"RUNNING"})
    running = alice.get(f"/job/{sent}").headers["ETag"]
    alice.post(f"/job/{sent}/cancel")
    alice.wait_for(sent, {"CANCELED"})
    assert alice.get(f"/job/{sent}").headers["ETag"] != running


def test_big_answers_are_compressed_for_those_who_ask(alice):
    plain = alice.get("//openapi.json")
    packed = alice.get("//openapi.json", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in packed.headers["Vary"]
    assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body)
    refused = alice.get("//openapi.json", headers={"Accept-Encoding": "gzip;q=0, identity"})
    assert refused.body == plain.body


@pytest.mark.parametrize("path", ["/jobs?limit=1", "/commands", "//healthz", "//openapi.json", "/job/nope"])
def test_head_answers_as_get_without_the_body(alice, path):
    got, head = alice.get(path), alice.call("HEAD", path)
    assert head.status == got.status and head.body == b""
    assert head.headers["Content-Type"] == got.headers["Content-Type"]
    assert head.headers["Content-Length"] == str(len(got.body))


def read_answers(connection, count):
    reader = connection.makefile("rb")
    for _ in range(count):
        status = int(reader.readline().split()[1])
        headers = http.client.parse_headers(reader)
        yield status, reader.read(int(headers["Content-Length"]))


def test_pipelined_requests_are_answered_in_order(shared_server, alice):
    names = [f"pipelined-{n}" for n in range(20)]
    requests = b""
    for name in names:
        body = json.dumps(job("type:ping", name=name)).encode()
        requests += (b"POST /api/v1/job HTTP/1.1\r\nHost: x\r\nX-Heimdall-User: alice\r\nContent-Length: %d\r\n\r\n"
                     % len(body)) + body
    requests += b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=30) as connection:
        connection.sendall(requests)
        answers = list(read_answers(connection, 21))
    assert [json.loads(body)["name"] for _, body in answers[:20]] == names
    assert {status for status, _ in answers} == {200}


def test_one_connection_serves_many_requests(shared_server):
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=30)
    connection.connect()
    mine = connection.sock.getsockname()
    for _ in range(50):
        connection.request("GET", "/api/v1/jobs?limit=1")
        assert connection.getresponse().read()
    assert connection.sock.getsockname() == mine
    connection.close()


def test_connection_close_and_http_1_0_close(shared_server):
    for request in (b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"GET /healthz HTTP/1.0\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", shared_server.port), timeout=30) as connection:
            connection.sendall(request)
            everything = b"".join(iter(lambda: connection.recv(65536), b""))
        assert b" 200 " in everything.splitlines()[0]


def test_a_body_may_come_in_chunks_and_after_100_continue(shared_server):
    body = json.dumps(job("type:ping-sync")).encode()
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=30) as connection:
        connection.sendall(b"POST /api/v1/job HTTP/1.1\r\nHost: x\r\nX-Heimdall-User: alice\r\n"
                           b"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
        reader = connection.makefile("rb")
        assert b" 100 " in reader.readline()
        assert reader.readline() == b"\r\n"
        for at in range(0, len(body), 7):
            piece = body[at:at + 7]
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        assert b" 200 " in reader.readline()


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example.com"}, {"Sec-Fetch-Site": "cross-site"}])
def test_a_foreign_page_cannot_change_anything(alice, headers):
    assert alice.post("/job", job("type:ping"), headers=headers).status == 403
    assert alice.get("/jobs?limit=1", headers=headers).status == 200


def test_our_own_page_can(alice, shared_server):
    headers = {"Origin": f"http://127.0.0.1:{shared_server.port}", "Sec-Fetch-Site": "same-origin"}
    assert alice.post("/job", job("type:ping"), headers=headers).status == 200


@pytest.mark.parametrize("method", ["DELETE", "PATCH", "PUT", "TRACE", "FOO"])
def test_methods_that_a_path_does_not_have(alice, method):
    answer = alice.call(method, "/jobs")
    assert answer.status in (404, 405, 501) and (answer.json["error"] if answer.body else True)


@pytest.mark.parametrize("path", ["/nope", "/job/x/y/z", "/jobs/extra/long"])
def test_unknown_paths_under_the_base_are_json_404(alice, path):
    answer = alice.get(path)
    assert answer.status == 404 and answer.json["error"]
    assert answer.headers["Content-Type"].startswith("application/json")


def test_a_trailing_slash_is_accepted(alice):
    assert alice.get("/jobs/?limit=1").status == alice.get("/job/statuses/").status == 200


def test_the_ui_is_guarded_by_headers(alice):
    headers = alice.get("/jobs?limit=1").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
