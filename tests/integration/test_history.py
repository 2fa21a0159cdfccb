"""Recording runs by hand, with an API server that a test plays."""
import json
import os
import pathlib
import subprocess

import pytest

from waybill_testing import BINARY
from waybill_testing.event_stream import Stream
from waybill_testing.kube_api import ApiServer, application
from waybill_testing.server import Server
from waybill_testing.waiting import wait_until

SEQUENCES = pathlib.Path(__file__).resolve().parents[1] / "testdata/spark/events"
CLUSTER = {"name": "spark", "tags": ["type:spark"], "context": {"history_url": "https://history.example.com"},
           "attributes": {"Spark History": {"kind": "link",
                                            "value": "{{ .Cluster.history_url }}/history/{{ .Outputs.spark_application_id }}/"
                                                     "{{ .Job.Context.namespace }}"}}}


@pytest.fixture
def api():
    server = ApiServer()
    yield server
    server.close()


def config_of(api, folder):
    return {"clusters": [CLUSTER], "history": [{"cluster": "spark", "label_selector": "caraml.dev/record-id",
                                                "kubernetes": {"kubeconfig": api.kubeconfig(folder)}}]}


def record(server, record_id):
    answer = server.client("alice").get(f"/record/{record_id}")
    return answer.json if answer.status == 200 else {}


def test_a_server_records_what_its_watch_brings(api, tmp_path, database):
    api.objects["app-u1"] = application("u1", 3, "RUNNING")
    api.objects["app-u2"] = application("u2", 4, "COMPLETED")
    with Server(database=database(), config=config_of(api, tmp_path)) as server:
        wait_until(lambda: record(server, "r-u1").get("status") == "RUNNING", "the list to be recorded")
        assert record(server, "r-u2")["status"] == "DONE"
        api.send("MODIFIED", application("u1", 12, "COMPLETED"))
        wait_until(lambda: record(server, "r-u1").get("status") == "DONE", "the event to be recorded")
        assert "https://history.example.com/history/spark-u1/jobs" in json.dumps(record(server, "r-u1"))


def test_backfill_records_what_is_there_once(api, tmp_path, database):
    api.objects["app-u1"] = application("u1", 3, "RUNNING")
    with Server(database=database(), config=config_of(api, tmp_path)) as server:
        server.stop()
        done = subprocess.run([BINARY, "history", "backfill", "--config", server.config_file], capture_output=True,
                              text=True, timeout=120, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "hunter2" not in done.stderr


def test_two_entries_that_reach_one_api_server_are_refused(api, tmp_path):
    config = config_of(api, tmp_path)
    config["clusters"].append({"name": "again", "tags": ["type:spark"]})
    config["history"].append({**config["history"][0], "cluster": "again"})
    with Server(config=config_of(api, tmp_path)) as server:
        server.stop()
        server.write_config(config)
        done = subprocess.run([BINARY, "history", "backfill", "--config", server.config_file], capture_output=True,
                              text=True, timeout=120, cwd=tmp_path)
        served = subprocess.run([BINARY, "serve", "--config", server.config_file], capture_output=True, text=True,
                                timeout=120, cwd=tmp_path)
    assert served.returncode != 0
    assert "reach the same API server" in served.stdout + served.stderr
    assert done.returncode == 1
    assert "reach the same API server" in done.stderr and "spark" in done.stderr and "again" in done.stderr


def test_a_replay_into_a_database_prints_what_the_rules_say(tmp_path, database):
    for name in ("01-plain-success", "09-update-completed-new-record", "36-error-410-then-relist"):
        wanted = json.loads((SEQUENCES / f"{name}.expected.json").read_text())
        times = tmp_path / "times.json"
        times.write_text(json.dumps(wanted["received_at"]))
        arguments = [BINARY, "history", "replay", SEQUENCES / f"{name}.json", "--received-at", times]
        in_memory = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
        url = database() or f"sqlite:{tmp_path}/{name}.db"
        stored = subprocess.run([*arguments, "--database", url], capture_output=True, text=True, timeout=120)
        assert stored.returncode == 0, stored.stderr
        assert json.loads(stored.stdout) == json.loads(in_memory.stdout)


def test_record_changes_are_told_as_they_happen(api, tmp_path, database):
    with Server(database=database(), config=config_of(api, tmp_path)) as server:
        stream = Stream(server.port, query="?type=record")
        api.send("ADDED", application("u1", 11, "RUNNING"))
        wait_until(lambda: stream.states("r-u1") == ["RUNNING"], "the new record to be told")
        api.send("MODIFIED", application("u1", 12, "COMPLETED"))
        wait_until(lambda: stream.states("r-u1") == ["RUNNING", "DONE"], "its end to be told")
        told = json.loads(stream.of("r-u1")[1]["data"])
        assert (told["from"], told["reason"], told["cluster"]) == ("RUNNING", "Succeeded", "spark")
        stream.close()


def test_the_command_line_stays_and_prints_what_changes(api, tmp_path):
    api.objects["app-u1"] = application("u1", 3, "RUNNING")
    with Server(config=config_of(api, tmp_path)) as server:
        wait_until(lambda: record(server, "r-u1"), "the list to be recorded")
        output = tmp_path / "output"
        with open(output, "wb") as file:
            watching = subprocess.Popen([BINARY, "records", "-w"], stdout=file, cwd=tmp_path, env={
                "PATH": os.environ["PATH"], "HOME": str(tmp_path), "WAYBILL_USER": "alice",
                "WAYBILL_URL": f"http://127.0.0.1:{server.port}"})
        try:
            wait_until(lambda: "RUNNING" in output.read_text(), "the list to be printed")
            api.send("MODIFIED", application("u1", 12, "COMPLETED"))
            wait_until(lambda: "DONE" in output.read_text(), "the change to be printed")
        finally:
            watching.terminate()
            watching.wait(timeout=60)


def test_a_job_knows_the_records_of_the_runs_that_it_started(api, tmp_path, database):
    """A label alone proves nothing: the handle of the job must name the object. That of a shell job names the job."""
    config = config_of(api, tmp_path)
    config["clusters"].append({"name": "local", "version": "1", "tags": ["type:local"]})
    with Server(database=database(), config=config) as server:
        client = server.client("alice")
        job, other = (client.submit("type:shell", context={"arguments": ["true"]})["id"] for _ in range(2))
        for one in (job, other):
            client.wait_for(one)
        api.send("ADDED", application(job, 11, "RUNNING", **{"waybill.dev/job-id": job}))
        api.send("ADDED", application("u2", 12, "RUNNING", **{"waybill.dev/job-id": other}))
        wait_until(lambda: record(server, "r-u2"), "both runs to be recorded")
        assert client.get(f"/job/{job}").json["record_ids"] == [f"r-{job}"]
        assert "record_ids" not in client.get(f"/job/{other}").json
        assert record(server, f"r-{job}")["gateway_job_id"] == job


def test_metrics_tell_how_the_watch_is_doing(api, tmp_path):
    api.objects["app-u1"] = application("u1", 3, "RUNNING")
    with Server(config=config_of(api, tmp_path)) as server:
        wait_until(lambda: record(server, "r-u1"), "the list to be recorded")
        api.send("MODIFIED", application("u1", "x12", "RUNNING"))  # no version that can be compared
        api.send("MODIFIED", application("u1", 13, "COMPLETED"))
        wait_until(lambda: record(server, "r-u1")["status"] == "DONE", "the event to be recorded")

        def metric(name):
            lines = server.client().get("//metrics").body.decode().splitlines()
            return [float(line.split()[-1]) for line in lines if line.startswith(f"waybill_watch_{name}{{")
                    and 'cluster="spark"' in line]

        assert metric("leads") == [1] and metric("synced") == [1] and metric("dead_letters_total") == [1]
        assert metric("heard_age_seconds")[0] < 3600 and metric("events_total")[0] >= 2
        done = subprocess.run([BINARY, "history", "dead-letters", "--config", server.config_file, "-o", "json"],
                              capture_output=True, text=True, timeout=120, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        letter, = json.loads(done.stdout)
        assert (letter["cluster"], letter["name"], letter["resource_version"]) == ("spark", "app-u1", "x12")
        assert "x12" in letter["reason"] and letter["times"] == 1


def test_dead_letters_of_a_database_that_is_not_there(tmp_path):
    done = subprocess.run([BINARY, "history", "dead-letters", "--database", f"sqlite:{tmp_path}/none.db"],
                          capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("error: ") and "none.db" in done.stderr
    assert not (tmp_path / "none.db").exists()


def test_an_object_that_outlives_its_record_never_makes_it_anew(api, tmp_path):
    ended = application("u1", 3, "COMPLETED")
    ended["status"]["terminationTime"] = "2026-07-01T09:00:00Z"
    api.objects = {"app-u1": ended, "app-u2": application("u2", 4, "RUNNING")}
    with Server(config={**config_of(api, tmp_path), "janitor": {"record_retention_days": 1}}) as server:
        wait_until(lambda: record(server, "r-u1"), "the list to be recorded")
        # The janitor looks once a minute.
        wait_until(lambda: not record(server, "r-u1"), "the record to be removed", seconds=300)
        assert record(server, "r-u2")["status"] == "RUNNING", "an open run is never removed"
        relabelled = application("u1", 13, "COMPLETED", team="other")
        relabelled["status"]["terminationTime"] = "2026-07-01T09:00:00Z"
        api.send("MODIFIED", relabelled)
        api.send("MODIFIED", application("u2", 14, "COMPLETED"))
        wait_until(lambda: record(server, "r-u2")["status"] == "DONE", "both events to be recorded")
        assert not record(server, "r-u1")
        watches = api.watches
        server.restart()
        wait_until(lambda: api.watches > watches, "the watch to go on")
        relabelled["metadata"] |= {"resourceVersion": "15", "labels": {**relabelled["metadata"]["labels"], "team": "third"}}
        api.send("MODIFIED", relabelled)
        api.send("ADDED", application("u3", 16, "RUNNING"))
        wait_until(lambda: record(server, "r-u3"), "both events to be recorded")
        assert not record(server, "r-u1")
