"""Health, readiness, metrics, dry runs, previews, statistics."""
import re

import pytest

from waybill_testing.client import job
from waybill_testing.waiting import wait_until


def test_a_server_says_that_it_lives_and_is_ready(nobody):
    assert nobody.get("//healthz").status == 200
    assert nobody.get("//readyz").status == 200


def test_metrics_are_in_prometheus_form(nobody, alice):
    alice.succeeded(alice.submit("type:ping")["id"])
    answer = nobody.get("//metrics")
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain")
    lines = [line for line in answer.text.splitlines() if line and not line.startswith("#")]
    assert lines and all(re.match(r'^[a-zA-Z_:][\w:]*(\{.*\})? [-+0-9.eEINFNaninf]+$', line) for line in lines)
    assert any(line.startswith("waybill_") for line in lines)


def test_without_the_role_api_only_probes_are_served(new_server, database):
    server = new_server(database=database(), config={"roles": ["worker"]}).start()
    alice = server.client()
    assert [alice.get(f"//{path}").status for path in ("healthz", "readyz", "metrics")] == [200, 200, 200]
    answers = [alice.get("/jobs"), alice.post("/job", job("type:ping")), alice.get("/nothing"), alice.get("//openapi.json"),
               alice.get("//ui/"), alice.get("//")]
    assert {(a.status, a.json["code"]) for a in answers} == {(404, "no_api")}
    assert "role api" in answers[0].json["error"]


def test_route_says_which_pair_and_why(alice):
    answer = alice.post("/route", job("type:ping"))
    assert answer.status == 200
    chosen = answer.json["chosen"]
    assert (chosen["command_id"], chosen["cluster_id"]) == ("ping", "local") and answer.json["why"]
    assert answer.json["pairs"] == [chosen]


def test_route_stores_nothing(alice, run):
    alice.post("/route", job("type:ping", name=f"n-{run}"))
    assert alice.get("/jobs", query={"name": f"n-{run}"}).json["data"] == []


def test_route_says_what_nearly_matched_and_what_was_missing(alice):
    answer = alice.post("/route", job("type:ping", cluster="type:elsewhere"))
    assert answer.status == 200 and "chosen" not in answer.json
    assert {"command": "ping", "cluster": "local", "missing": ["type:elsewhere"]} in answer.json["near_misses"]


def test_no_route_is_422_with_a_word(alice):
    answer = alice.post("/job", job("type:nothing"))
    assert answer.status == 422 and answer.json["code"] == "no_route"
    assert answer.json["error"] == "command-cluster pair is not found"


def test_a_preview_renders_a_clusters_attributes(alice):
    sent = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    answer = alice.post("/attributes/preview", {"cluster": "local", "job_id": sent})
    assert answer.status == 200
    assert answer.json["attributes"]["Runbook"]["value"] == f"https://docs.example.com/{sent}"
    assert [e["label"] for e in answer.json["errors"]] == ["Figure"] and "figure" in answer.json["errors"][0]["error"]


def test_a_preview_of_templates_of_ones_own_is_for_owners_and_admins(alice):
    sent = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    body = {"job_id": sent, "attributes": {"Own": {"kind": "text", "value": "{{ .Job.Name | upper }}"}}}
    assert alice.post("/attributes/preview", body).json["attributes"]["Own"]["value"] == "A JOB"
    assert alice.as_user("mallory").post("/attributes/preview", body).status == 403


def test_a_preview_says_the_error_and_where(alice):
    sent = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    answer = alice.post("/attributes/preview", {"job_id": sent, "attributes": {"Bad": {"kind": "text", "value": "\n{{ nope }}"}}})
    assert [(e["label"], e["line"]) for e in answer.json["errors"]] == [("Bad", 2)]
    assert "nope" in answer.json["errors"][0]["error"]


def test_attributes_are_rendered_anew_by_admins(alice, admin):
    sent = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    assert alice.post(f"/job/{sent}/attributes/render").status == 403
    assert admin.post(f"/job/{sent}/attributes/render").status == 200
    assert alice.job(sent)["extra_job_attributes"]["Runbook"]["value"].endswith(sent)


def test_health_of_clusters_without_probes(alice):
    answer = alice.get("/clusters/health")
    assert answer.status == 200


def test_health_probes(new_server, database, openapi):
    server = new_server(database=database(), config={"clusters": [
        {"name": "probed", "version": "1", "tags": ["type:local"], "health_check": True},
        {"name": "quiet", "version": "1", "tags": ["type:other"]}]}).start()
    alice = server.client("alice", openapi.judge)
    answer = alice.get("/cluster/probed/health")
    assert answer.status == 200
    assert answer.json["healthy"] is True
    assert [(c["cluster_id"], c["status"]) for c in answer.json["checks"]] == [("probed", "ok")]
    assert answer.json["checks"][0]["latency_ms"] >= 0
    assert alice.get("/cluster/unknown/health").status == 404


def test_statistics_count_jobs(alice, run):
    for _ in range(3):
        alice.succeeded(alice.as_user(f"u-{run}").submit("type:ping")["id"])
    answer = wait_until(lambda: counted(alice.get("/stats/jobs", query={"user": f"u-{run}"}), 3), "three jobs to be counted")
    assert answer["counts"] == {"SUCCEEDED": 3} and answer["success_rate"] == 1
    assert sum(bucket["counts"].get("SUCCEEDED", 0) for bucket in answer["data"]) == 3
    failed = alice.get("/stats/jobs", query={"user": f"u-{run}", "status": "FAILED"}).json
    assert failed["counts"].get("FAILED", 0) == 0


def counted(answer, wanted):
    assert answer.status == 200, answer
    return answer.json if sum(answer.json["counts"].values()) >= wanted else None


@pytest.mark.parametrize("query", [{"from": "x"}, {"bucket": "fortnight"}])
def test_statistics_of_what_is_none_are_400(alice, query):
    assert alice.get("/stats/jobs", query=query).status == 400


def test_read_scoped_shows_only_ones_own_jobs(new_server, database):
    server = new_server(database=database(), config={"auth": {"read_scoped": True}}).start()
    alice, bob, admin = (server.client(user) for user in ("alice", "bob", "admin"))
    sent = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    assert bob.get(f"/job/{sent}").status in (403, 404)
    assert bob.get("/jobs").json["data"] == []
    assert bob.get(f"/job/{sent}/stdout").status in (403, 404)
    assert admin.get(f"/job/{sent}").status == alice.get(f"/job/{sent}").status == 200


def test_queued_per_user_is_429_with_retry_after(new_server, database):
    server = new_server(database=database(), config={"roles": ["api"], "limits": {"queued_per_user": 2}}).start()
    alice = server.client()
    assert [alice.post("/job", job("type:ping")).status for _ in range(2)] == [200, 200]
    third = alice.post("/job", job("type:ping"))
    assert third.status == 429 and int(third.headers["Retry-After"]) >= 0 and third.json["error"]
    assert server.client("bob").post("/job", job("type:ping")).status == 200


def test_running_per_user_never_blocks_others(new_server, database):
    server = new_server(database=database(), config={"limits": {"running_per_user": 1}}).start()
    alice, bob = server.client(), server.client("bob")
    first, second = alice.shell("sleep 300")["id"], alice.shell("sleep 300")["id"]
    alice.wait_for(first, {"RUNNING"})
    bob.succeeded(bob.shell("true")["id"])
    assert alice.status(second) == "NEW"
    for one in (second, first):
        alice.post(f"/job/{one}/cancel")
        alice.wait_for(one, {"CANCELED"})
