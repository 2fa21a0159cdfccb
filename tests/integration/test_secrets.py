"""One test sends every kind of secret in by every way and looks for it in every way out."""
import os
import pathlib
import pwd
import shutil

import pytest
import yaml

from waybill_testing import BINARY
from waybill_testing.client import job
from waybill_testing.server import BASE_CONFIG, SH, Server, command, merged

# Not to be found anywhere but in the config, the database's rows of the catalog and the child that needs it.
CONFIG, ENVIRONMENT, FILE, HEADER, SUBMITTED, PUT = (f"s3cr3t-{word}-0123456789" for word in
                                                    ("config", "environment", "file", "header", "submitted", "put"))
ALL = (CONFIG, ENVIRONMENT, FILE, HEADER, SUBMITTED, PUT)


class Tagged(yaml.YAMLObject):
    def __init__(self, tag, value):
        self.tag, self.value = tag, value


yaml.SafeDumper.add_representer(Tagged, lambda dumper, data: dumper.represent_scalar(data.tag, data.value))


@pytest.fixture(scope="module")
def server(database, binary, tmp_path_factory):
    secret_file = tmp_path_factory.mktemp("secret") / "token"
    secret_file.write_text(FILE + "\n")
    secret_file.chmod(0o600)
    commands = BASE_CONFIG["commands"] + [command("secretive", "shell", context={
        "command": SH, "password": CONFIG, "nested": {"api_token": CONFIG, "list": [{"private_key": CONFIG}]},
        "env": {"DB_PASSWORD": Tagged("!env", "WAYBILL_TEST_SECRET"), "TOKEN": Tagged("!file", str(secret_file))}})]
    clusters = [merged(BASE_CONFIG["clusters"][0], {
        "context": {"credential": CONFIG, "aws_secret": Tagged("!env", "WAYBILL_TEST_SECRET")},
        "attributes": {"Leak": {"kind": "text", "value": "{{ .Cluster.credential }} {{ .Command }} {{ .Job.Context }}"}}})]
    with Server(database=database(), config={"commands": commands, "clusters": clusters, "log": {"level": "debug"}},
                environment={"WAYBILL_TEST_SECRET": ENVIRONMENT}) as running:
        yield running


def assert_clean(text, where):
    for secret in ALL:
        assert secret not in text, f"{where} shows {secret}"


def test_no_way_out_shows_a_secret(server, binary):
    alice, writer, admin = server.client(), server.client("writer"), server.client("admin")
    token = {"Authorization": f"Bearer {HEADER}", "Cookie": f"session={HEADER}"}
    context = {"arguments": ["true"], "token": SUBMITTED, "deep": [{"Secret_Key": SUBMITTED}]}
    sent = alice.submit("type:secretive", context=context, headers=token)
    alice.wait_for(sent["id"])
    written = writer.put("/command/put", {"name": "put", "version": "1", "plugin": "ping", "status": "ACTIVE",
                                          "tags": ["type:put"], "context": {"password": PUT}})
    written_too = writer.put("/cluster/put", {"name": "put", "version": "1", "status": "ACTIVE", "tags": ["type:put"],
                                              "context": {"password": PUT}})
    said = {"the answer to a submit": str(sent), "the answer to a PUT": written.text + written_too.text}
    job_id = sent["id"]
    for path in (f"/job/{job_id}", f"/job/{job_id}/status", f"/job/{job_id}/stdout", f"/job/{job_id}/stderr",
                 f"/job/{job_id}/result", f"/job/{job_id}/events", "/jobs", "/commands", "/clusters", "/command/secretive",
                 "/command/put", "/cluster/put", "/cluster/local", "/clusters/health", "/stats/jobs", "//metrics",
                 "//readyz", "//openapi.json"):
        answer = alice.get(path, headers=token)
        said[path] = answer.text + str(answer.headers)
    preview = {"job_id": job_id, "attributes": {"X": {"kind": "text", "value":
               "{{ .Job.Context.token }} {{ .Command.password }} {{ .Cluster.aws_secret }} {{ toJson .Command }}"}}}
    for path, body in (("/route", job("type:secretive", context=context)), ("/attributes/preview", preview),
                       (f"/job/{job_id}/rerun", None), ("/jobs", {"jobs": [job("type:secretive", context=context)]}),
                       ("/job", {**job("type:secretive", context=context), "priority": "high"})):
        said["POST " + path] = alice.post(path, body, headers=token).text
    said["render"] = admin.post(f"/job/{job_id}/attributes/render").text
    said["reload"] = admin.post("/admin/reload").text
    said["the server's log"] = server.log()
    for where, text in said.items():
        assert_clean(text, where)
    # The caller's own words came back masked, not dropped.
    assert alice.job(job_id)["context"]["token"] == "***"
    assert alice.get("/command/secretive").json["context"]["nested"] == {"api_token": "***", "list": [{"private_key": "***"}]}


def test_a_job_gets_the_secrets_that_are_meant_for_it_and_only_those(server):
    alice = server.client()
    line = 'test "$DB_PASSWORD" = "%s" && test "$TOKEN" = "%s" && env | cut -d= -f1 | sort' % ("$1", "$2")
    sent = alice.submit("type:secretive", context={"arguments": [line, "sh", ENVIRONMENT, FILE]})
    alice.succeeded(sent["id"])
    names = alice.get(f"/job/{sent['id']}/stdout").text.split()
    assert "WAYBILL_TEST_SECRET" not in names and "PATH" in names and "WAYBILL_OUTPUT" in names


def test_files_of_jobs_are_for_the_server_alone(server):
    sent = server.client().shell("true")
    server.client().succeeded(sent["id"])
    folders = [path for path in pathlib.Path(server.folder, "jobs").rglob("*") if sent["id"] in path.name]
    assert folders and all(path.stat().st_mode & 0o077 == 0 for path in folders if path.is_dir())
    if server.database.startswith("sqlite:"):
        assert (server.folder / "waybill.db").stat().st_mode & 0o077 == 0


def test_a_process_of_the_servers_own_user_cannot_read_its_memory(new_server):
    """The files of a process that is not dumpable belong to root."""
    server = new_server()
    user = os.geteuid()
    if user == 0:
        user = pwd.getpwnam("nobody").pw_uid
        for path in (server.folder, server.config_file):
            os.chown(path, user, -1)
        server.binary = shutil.copy(BINARY, server.folder)  # where that user can reach it
        server.wrapper = ["setpriv", f"--reuid={user}", "--clear-groups"]
    server.start()
    process = pathlib.Path(f"/proc/{server.process.pid}")
    assert f"Uid:\t{user}\t" in (process / "status").read_text()
    assert {(process / name).stat().st_uid for name in ("environ", "maps", "mem")} == {0}


def test_a_broken_connection_string_shows_no_password(new_server):
    server = new_server(database=f"postgres://alice:{CONFIG}@127.0.0.1:1/nowhere?sslmode=disable&connect_timeout=2").launch()
    try:
        server.process.wait(timeout=60)
    except Exception:  # it may also go on and try again
        server.kill()
    assert "127.0.0.1" in server.log() or "nowhere" in server.log(), server.log()
    assert_clean(server.log(), "the log of a server without its database")
