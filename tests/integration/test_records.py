"""The run history over REST and the command line, on both databases."""
import csv
import datetime as dt
import io
import json
import os
import subprocess
import uuid

import pytest
import yaml

from waybill_testing import BINARY
from waybill_testing.history import START, History

HOUR = dt.timedelta(hours=1)


@pytest.fixture
def history(shared_server, request):
    on_postgres = shared_server.database.startswith("postgres")
    return History(shared_server, request.getfixturevalue("postgres") if on_postgres else None)


@pytest.fixture
def project():
    return "p" + uuid.uuid4().hex[:8]


@pytest.fixture
def cli(shared_server, tmp_path):
    def run(*arguments, code=0):
        done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=120, cwd=tmp_path,
                              env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8",
                                   "WAYBILL_URL": f"http://127.0.0.1:{shared_server.port}", "WAYBILL_USER": "alice"})
        assert done.returncode == code, f"{arguments} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done
    return run


def ids(client, **query):
    return [row["id"] for row in client.pages("/records", query)]


def test_a_run_is_listed_and_got(alice, history, project):
    found = history.add(project=project, start_time=START, end_time=START + HOUR, window_from=START - 24 * HOUR,
                        window_to=START, error="", attempts=2, manifest={"kind": "SparkApplication"},
                        attributes={"Logs": {"kind": "link", "value": "https://logs.example.com"}})
    row, = alice.pages("/records", {"project": project})
    assert row["id"] == found and row["status"] == "DONE" and row["reason"] == "Succeeded"
    assert row["job_start_time"] == "2026-07-01T08:00:00.000Z" and row["duration_ms"] == 3_600_000
    assert row["start_time_param"] == "2026-06-30T08:00:00.000Z" and row["attempts"] == 2
    assert row["attributes"] == {"Logs": {"kind": "link", "value": "https://logs.example.com"}}
    answer = alice.get(f"/record/{found}")
    assert answer.json == row
    assert alice.get(f"/record/{found}", headers={"If-None-Match": answer.headers["ETag"]}).status == 304
    assert alice.get("/record/none").status == 404


def test_manifests_as_yaml_and_json(alice, history, project):
    manifest = {"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication",
                "spec": {"arguments": ["--start", "2026-07-01", "yes", "a: b"], "sparkVersion": "3.5", "n": 1}}
    found = history.add(project=project, manifest=manifest)
    answer = alice.get(f"/record/{found}/manifest")
    assert yaml.safe_load(answer.text) == manifest and answer.headers["Content-Type"] == "application/yaml"
    assert alice.get(f"/record/{found}/manifest", query={"format": "json"}).json == manifest
    assert alice.get(f"/record/{found}/manifest", headers={"Accept": "application/json"}).json == manifest
    assert alice.get(f"/record/{history.add(project=project)}/manifest").status == 404
    assert alice.get(f"/record/{found}/manifest", query={"format": "toml"}).status == 400


def test_each_filter(alice, history, project):
    first = history.add(project=project, table_name="a", start_time=START, window_from=START - 24 * HOUR, window_to=START,
                        name=f"job-{project}", spark_application_id=f"spark-{project}", cluster=f"c-{project}",
                        namespace=f"n-{project}")
    second = history.add(project=project, table_name="b", start_time=START + HOUR, status=4, reason="Failed", type=4,
                         type_word="RETRIEVAL_JOB")
    for query in ({"table": "a"}, {"status": "DONE"}, {"reason": "Succeeded"}, {"type": "BATCH_INGESTION_JOB"},
                  {"cluster": f"c-{project}"}, {"namespace": f"n-{project}"}, {"job_id": f"job-{project}"},
                  {"spark_application_id": f"spark-{project}"}, {"to": "2026-07-01T08:00:00Z"},
                  {"window_from": "2026-06-30", "window_to": "2026-07-01"}):
        assert ids(alice, project=project, **query) == [first], query
    for query in ({"table": "b"}, {"status": "ERROR,RUNNING"}, {"reason": "Failed,Lost"}, {"type": "RETRIEVAL_JOB"},
                  {"from": "2026-07-01T09:00:00Z"}):
        assert ids(alice, project=project, **query) == [second], query
    assert ids(alice, project=project) == [second, first]
    assert ids(alice, project=project, direction="asc") == [first, second]
    assert alice.get("/records", query={"status": "GREEN"}).status == 400
    assert alice.get("/records", query={"cursor": "nonsense"}).status == 400


def test_pages(alice, history, project):
    sent = [history.add(project=project, start_time=START + n * HOUR) for n in range(7)]
    assert ids(alice, project=project, limit=3) == sent[::-1]
    assert "next_cursor" not in alice.get("/records", query={"project": project, "limit": 7}).json


def test_csv_for_spreadsheets(alice, history, project):
    history.add(project=project, start_time=START, error='=cmd|"calc"', table_name="a,b")
    answer = alice.get("/records", query={"project": project}, headers={"Accept": "text/csv"})
    assert answer.status == 200 and "attachment" in answer.headers["Content-Disposition"]
    row, = csv.DictReader(io.StringIO(answer.body.decode(), newline=""))
    assert row["error"] == "'=cmd|\"calc\"" and row["table"] == "a,b" and row["status"] == "DONE"


def test_csv_holds_more_than_a_page(alice, history, project):
    for n in range(520):
        history.add(project=project, start_time=START + n * dt.timedelta(seconds=1))
    answer = alice.get("/records", query={"project": project}, headers={"Accept": "text/csv"})
    assert answer.body.count(b"\r\n") == 521


def test_stats(alice, history, project):
    history.add(project=project, start_time=START, end_time=START + HOUR)
    history.add(project=project, start_time=START, status=4, reason="Failed", end_time=START + HOUR)
    history.add(project=project, start_time=START, status=4, reason="Lost", end_time=START + HOUR, has_outcome=0)
    answer = alice.get("/stats/records", query={"project": project, "from": "2026-07-01", "to": "2026-07-02"})
    assert answer.status == 200, answer
    assert answer.json["counts"] == {"DONE": 1, "ERROR": 1} and answer.json["unknown"] == 1
    assert answer.json["success_rate"] == 0.5


def test_the_command_line(cli, history, project, alice):
    found = history.add(project=project, start_time=START, end_time=START + HOUR, manifest={"kind": "SparkApplication"})
    open_run = history.add(project=project, table_name="other", start_time=START + HOUR, status=2, reason="Running")
    table = cli("records", "--project", project).stdout
    assert table.splitlines()[0].split()[:5] == ["ID", "PROJECT", "TABLE", "TYPE", "STATUS"]
    assert found in table and "1h" in table and "DONE" in table and "RUNNING" in table
    assert cli("list", "records", "--project", project, "--status", "RUNNING", "-o", "name").stdout == open_run + "\n"
    assert cli("records", "--project", project, "--window-from", "2026-07-01", "-o", "name").stdout == ""
    listed = json.loads(cli("records", "--project", project, "--table", "driver", "-o", "json").stdout)
    assert [row["id"] for row in listed["data"]] == [found]
    assert json.loads(cli("get", "record", found, "-o", "json").stdout) == alice.get(f"/record/{found}").json
    assert found in cli("get", "record", found).stdout
    assert cli("get", "record", found, "--manifest").stdout == "kind: SparkApplication\n"
    assert "DONE" in cli("stats", "records", "--project", project, "--from", "2026-07-01", "--to", "2026-07-02").stdout
    cli("get", "record", "none", code=5)
    refused = cli("records", "--status", "GREEN", code=1)
    assert refused.stderr.startswith("error: status: \"GREEN\"")


def test_a_scoped_reader_sees_no_history_of_others(new_server, database, request):
    server = new_server(database=database(), config={"auth": {"read_scoped": True}}).start()
    on_postgres = server.database.startswith("postgres")
    found = History(server, request.getfixturevalue("postgres") if on_postgres else None).add()
    assert server.client("alice").get("/records").status == 403
    assert server.client("alice").get(f"/record/{found}").status == 404
    assert server.client(None).get("/records").status == 401
    assert server.client("admin").get("/records").json["data"][0]["id"] == found
