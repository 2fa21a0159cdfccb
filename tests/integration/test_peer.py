"""What was seen to go wrong in gateways of this kind, each as a test."""
import json
import socket
import time

import pytest

from waybill_testing.client import job
from waybill_testing.waiting import wait_until


def test_a_shell_job_without_any_command_word_fails_clearly(alice):
    seen = alice.wait_for(alice.submit("type:shell-bare")["id"], {"FAILED"})
    assert "command" in seen["error"]


def test_a_put_without_tags_is_taken(new_server, database):
    writer = new_server(database=database()).start().client("writer")
    assert writer.put("/command/bare", {"name": "bare", "version": "1", "plugin": "ping", "status": "ACTIVE"}).status == 200
    assert writer.put("/cluster/bare", {"name": "bare", "version": "1", "status": "ACTIVE"}).status == 200
    assert writer.get("/command/bare").json["tags"] == ["_id:bare", "_name:bare", "_version:1"]


def test_empty_criteria_match_everything_and_absent_ones_nothing(alice):
    assert alice.post("/job", {"name": "x", "version": "1", "command_criteria": ["type:ping-sync"],
                               "cluster_criteria": []}).status == 200
    assert alice.post("/job", {"name": "x", "version": "1", "command_criteria": ["type:ping-sync"]}).status == 422
    anything = alice.post("/route", {"name": "x", "version": "1", "command_criteria": [], "cluster_criteria": []})
    assert anything.status == 200


def test_a_name_too_long_is_our_400_and_never_the_databases_text(alice):
    answer = alice.post("/job", job("type:ping", name="x" * 300))
    assert answer.status == 400
    assert "name" in answer.json["error"] and "256" in answer.json["error"]
    for word in ("character varying", "SQLSTATE", "ERROR", "pq:"):
        assert word not in answer.text


def test_a_sync_job_longer_than_write_timeout_is_not_cut(new_server, database):
    server = new_server(database=database(), config={"server": {"write_timeout": 1, "read_timeout": 1, "idle_timeout": 1}}).start()
    started = time.monotonic()
    answer = server.client().post("/job", job("type:shell-sync", context={"arguments": ["sleep 3; echo done"]}))
    assert answer.status == 200 and answer.json["status"] == "SUCCEEDED"
    assert time.monotonic() - started >= 3, "it really took longer than the timeout"


def test_a_caller_who_goes_away_does_not_end_a_sync_job(alice, shared_server, run):
    body = json.dumps(job("type:shell-sync", name=f"n-{run}", context={"arguments": ["sleep 1; echo done"]})).encode()
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=30) as connection:
        connection.sendall(b"POST /api/v1/job HTTP/1.1\r\nHost: x\r\nX-Heimdall-User: alice\r\nContent-Length: %d\r\n\r\n"
                           % len(body) + body)
        rows = wait_until(lambda: alice.get("/jobs", query={"name": f"n-{run}"}).json["data"], "the job to be stored")
    alice.succeeded(rows[0]["id"])
    assert alice.get(f"/job/{rows[0]['id']}/stdout").text == "done\n"


@pytest.mark.parametrize("line", ["exit 1", "kill -9 $$", "exec /nonexistent/program"])
def test_errors_name_no_path_of_the_server(alice, shared_server, line):
    seen = alice.wait_for(alice.shell(line)["id"], {"FAILED", "KILLED"})
    assert str(shared_server.folder) not in str(seen.get("error"))


def test_a_missing_log_names_no_path_of_the_server(alice, shared_server):
    sent = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    for stream in ("stdout", "stderr", "result"):
        assert str(shared_server.folder) not in alice.get(f"/job/{sent}/{stream}").text


def test_a_word_in_a_signal_is_told(alice):
    seen = alice.wait_for(alice.shell("kill -9 $$")["id"], {"FAILED", "KILLED"})
    assert "signal: killed" in seen["error"] or "137" in seen["error"]


def test_job_files_are_not_readable_by_name(alice):
    sent = alice.succeeded(alice.shell("true")["id"])["id"]
    for name in ("context.json", "../" + sent, "..", "result.json"):
        assert alice.get(f"/job/{sent}/{name}").status in (400, 404)
