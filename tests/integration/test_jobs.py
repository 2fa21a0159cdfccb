"""Every call on one job."""
import re

import pytest

from waybill_testing.client import FINAL, job
from waybill_testing.waiting import wait_until

UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
UNKNOWN = "/job/01900000-0000-7000-8000-000000000000"


def test_an_async_submit_answers_the_request_as_stored(alice, run):
    seen = alice.submit("type:ping", name=f"n-{run}", version="2", description="says hello", tags=["b:2", "a:1"],
                        context={"k": [1, {"x": None}]}, queue="nightly")
    assert UUID.match(seen["id"])
    assert seen["status"] == "NEW" and seen["user"] == "alice" and seen["queue"] == "nightly"
    assert seen["tags"] == [f"_id:{seen['id']}", f"_name:n-{run}", "_version:2", "a:1", "b:2"]
    assert seen["context"] == {"k": [1, {"x": None}]}
    assert seen["command_criteria"] == ["type:ping"] and seen["cluster_criteria"] == ["type:local"]


def test_a_finished_job_says_who_what_where_when_and_how(alice, run):
    sent = alice.submit("type:ping", name=f"n-{run}")
    seen = alice.succeeded(sent["id"])
    assert seen["command_id"] == seen["command_name"] == "ping"
    assert seen["cluster_id"] == seen["cluster_name"] == "local"
    assert isinstance(seen["created_at"], int) and seen["updated_at"] >= seen["created_at"]
    assert re.match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", seen["started_at"])
    assert seen["finished_at"] >= seen["started_at"]
    assert seen["attempt"] == 1
    assert "error" not in seen and "is_sync" not in seen and "canceled_by" not in seen
    assert alice.get(f"/job/{sent['id']}/result").json == {"columns": [{"name": "message", "type": "string"}], "data": [["Hello, alice!"]]}
    assert seen["extra_job_attributes"] == seen["job_attributes"]
    runbook = seen["extra_job_attributes"]["Runbook"]
    assert runbook["kind"] == "link" and runbook["value"] == f"https://docs.example.com/{sent['id']}"
    # The other attribute wants an output that ping does not publish.
    assert "Figure" not in seen["extra_job_attributes"] and "figure" in seen["attribute_errors"]["Figure"]


def test_a_sync_job_answers_when_done_with_its_result(alice):
    seen = alice.submit("type:ping-sync")
    assert seen["status"] == "SUCCEEDED" and seen["is_sync"] is True
    assert seen["result"]["data"] == [["Hello, alice!"]]
    assert alice.status(seen["id"]) == "SUCCEEDED"


def test_a_sync_job_that_fails_is_422_with_its_id(alice):
    answer = alice.post("/job", job("type:shell-sync", context={"arguments": ["exit 3"]}))
    assert answer.status == 422
    assert answer.json["code"] == "job_failed" and "exit status 3" in answer.json["error"]
    assert alice.status(answer.json["id"]) == "FAILED"


def test_a_shell_job_that_fails_says_its_exit_status(alice):
    seen = alice.wait_for(alice.shell("echo out; echo err >&2; exit 7")["id"], {"FAILED"})
    assert "exit status 7" in seen["error"]
    assert alice.get(f"/job/{seen['id']}/stdout").text == "out\n"
    assert alice.get(f"/job/{seen['id']}/stderr").text == "err\n"


def test_outputs_become_attributes_while_the_job_runs(alice):
    sent = alice.shell('echo figure=41 >> "$WAYBILL_OUTPUT"; echo ready; while [ ! -e go ]; do sleep 0.05; done;'
                       'echo figure=42 >> "$WAYBILL_OUTPUT"')
    try:
        wait_until(lambda: alice.job(sent["id"]).get("extra_job_attributes", {}).get("Figure", {}).get("value") == "41",
                   "the attribute of a running job")
        assert alice.status(sent["id"]) == "RUNNING"
    finally:
        alice.post(f"/job/{sent['id']}/cancel")
    assert alice.wait_for(sent["id"], {"CANCELED"})["extra_job_attributes"]["Figure"]["value"] == "41"


def test_an_output_may_be_written_as_a_here_document(alice):
    sent = alice.shell("printf 'figure<<END\\na=b\\nEND\\n' >> \"$WAYBILL_OUTPUT\"")
    assert alice.succeeded(sent["id"])["extra_job_attributes"]["Figure"]["value"] == "a=b"


def test_control_characters_in_an_attribute_are_refused(alice):
    sent = alice.shell("printf 'figure<<END\\none\\ntwo\\nEND\\n' >> \"$WAYBILL_OUTPUT\"")
    seen = alice.succeeded(sent["id"])
    assert "Figure" not in seen["extra_job_attributes"] and seen["attribute_errors"]["Figure"]
    assert seen["extra_job_attributes"]["Runbook"], "the others are not touched"


def test_result_json_becomes_the_result(alice):
    sent = alice.shell('''echo '{"columns":[{"name":"n","type":"int"}],"data":[[1],[2]]}' > result.json''')
    alice.succeeded(sent["id"])
    assert alice.get(f"/job/{sent['id']}/result").json == {"columns": [{"name": "n", "type": "int"}], "data": [[1], [2]]}


def test_a_running_job_is_canceled_by_its_owner(alice):
    sent = alice.shell("sleep 300")
    alice.wait_for(sent["id"], {"RUNNING"})
    answer = alice.post(f"/job/{sent['id']}/cancel")
    assert answer.status == 200 and answer.json["status"] == "CANCELING"
    seen = alice.wait_for(sent["id"], {"CANCELED"})
    assert seen["canceled_by"] == "alice"
    again = alice.post(f"/job/{sent['id']}/cancel")
    assert again.status == 409 and "CANCELED" in again.json["error"]


def test_only_owner_and_admins_cancel(alice, admin):
    sent = alice.shell("sleep 300")
    refused = alice.as_user("mallory").post(f"/job/{sent['id']}/cancel")
    assert refused.status == 403 and alice.status(sent["id"]) in ("NEW", "ACCEPTED", "RUNNING")
    assert admin.post(f"/job/{sent['id']}/cancel").status == 200
    assert alice.wait_for(sent["id"], {"CANCELED"})["canceled_by"] == "admin"


def test_a_timeout_kills(alice):
    sent = alice.shell("sleep 300", timeout_seconds=1)
    seen = alice.wait_for(sent["id"], {"KILLED"})
    assert seen["status_reason"] == "timeout"


def test_the_events_of_a_job_tell_its_life(alice):
    sent = alice.shell("true")
    alice.succeeded(sent["id"])
    answer = alice.get(f"/job/{sent['id']}/events")
    assert answer.status == 200
    events = answer.json["data"] if isinstance(answer.json, dict) else answer.json
    steps = [(e.get("from", ""), e["to"]) for e in events]
    assert steps[0][1] == "NEW" and steps[-1] == ("RUNNING", "SUCCEEDED")
    assert all(a[1] == b[0] for a, b in zip(steps, steps[1:])), steps
    assert all(e["at"].endswith("Z") for e in events)
    assert events[0]["actor"] == "alice"


def test_the_attempts_of_a_job(alice):
    sent = alice.succeeded(alice.shell("true")["id"])["id"]
    attempts = alice.get(f"/job/{sent}/attempts").json["data"]
    assert [(a["attempt"], a["status"], a["cluster_id"]) for a in attempts] == [(1, "SUCCEEDED", "local")], attempts
    assert attempts[0]["finished_at"] >= attempts[0]["started_at"]


def test_rerun_is_a_new_job_with_the_same_request(alice, run):
    first = alice.shell("echo $0 first", name=f"n-{run}", tags=["team:a"])
    alice.succeeded(first["id"])
    answer = alice.post(f"/job/{first['id']}/rerun", {"context": {"arguments": ["echo second"]}})
    assert answer.status == 200
    second = alice.succeeded(answer.json["id"])
    assert second["id"] != first["id"] and second["name"] == f"n-{run}" and "team:a" in second["tags"]
    assert first["id"] in str(second), "the new job names the one it repeats"
    assert alice.get(f"/job/{second['id']}/stdout").text == "second\n"


def test_rerun_without_a_body_repeats_the_context(alice):
    first = alice.shell("echo again")
    alice.succeeded(first["id"])
    second = alice.post(f"/job/{first['id']}/rerun")
    assert second.status == 200
    alice.succeeded(second.json["id"])
    assert alice.get(f"/job/{second.json['id']}/stdout").text == "again\n"


def test_rerun_of_somebody_elses_job_is_refused(alice):
    first = alice.submit("type:ping")
    assert alice.as_user("mallory").post(f"/job/{first['id']}/rerun").status == 403


@pytest.mark.parametrize("method, path", [
    ("GET", ""), ("GET", "/status"), ("GET", "/stdout"), ("GET", "/stderr"), ("GET", "/result"), ("GET", "/events"),
    ("POST", "/cancel"), ("POST", "/rerun")])
def test_an_unknown_job_is_404(alice, method, path):
    answer = alice.call(method, UNKNOWN + path)
    assert answer.status == 404 and answer.json["error"]


@pytest.mark.parametrize("what", ["job", "command", "cluster"])
def test_status_words_are_a_bare_array(alice, what):
    words = alice.get(f"/{what}/statuses").json
    assert sorted(words) == sorted(["NEW", "ACCEPTED", "RUNNING", "FAILED", "KILLED", "SUCCEEDED", "CANCELING", "CANCELED"]
                                   if what == "job" else ["ACTIVE", "INACTIVE", "DELETED"])


@pytest.mark.parametrize("call", [
    ("POST", "/job"), ("POST", "/jobs"), ("POST", "/jobs/cancel"), ("PUT", "/command/x"), ("PUT", "/cluster/x"),
    ("POST", "/route"), ("POST", "/admin/reload")])
def test_a_changing_call_without_a_caller_is_401(nobody, call):
    answer = nobody.call(*call, json_body={"jobs": [job()]})
    assert answer.status == 401
    assert answer.json["error"] == "cannot identify caller -- access denied"


def test_allowed_callers_are_anchored_patterns(alice):
    for user, status in (("bob", 200), ("team-a-x", 200), ("bobby", 403), ("my-team-a-x", 403), ("alice", 403)):
        assert alice.as_user(user).post("/job", job("type:guarded")).status == status, user


def test_the_caller_overrides_a_user_in_the_body(alice):
    assert alice.submit("type:ping", user="root")["user"] == "alice"


def test_priority_above_zero_is_for_admins(alice, admin):
    assert alice.post("/job", job("type:ping", priority=1)).status == 403
    assert admin.submit("type:ping", priority=1)["priority"] == 1
    assert alice.submit("type:ping", priority=-5)["priority"] == -5


def test_members_that_only_the_server_sets_are_ignored_when_well_typed(alice):
    seen = alice.submit("type:ping", id="mine", created_at=1, error="none", canceled_by="eve", status=6)
    assert UUID.match(seen["id"]) and seen["status"] == "NEW"
    done = alice.succeeded(seen["id"])
    assert done["created_at"] > 1 and "error" not in done and "canceled_by" not in done
    assert done["status"] in FINAL
