"""Commands and clusters: read, put, switched, reloaded, overridden, over restarts."""
import contextlib
import copy
import json
import signal
import sqlite3
import subprocess

import pytest

from waybill_testing.client import job
from waybill_testing.postgres import BIN
from waybill_testing.server import BASE_CONFIG, command
from waybill_testing.waiting import wait_until

NEW_COMMAND = {"name": "extra", "version": "3", "plugin": "ping", "is_sync": True, "tags": ["type:extra"],
               "cluster_tags": ["type:local"], "status": "ACTIVE", "description": "was put"}


@pytest.fixture
def server(new_server, database):
    return new_server(database=database()).start()


@pytest.fixture
def writer(server, openapi):
    return server.client("writer", openapi.judge)


def test_a_command_of_the_config_is_read(alice):
    seen = alice.get("/command/shell").json
    assert seen["id"] == seen["name"] == "shell" and seen["plugin"] == "shell" and seen["status"] == "ACTIVE"
    assert seen["tags"] == ["_id:shell", "_name:shell", "_version:1", "type:shell"]
    assert seen["context"] == {"command": ["/bin/sh", "-c"]}


def test_a_put_counts_at_once_and_survives_a_restart(server, writer):
    put = writer.put("/command/extra-id", NEW_COMMAND)
    assert put.status == 200 and put.json["id"] == "extra-id" and put.json["user"] == "writer"
    assert writer.submit("type:extra")["result"]["data"] == [["Hello, writer!"]]
    server.restart()
    assert writer.get("/command/extra-id").json["description"] == "was put"
    assert writer.submit("type:extra")["command_id"] == "extra-id"


def test_a_put_cluster_is_routed_to(writer):
    assert writer.put("/cluster/annex", {"name": "annex", "version": "1", "tags": ["type:local", "where:annex"],
                                         "status": "ACTIVE"}).status == 200
    assert writer.submit("type:ping-sync", cluster="where:annex")["cluster_id"] == "annex"


@pytest.mark.parametrize("kind, name", [("command", "ping"), ("cluster", "local")])
def test_a_status_counts_at_once_and_survives_a_restart(server, writer, kind, name):
    assert writer.put(f"/{kind}/{name}/status", {"status": "INACTIVE"}).status == 200
    assert writer.post("/job", job("type:ping")).status == 422
    server.restart()
    assert writer.get(f"/{kind}/{name}/status").json["status"] == "INACTIVE"
    assert writer.post("/job", job("type:ping")).status == 422
    assert writer.put(f"/{kind}/{name}/status", {"status": "ACTIVE"}).status == 200
    assert writer.post("/job", job("type:ping")).status == 200


@pytest.mark.parametrize("kind, name, change", [
    ("command", "ping", {**NEW_COMMAND, "name": "ping"}),
    ("cluster", "local", {"name": "local", "version": "2", "status": "ACTIVE", "tags": ["type:local", "new:yes"],
                          "description": "was put"})])
def test_an_override_is_taken_back(server, writer, kind, name, change):
    before = writer.get(f"/{kind}/{name}").json
    assert writer.put(f"/{kind}/{name}", change).status == 200
    assert writer.get(f"/{kind}/{name}").json["description"] == "was put"
    admin = writer.as_user("admin")
    assert admin.delete(f"/{kind}/{name}/override").status in (200, 204)
    after = writer.get(f"/{kind}/{name}").json
    assert after["tags"] == before["tags"] and after.get("description") is None
    assert admin.delete(f"/{kind}/{name}/override").status == 404


def test_only_writers_put_and_only_admins_take_back(alice):
    assert alice.put("/command/mine", NEW_COMMAND).status == 403
    assert alice.put("/command/ping/status", {"status": "INACTIVE"}).status == 403
    assert alice.delete("/command/ping/override").status == 403
    assert alice.get("/command/mine").status == 404


@pytest.mark.parametrize("change, says", [
    ({"plugin": "nonsense"}, "nonsense"), ({"allowed_callers": ["("]}, "("), ({"status": "HALF"}, "HALF"),
    ({"tags": "x"}, "tags"), ({"tags": ["x" * 300]}, "tag"), ({"allowed_callers": ["a", " "]}, "allowed_callers"),
    ({"version": "1\n2"}, "version"), ({"timeout_seconds": 1e9}, "timeout_seconds: 1000000000"),
    ({"attributes": {"A": {"value": 7}}}, "attributes.A.value: 7"),
    ({"attributes": {"A": {"kind": "link", "value": "http{{ if true }}s{{ end }}://x"}}}, "it must begin with http:// or https://")])
def test_a_command_that_can_be_none_is_400_and_not_stored(writer, change, says):
    answer = writer.put("/command/bad", {**NEW_COMMAND, **change})
    assert answer.status == 400 and says in answer.json["error"], answer
    assert writer.get("/command/bad").status == 404


@pytest.mark.parametrize("value, says", [("{{ .Nope }}", "Nope"), ("{{ if }}", "if"), ("{{ frobnicate 1 }}", "frobnicate")])
def test_a_cluster_whose_attribute_cannot_be_parsed_is_400(writer, value, says):
    answer = writer.put("/cluster/bad", {"name": "bad", "version": "1", "attributes": {"X": {"kind": "text", "value": value}}})
    assert answer.status == 400 and says in answer.json["error"] and "X" in answer.json["error"], answer


def changed_config(change):
    config = copy.deepcopy(BASE_CONFIG)
    change(config)
    return config


@pytest.mark.parametrize("how", ["SIGHUP", "admin/reload"])
def test_a_reload_changes_the_catalog_and_loses_no_running_job(server, writer, how):
    running = writer.shell("echo before; while [ ! -e go ]; do sleep 0.05; done; echo after")["id"]
    writer.wait_for(running, {"RUNNING"})
    server.write_config(changed_config(lambda c: c["commands"].append(command("later", "ping", is_sync=True))))
    if how == "SIGHUP":
        server.signal(signal.SIGHUP)
    else:
        assert writer.post("/admin/reload").status == 403
        assert writer.as_user("admin").post("/admin/reload").status == 200
    wait_until(lambda: writer.get("/command/later").status == 200, "the new command")
    assert writer.submit("type:later")["status"] == "SUCCEEDED"
    (server.folder / "jobs" / running / "go").touch() if (server.folder / "jobs" / running).is_dir() else None
    assert writer.status(running) in ("RUNNING", "SUCCEEDED")
    if writer.status(running) == "RUNNING":
        writer.post(f"/job/{running}/cancel")
    assert writer.wait_for(running)["status"] in ("SUCCEEDED", "CANCELED")
    assert writer.get(f"/job/{running}/stdout").text.startswith("before\n")


def test_a_wrong_config_is_refused_with_every_mistake_and_the_old_one_stays(server, writer):
    good = server.config_file.read_text()
    server.config_file.write_text(good.replace("plugin: ping", "plugin: pong", 1) + "\ncolour: blue\n")
    answer = writer.as_user("admin").post("/admin/reload")
    assert answer.status in (400, 422), answer
    assert "pong" in answer.text and "colour" in answer.text and str(server.folder) not in answer.json["error"]
    assert writer.submit("type:ping-sync")["status"] == "SUCCEEDED"


def test_a_context_that_a_plugin_cant_take_is_refused_as_config_check_does(server, writer):
    wrong = {"command": ["/bin/sh", "-c"], "env": {"A": ["no", "text"]}}
    text = 'context.env: the value of A is neither a string (without U+0000) nor a number nor true or false'
    answer = writer.put("/command/wrong", {**NEW_COMMAND, "plugin": "shell", "context": wrong})
    assert (answer.status, answer.json["error"]) == (400, text)
    answer = writer.put("/cluster/local", {"name": "local", "version": "1", "tags": ["type:local"], "status": "ACTIVE", "context": wrong})
    assert (answer.status, answer.json["error"]) == (400, text)
    answer = writer.put("/command/wrong", {**NEW_COMMAND, "context": {"sleep_ms": -1}})
    assert (answer.status, answer.json["error"]) == (400, "context.sleep_ms: -1 is not a whole number from 0 to 86400000")
    server.write_config(changed_config(lambda c: c["commands"][2].update(context=wrong)))
    answer = writer.as_user("admin").post("/admin/reload")
    assert answer.status == 400 and f"commands[2].{text}" in answer.json["error"]


def test_a_reload_changes_the_limits_of_runs_and_names_what_needs_a_restart(server, writer):
    def run(name):
        result = {"columns": [{"name": "n", "type": "int"}], "data": [[1], [2], [3]]}
        return writer.succeeded(writer.shell(f"seq 1 5000; echo '{json.dumps(result)}' > result.json", name=name)["id"])["id"]

    before = run("before")
    assert len(writer.get(f"/job/{before}/result").json["data"]) == 3
    def change(config):
        config["limits"] = {"log_bytes": 4096, "result_rows": 2}
        config["database"] = {"pool_size": 3}
        config["log"] = {"level": "debug"}
    server.write_config(changed_config(change))
    assert writer.as_user("admin").post("/admin/reload").status == 200
    after = run("after")
    result = writer.get(f"/job/{after}/result").json
    assert result["data"] == [[1], [2]] and result["truncated"]
    assert len(writer.get(f"/job/{before}/stdout").text) > 20000 > 6000 > len(writer.get(f"/job/{after}/stdout").text)
    warned = [line for line in server.log().splitlines() if "only after a restart" in line]
    assert len(warned) == 1 and "database.pool_size" in warned[0] and "log.level" in warned[0] and "limits" not in warned[0]


def test_an_entry_whose_config_text_changes_loses_its_override(server, writer):
    assert writer.put("/command/ping/status", {"status": "INACTIVE"}).status == 200
    admin = writer.as_user("admin")
    # A change elsewhere keeps it.
    server.write_config(changed_config(lambda c: c["commands"][2].update(description="other")))
    assert admin.post("/admin/reload").status == 200
    assert writer.get("/command/ping/status").json["status"] == "INACTIVE"
    server.write_config(changed_config(lambda c: c["commands"][0].update(description="its own")))
    assert admin.post("/admin/reload").status == 200
    wait_until(lambda: writer.get("/command/ping/status").json["status"] == "ACTIVE", "the config to count again")
    assert "waybill|command ping: override of writer dropped, the config changed|ok" in audit_log(server)


def audit_log(server):
    """Who, what and outcome, a line each; there is no call that shows it."""
    columns = "select who, what, outcome from audit_log order by id"
    if not server.database.startswith("sqlite:"):
        return subprocess.run([BIN / "psql", "-XqAt", "-d", server.database, "-c", columns], check=True, capture_output=True,
                              text=True).stdout.splitlines()
    with contextlib.closing(sqlite3.connect(server.database.split(":", 1)[1], timeout=60)) as connection:
        return ["|".join(row) for row in connection.execute(columns)]


def test_a_queued_job_keeps_the_revision_it_was_submitted_under(new_server, database):
    """No workers: the jobs wait; then the command says something else; they run as they were submitted."""
    server = new_server(database=database(), config={"roles": ["api"]}).start()
    writer = server.client("writer")
    old = writer.submit("type:shell", context={"arguments": ["echo $WORD"]})["id"]
    assert writer.put("/command/shell", {"name": "shell", "version": "2", "plugin": "shell", "tags": ["type:shell"],
                                         "cluster_tags": ["type:local"], "status": "ACTIVE",
                                         "context": {"command": ["/bin/echo", "new"]}}).status == 200
    new = writer.shell("x")["id"]
    server.stop()
    server.write_config({"roles": ["api", "worker", "janitor"]})
    server.start()
    writer.succeeded(old), writer.succeeded(new)
    assert writer.get(f"/job/{old}/stdout").text == "\n"
    assert writer.get(f"/job/{new}/stdout").text == "new x\n"


def test_a_deleted_command_fails_what_still_waits(new_server, database):
    server = new_server(database=database(), config={"roles": ["api"]}).start()
    writer = server.client("writer")
    waiting = writer.submit("type:ping")["id"]
    assert writer.put("/command/ping/status", {"status": "DELETED"}).status == 200
    server.stop()
    server.write_config({"roles": ["api", "worker", "janitor"]})
    server.start()
    seen = writer.wait_for(waiting)
    assert seen["status"] in ("KILLED", "FAILED") and "command_removed" in str(seen)
