"""Recording runs by hand, with an API server that a test plays."""
import http.server
import json
import pathlib
import subprocess
import threading
import urllib.parse

import pytest
import yaml

from waybill_testing import BINARY
from waybill_testing.server import Server
from waybill_testing.waiting import wait_until

SEQUENCES = pathlib.Path(__file__).resolve().parents[1] / "testdata/spark/events"
CLUSTER = {"name": "spark", "tags": ["type:spark"], "context": {"history_url": "https://history.example.com"},
           "attributes": {"Spark History": {"kind": "link",
                                            "value": "{{ .Cluster.history_url }}/history/{{ .Outputs.spark_application_id }}/"
                                                     "{{ .Job.Context.namespace }}"}}}


def application(uid, version, state, **labels):
    return {"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication",
            "metadata": {"uid": uid, "namespace": "jobs", "name": f"app-{uid}", "resourceVersion": str(version),
                         "creationTimestamp": "2026-07-01T08:00:00Z",
                         "labels": {"caraml.dev/record-id": f"r-{uid}", **labels}},
            "spec": {"mainClass": "Main", "driver": {"env": [{"name": "PASS", "value": "hunter2"}]}},
            "status": {"applicationState": {"state": state}, "submissionID": f"s-{uid}",
                       "lastSubmissionAttemptTime": "2026-07-01T08:00:05Z", "terminationTime": None,
                       "sparkApplicationId": f"spark-{uid}", "executionAttempts": 1}}


class ApiServer:
    """Lists what is in `objects` and sends each of `events` once to a watch, which then stays open."""

    def __init__(self):
        self.objects, self.events, self.version = {}, [], 10
        self.changed, self.over = threading.Condition(), False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):  # noqa: N802
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                if "sendInitialEvents" in query:
                    self.answer(400, {"kind": "Status", "code": 400, "reason": "BadRequest", "message": "not here"})
                elif query.get("watch") in ("1", "true"):
                    self.watch()
                elif url.path.endswith("/sparkapplications"):
                    self.answer(200, {"kind": "SparkApplicationList", "metadata": {"resourceVersion": str(outer.version)},
                                      "items": list(outer.objects.values())})
                elif "/sparkapplications/" in url.path:
                    found = outer.objects.get(url.path.rsplit("/", 1)[1])
                    self.answer(200 if found else 404, found or {"kind": "Status", "code": 404, "reason": "NotFound"})
                else:
                    self.answer(200, {"kind": "APIResourceList", "resources": [{"name": "sparkapplications"}]})

            def watch(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while not outer.over:
                    with outer.changed:
                        outer.changed.wait_for(lambda: outer.events or outer.over, timeout=60)
                        lines = "".join(json.dumps(event) + "\n" for event in outer.events).encode()
                        outer.events = []
                    if lines:
                        self.wfile.write(f"{len(lines):x}\r\n".encode() + lines + b"\r\n")
                        self.wfile.flush()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def send(self, kind, what):
        with self.changed:
            self.events.append({"type": kind, "object": what})
            self.changed.notify_all()

    def close(self):
        with self.changed:
            self.over = True
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()

    def kubeconfig(self, folder):
        file = folder / "kubeconfig"
        file.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": f"http://127.0.0.1:{self.server.server_port}"}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "users": [{"name": "test", "user": {}}]}))
        return str(file)


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
