"""Jobs of the spark_operator plugin on a real API server; the operator is the test itself."""
import collections
import json
import pathlib
import threading

import pytest
from spark_jobs import HISTORY, SECONDS, attributes, spark_server, stdout, submit, wait_for_log
from waybill_testing.kube import Completer, Refused
from waybill_testing.waiting import wait_until


@pytest.fixture(scope="module")
def server(plain_bed):
    with spark_server(plain_bed, cluster_context={"pending_error_seconds": 1}) as started:
        yield started


@pytest.fixture
def client(server):
    return server.client("alice")


def test_a_job_is_an_application_that_is_followed_to_its_end(plain_bed, client):
    operator, kube = plain_bed.operator, plain_bed.kube
    job_id = submit(client, arguments=["1000"], parameters={"properties": {
        "spark.executor.instances": "3", "spark.sql.shuffle.partitions": "7"}})
    application = operator.waits_for(job_id)
    labels = application["metadata"]["labels"]
    assert labels["waybill.dev/job-id"] == job_id and labels["caraml.dev/record-id"] == f"{job_id}-1"
    assert application["spec"]["arguments"] == ["1000"]
    assert application["spec"]["executor"]["instances"] == 3
    assert application["spec"]["sparkConf"]["spark.sql.shuffle.partitions"] == "7"
    assert application["spec"]["driver"]["serviceAccount"] == "spark"  # of the template

    operator.driver(application, run_seconds=2, log="Pi is roughly 3.14")
    operator.status(application, "SUBMITTED")
    wait_until(lambda: attributes(client, job_id).get("Driver") == f"spark-jobs/spark-job-{job_id}-driver",
               "the driver's name", SECONDS)
    application_id = operator.status(application, "RUNNING")
    link = f"{HISTORY}/history/{application_id}/jobs/"
    wait_until(lambda: attributes(client, job_id).get("Spark History") == link, "the link while it runs", SECONDS)
    assert client.status(job_id) == "RUNNING"
    wait_for_log(client, job_id, "Pi is roughly 3.14")
    wait_until(lambda: operator.pod_phase(f"spark-job-{job_id}-driver") == "Succeeded", "the driver's end", SECONDS)
    operator.status(application, "COMPLETED")
    job = client.succeeded(job_id, SECONDS)
    assert job["job_attributes"]["Spark History"]["value"] == link
    wait_until(lambda: kube.application(f"spark-job-{job_id}") is None, "the application to be removed", SECONDS)
    wait_until(lambda: operator.pod_phase(f"spark-job-{job_id}-driver") is None, "the driver to be removed", SECONDS)
    assert "Pi is roughly 3.14\n" in stdout(client, job_id)


def running(operator, client, **annotations):
    job_id = submit(client)
    application = operator.waits_for(job_id)
    operator.driver(application, **{"run_seconds": "forever", **annotations})
    operator.status(application, "RUNNING")
    wait_until(lambda: client.status(job_id) == "RUNNING", "the job to run", SECONDS)
    return job_id, application


def is_gone(bed, job_id):
    name = f"spark-job-{job_id}"
    return bed.kube.application(name) is None and bed.operator.pod_phase(f"{name}-driver") is None


def test_cancel_deletes_the_application_and_waits_for_the_driver_to_be_gone(plain_bed, client):
    job_id, _ = running(plain_bed.operator, client, stop_seconds=2)
    assert client.post(f"/job/{job_id}/cancel").json["status"] == "CANCELING"
    job = client.wait_for(job_id, {"CANCELED"}, SECONDS)
    assert is_gone(plain_bed, job_id)
    assert job["canceled_by"] == "alice"


def test_cancel_before_the_operator_has_looked(plain_bed, client):
    job_id = submit(client)
    plain_bed.operator.waits_for(job_id)
    client.post(f"/job/{job_id}/cancel")
    client.wait_for(job_id, {"CANCELED"}, SECONDS)
    assert is_gone(plain_bed, job_id)


def test_cancel_while_the_driver_is_pending(plain_bed, client):
    job_id = submit(client)
    application = plain_bed.operator.waits_for(job_id)
    plain_bed.operator.driver(application, unschedulable="true")
    plain_bed.operator.status(application, "SUBMITTED")
    wait_for_log(client, job_id, "no node has room", "stderr")
    client.post(f"/job/{job_id}/cancel")
    client.wait_for(job_id, {"CANCELED"}, SECONDS)
    assert is_gone(plain_bed, job_id)


def test_a_driver_that_outlives_its_application_is_deleted(plain_bed, client):
    """An operator without owner references, or a garbage collector that is away."""
    job_id = submit(client)
    application = plain_bed.operator.waits_for(job_id)
    plain_bed.operator.driver({**application, "metadata": {**application["metadata"], "uid": application["metadata"]["uid"]}},
                              run_seconds="forever")
    pod = f"spark-job-{job_id}-driver"
    plain_bed.kube.call("PATCH", plain_bed.kube.pod_path(pod), {"metadata": {"ownerReferences": None}},
                        "application/merge-patch+json")
    plain_bed.operator.status(application, "RUNNING")
    client.post(f"/job/{job_id}/cancel")
    client.wait_for(job_id, {"CANCELED"}, SECONDS)
    assert is_gone(plain_bed, job_id)


def test_deleted_by_somebody_else_is_killed(plain_bed, client):
    job_id, _ = running(plain_bed.operator, client)
    plain_bed.kube.delete(plain_bed.kube.path(f"spark-job-{job_id}"))
    job = client.wait_for(job_id, {"KILLED"}, SECONDS)
    assert job["status_reason"] == "deleted"
    assert "by somebody else" in job["error"] and "submit the job again" in job["error"]


def test_a_timeout_ends_the_application(plain_bed, client):
    job_id = client.submit("type:pi", "type:spark", timeout_seconds=2)["id"]
    application = plain_bed.operator.waits_for(job_id)
    plain_bed.operator.driver(application, run_seconds="forever")
    plain_bed.operator.status(application, "RUNNING")
    assert client.wait_for(job_id, {"KILLED"}, SECONDS)["status_reason"] == "timeout"
    assert is_gone(plain_bed, job_id)


def test_a_failure_says_why_with_the_drivers_last_words(plain_bed, client):
    job_id = submit(client)
    application = plain_bed.operator.waits_for(job_id)
    log = "\n".join(f"step {i}" for i in range(150))
    plain_bed.operator.driver(application, run_seconds=1, exit_code=3, log=log,
                              termination_message="Path does not exist: s3a://input/day=1")
    wait_until(lambda: plain_bed.operator.pod_phase(f"spark-job-{job_id}-driver") == "Failed", "the driver", SECONDS)
    plain_bed.operator.status(application, "FAILED", "driver container failed with ExitCode: 3, Reason: Error")
    job = client.wait_for(job_id, {"FAILED"}, SECONDS)
    first, _, lines = job["error"].partition("\nThe last lines of its log:\n")
    assert first == "the driver ended with exit code 3: Path does not exist: s3a://input/day=1"
    assert lines.splitlines() == [f"step {i}" for i in range(50, 150)]


def test_an_evicted_driver_is_no_failure_of_the_job(plain_bed, client):
    job_id = submit(client)
    application = plain_bed.operator.waits_for(job_id)
    plain_bed.operator.driver(application, run_seconds=1, outcome="evicted")
    wait_until(lambda: plain_bed.operator.pod_phase(f"spark-job-{job_id}-driver") == "Failed", "the driver", SECONDS)
    plain_bed.operator.status(application, "FAILED", "driver container status missing")
    job = client.wait_for(job_id, {"KILLED"}, SECONDS)
    assert job["status_reason"] == "node_gone" and "max_attempts" in job["error"]


def test_a_driver_that_disappeared_is_lost(plain_bed, client):
    job_id = submit(client)
    plain_bed.operator.status(plain_bed.operator.waits_for(job_id), "FAILED", "driver pod not found")
    job = client.wait_for(job_id, {"KILLED"}, SECONDS)
    assert job["status_reason"] == "lost" and "disappeared" in job["error"]


def test_an_image_that_can_not_be_pulled_fails_the_job(plain_bed, client):
    job_id = submit(client)
    application = plain_bed.operator.waits_for(job_id)
    plain_bed.operator.driver(application, image_pull_error="true")
    plain_bed.operator.status(application, "SUBMITTED")
    job = client.wait_for(job_id, {"FAILED"}, SECONDS)
    assert "the image can't be pulled" in job["error"] and "check the image's name" in job["error"]
    wait_until(lambda: is_gone(plain_bed, job_id), "the application to be removed", SECONDS)


def test_a_suspended_application_says_how_it_goes_on(plain_bed, client):
    job_id = submit(client)
    plain_bed.operator.status(plain_bed.operator.waits_for(job_id), "SUSPENDED")
    assert f"kubectl patch sparkapplication spark-job-{job_id} -n spark-jobs" in wait_for_log(
        client, job_id, "is suspended", "stderr")
    assert client.status(job_id) == "RUNNING"
    client.post(f"/job/{job_id}/cancel")
    client.wait_for(job_id, {"CANCELED"}, SECONDS)


SUBMISSION = """failed to submit spark application: failed to run spark-submit: failed to run spark-submit: \
26/03/03 10:00:00 WARN NativeCodeLoader: Unable to load native-hadoop library for your platform
Exception in thread "main" io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST at: \
https://10.0.0.1/api/v1/namespaces/spark-jobs/pods. Message: pods "x-driver" is forbidden: WHY. Received status: \
Status(apiVersion=v1, code=403).
\tat io.fabric8.kubernetes.client.KubernetesClientException.copyAsCause(KubernetesClientException.java:238)
"""


@pytest.mark.parametrize("why, says", [
    ("error looking up service account spark-jobs/none: serviceaccount \"none\" not found",
     "spark-submit failed: pods \"x-driver\" is forbidden: error looking up service account spark-jobs/none: "
     "serviceaccount \"none\" not found"),
    ("exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2",
     "the namespace's quota has no room for the driver (pods \"x-driver\" is forbidden: exceeded quota: small, "
     "requested: pods=1, used: pods=2, limited: pods=2): wait until other jobs have ended, ask for less, or have the "
     "quota raised")])
def test_a_failed_submission_says_what_the_server_said(plain_bed, client, why, says):
    job_id = submit(client)
    plain_bed.operator.status(plain_bed.operator.waits_for(job_id), "FAILED", SUBMISSION.replace("WHY", why))
    assert client.wait_for(job_id, {"FAILED"}, SECONDS)["error"] == says


def test_a_quota_of_applications_that_is_used_up(plain_bed, client):
    quota = f"/api/v1/namespaces/{plain_bed.kube.namespace}/resourcequotas"
    plain_bed.kube.call("POST", quota, {"kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {
        "hard": {"count/sparkapplications.sparkoperator.k8s.io": "0"}}})
    try:
        wait_until(lambda: plain_bed.kube.get(f"{quota}/none").get("status", {}).get("used"), "the quota", SECONDS)
        job = client.wait_for(submit(client), {"KILLED"}, SECONDS)
    finally:
        plain_bed.kube.delete(f"{quota}/none")
    assert job["status_reason"] == "start_failed"
    assert "the quota of the namespace spark-jobs is used up" in job["error"] and "exceeded quota" in job["error"]


def test_what_the_api_server_refuses_fails_the_job_with_its_words(plain_bed):
    with spark_server(plain_bed, context={"spec": {"type": "Fortran"}}) as server:
        job = server.client().wait_for(submit(server.client()), {"FAILED"}, SECONDS)
    assert "the API server refuses it" in job["error"] and "Fortran" in job["error"]
    with spark_server(plain_bed, cluster_context={"kubernetes": {
            "kubeconfig": plain_bed.kubeconfig, "namespace": "nowhere"}}) as server:
        job = server.client().wait_for(submit(server.client()), {"FAILED"}, SECONDS)
    assert "the namespace nowhere is not there" in job["error"]


def test_a_job_may_not_choose_what_runs_as_whom(plain_bed, client):
    for context, says in (
            ({"parameters": {"properties": {"spark.kubernetes.authenticate.driver.serviceAccountName": "root"}}},
             "job_properties"),
            ({"image": "evil"}, "image"), ({"spec": {"driver": {}}}, "spec"),
            ({"kubernetes": {"namespace": "kube-system"}}, "kubernetes"), ({"arguments": "no list"}, "arguments")):
        answer = client.post("/job", {"name": "x", "version": "1", "command_criteria": ["type:pi"],
                                      "cluster_criteria": ["type:spark"], "context": context})
        assert answer.status == 400 and says in answer.text, (context, answer)


def test_the_log_is_whole_over_broken_connections_and_restarts(plain_bed):
    lines = 400
    with spark_server(plain_bed) as server:
        client = server.client("alice")
        job_id = submit(client)
        application = plain_bed.operator.waits_for(job_id)
        plain_bed.operator.driver(application, run_seconds=20, log_lines=lines)
        plain_bed.operator.status(application, "RUNNING")

        def grown(size):
            wait_until(lambda: len(stdout(client, job_id)) > size, "the log to grow", SECONDS)
            return len(stdout(client, job_id))

        size = grown(0)
        plain_bed.part("kube-apiserver", "kill")
        plain_bed.part("kube-apiserver", "start")
        size = grown(size)
        server.kill()
        server.start()
        size = grown(size)
        wait_until(lambda: plain_bed.operator.pod_phase(f"spark-job-{job_id}-driver") == "Succeeded", "the end", SECONDS)
        whole = plain_bed.kube_text(plain_bed.kube.pod_path(f"spark-job-{job_id}-driver") + "/log")
        plain_bed.operator.status(application, "COMPLETED")
        client.succeeded(job_id, SECONDS)
        assert len(whole.splitlines()) >= lines
        assert stdout(client, job_id) == whole


def test_a_restart_adopts_what_runs_and_cancel_waits_for_the_api_server(plain_bed, tmp_path):
    with spark_server(plain_bed) as server:
        client = server.client("alice")
        ended, application = running(plain_bed.operator, client)
        canceled, _ = running(plain_bed.operator, client)
        server.kill()
        plain_bed.operator.status(application, "COMPLETED")
        server.start()
        client.succeeded(ended, SECONDS)
        plain_bed.part("kube-apiserver", "stop")
        assert client.post(f"/job/{canceled}/cancel").json["status"] == "CANCELING"
        plain_bed.part("kube-apiserver", "start")
        client.wait_for(canceled, {"CANCELED"}, SECONDS)
        assert is_gone(plain_bed, canceled)
        assert client.job(ended)["attempt"] == 1


def test_another_attempt_is_another_application_and_another_record(plain_bed):
    with spark_server(plain_bed, max_attempts=2) as server:
        client = server.client("alice")
        job_id = submit(client)
        first = plain_bed.operator.waits_for(job_id)
        plain_bed.operator.status(first, "FAILED", "driver pod not found")
        second = plain_bed.operator.waits_for(job_id, 2)
        assert second["metadata"]["labels"]["caraml.dev/record-id"] == f"{job_id}-2"
        plain_bed.operator.status(second, "COMPLETED")
        client.succeeded(job_id, SECONDS)
        ids = wait_until(lambda: len(client.job(job_id).get("record_ids", [])) == 2 and client.job(job_id)["record_ids"],
                         "both records", SECONDS)
        assert ids == [f"{job_id}-1", f"{job_id}-2"]
        records = [client.get(f"/record/{one}").json for one in ids]
        assert [r["status"] for r in records] == ["ERROR", "DONE"]
        assert {r["gateway_job_id"] for r in records} == {job_id}


def test_a_result_is_read_from_the_log(plain_bed, client):
    job_id = submit(client, return_result=True, query="select 1")
    application = plain_bed.operator.waits_for(job_id)
    secret = wait_until(lambda: plain_bed.kube.get(f"/api/v1/namespaces/spark-jobs/secrets/spark-job-{job_id}"),
                        "the query's secret", SECONDS)
    assert secret["metadata"]["ownerReferences"][0]["uid"] == application["metadata"]["uid"]
    assert application["spec"]["sparkConf"][f"spark.kubernetes.driver.secrets.spark-job-{job_id}"] == "/etc/waybill-query"
    rows = ["noise", "waybill-result: " + json.dumps({"columns": [{"name": "n", "type": "int"}]}),
            "waybill-result: [1]", "more noise", "waybill-result: [null]"]
    plain_bed.operator.driver(application, run_seconds=1, log="\n".join(rows))
    wait_until(lambda: plain_bed.operator.pod_phase(f"spark-job-{job_id}-driver") == "Succeeded", "the end", SECONDS)
    plain_bed.operator.status(application, "COMPLETED")
    client.succeeded(job_id, SECONDS)
    assert client.get(f"/job/{job_id}/result").json == {"columns": [{"name": "n", "type": "int"}], "data": [[1], [None]]}


def test_two_hundred_jobs_at_once(plain_bed):
    """One watch for all, no thread for any, and each job one application."""
    jobs = 200
    with spark_server(plain_bed) as server:
        client, seen = server.client("alice"), threading.Event()
        threads = lambda: len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()))
        warm, application = running(plain_bed.operator, client)
        before = threads()
        completer = Completer(plain_bed.kube, jobs + 1, seen)
        completer.start()
        ids = [submit(client) for _ in range(jobs)]

        def states():
            assert completer.problem is None
            return collections.Counter(client.status(one) for one in ids)

        wait_until(lambda: states() == {"RUNNING": jobs}, "all to run", SECONDS, every=1)
        assert len([a for a in plain_bed.kube.applications() if a["metadata"]["name"] != f"spark-job-{warm}"]) == jobs
        assert threads() <= before + 2, "threads grew with jobs"
        seen.set()
        wait_until(lambda: states() == {"SUCCEEDED": jobs}, "all to end", SECONDS, every=1)
        completer.join(timeout=60)
        assert all(client.job(one)["attempt"] == 1 for one in ids[::20])
        wait_until(lambda: not [a for a in plain_bed.kube.applications()], "all to be removed", SECONDS, every=1)
