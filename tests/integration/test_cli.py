"""The client commands and the local ones: what they print where, and how they end."""
import json
import os
import subprocess

import pytest

from waybill_testing import BINARY
from waybill_testing.waiting import free_port, wait_until


@pytest.fixture
def cli(shared_server, tmp_path):
    def run(*arguments, user="alice", code=0, url=None, stdin=None, environment=()):
        done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120, input=stdin or "",
                              cwd=tmp_path, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8",
                                                 "WAYBILL_URL": url or f"http://127.0.0.1:{shared_server.port}",
                                                 "WAYBILL_USER": user, **dict(environment)})
        assert done.returncode == code, f"{arguments} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done
    return run


PING = ("--command", "type:ping", "--cluster", "type:local")
SHELL = ("--command", "type:shell", "--cluster", "type:local")


def shell(line):
    return (*SHELL, "--context", "arguments=" + json.dumps([line]))


def test_submit_prints_the_job_on_stdout(cli, alice, run):
    done = cli("submit", *PING, "--name", f"n-{run}", "--tag", "team:a", "-o", "json")
    seen = json.loads(done.stdout)
    assert seen["name"] == f"n-{run}" and "team:a" in seen["tags"] and seen["user"] == "alice"
    assert alice.succeeded(seen["id"])


def test_submit_wait_ends_with_the_jobs_end(cli):
    assert json.loads(cli("submit", *PING, "--wait", "-o", "json").stdout)["status"] == "SUCCEEDED"
    failed = cli("submit", *shell("exit 4"), "--wait", "-o", "json", code=3)
    assert "exit status 4" in failed.stderr + failed.stdout


def test_submit_follow_prints_the_log(cli):
    done = cli("submit", *shell("echo one; echo two"), "--follow")
    assert "one\ntwo\n" in done.stdout


def test_submit_from_a_file(cli, tmp_path, alice):
    (tmp_path / "job.yaml").write_text("name: from-file\nversion: '1'\ncommand_criteria: ['type:ping']\n"
                                       "cluster_criteria: ['type:local']\ntags: [a:b]\n")
    seen = json.loads(cli("submit", "-f", "job.yaml", "--wait", "-o", "json").stdout)
    assert seen["name"] == "from-file" and seen["status"] == "SUCCEEDED"


def test_get_list_and_name_output(cli, alice, run):
    sent = alice.succeeded(alice.submit("type:ping", name=f"n-{run}")["id"])
    assert json.loads(cli("get", "job", sent["id"], "-o", "json").stdout) == alice.job(sent["id"])
    assert f"n-{run}" in cli("get", "job", sent["id"]).stdout
    assert sent["id"] in cli("list", "jobs", "--name", f"n-{run}", "-o", "name").stdout.split()[0]
    assert "local" in cli("list", "clusters").stdout and "ping" in cli("get", "command", "ping").stdout
    header = cli("list", "jobs", "--name", f"n-{run}").stdout.splitlines()[0]
    assert header.isupper() or "STATUS" in header
    assert "STATUS" not in cli("list", "jobs", "--name", f"n-{run}", "--no-headers").stdout


def test_logs_wait_cancel_rerun_events(cli, alice):
    sent = alice.shell("echo hello; echo oops >&2")["id"]
    assert cli("wait", sent).returncode == 0
    assert cli("logs", sent).stdout == "hello\n"
    assert cli("logs", sent, "--stderr").stdout == "oops\n"
    assert "SUCCEEDED" in cli("events", sent).stdout
    again = cli("rerun", sent, "-o", "name").stdout.strip().split("/")[-1]
    assert alice.succeeded(again)["id"] != sent
    running = alice.shell("sleep 300")["id"]
    cli("wait", running, "--timeout", "1s", code=124)
    cli("cancel", running)
    cli("wait", running, code=3)


@pytest.mark.parametrize("arguments, code", [
    (("get", "job", "01900000-0000-7000-8000-000000000000"), 5), (("frobnicate",), 2), (("submit", "--colour"), 2),
    (("get", "job"), 2), (("cancel", "01900000-0000-7000-8000-000000000000"), 5), (("version",), 0), (("--help",), 0),
    (("submit", "--help"), 0), (("completion", "bash"), 0), (("health",), 0), (("route", *PING), 0)])
def test_exit_codes(cli, arguments, code):
    done = cli(*arguments, code=code)
    if code:
        assert done.stdout == "" and done.stderr
    else:
        assert done.stdout


def test_not_allowed_is_4(cli, alice):
    sent = alice.shell("sleep 300")["id"]
    done = cli("cancel", sent, user="mallory", code=4)
    assert done.stderr.startswith("error: ")
    alice.post(f"/job/{sent}/cancel")


def test_no_server_names_the_url_and_where_it_came_from(cli):
    url = f"http://127.0.0.1:{free_port()}"
    done = cli("list", "jobs", url=url, code=1)
    assert url in done.stderr and "WAYBILL_URL" in done.stderr and done.stderr.startswith("error: ")


def test_no_colour_in_a_pipe(cli, alice):
    assert "\x1b[" not in cli("list", "jobs").stdout + cli("list", "jobs", environment={"NO_COLOR": "1"}).stdout


def test_config_check_lists_every_mistake_and_ends_with_2(cli, tmp_path):
    (tmp_path / "bad.yaml").write_text("colour: blue\npool: {size: many}\ncommands:\n- {name: a, plugin: nope}\n")
    done = cli("config", "check", "bad.yaml", code=2)
    said = done.stdout + done.stderr
    assert "bad.yaml:1:1: colour" in said and "bad.yaml:2:" in said and "pool.size" in said and "nope" in said
    (tmp_path / "good.yaml").write_text("pool: {size: 3}\n")
    cli("config", "check", "good.yaml")


@pytest.mark.parametrize("verb", ["check", "show"])
def test_config_takes_its_file_as_serve_does(cli, tmp_path, verb):
    (tmp_path / "own.yaml").write_text("pool: {size: 3}\n")
    assert cli("config", verb, "--config", "own.yaml").stdout == cli("config", verb, "own.yaml").stdout
    said = cli("config", verb, "own.yaml", "--config", "own.yaml", code=2).stderr
    assert "FILE and --config" in said


def test_a_server_on_a_unix_socket_is_reached(cli, new_server, tmp_path):
    server = new_server(config={"server": {"addr": f"unix:{tmp_path}/w.sock"}}).launch()
    wait_until(lambda: "waybill is ready" in server.log(), "the server's start")
    for url in (f"unix:{tmp_path}/w.sock", f"unix://{tmp_path}/w.sock", "unix:w.sock"):
        assert json.loads(cli("submit", *PING, "--wait", "-o", "json", url=url).stdout)["status"] == "SUCCEEDED"
    assert len(cli("list", "jobs", "-o", "name", url="unix:w.sock").stdout.split()) == 3
    assert server.stop() == 0
    assert "unix:w.sock" in cli("list", "jobs", url="unix:w.sock", code=1).stderr


def test_an_empty_id_is_a_mistake_of_usage(cli):
    for words in (("get", "job", ""), ("logs", ""), ("cancel", ""), ("wait", "")):
        assert "is empty" in cli(*words, code=2).stderr, words


def test_config_check_needs_a_file(cli):
    assert "needs a FILE" in cli("config", "check", code=2).stderr


def test_what_is_no_regular_file_is_said_and_not_waited_for(cli, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for words, code in ((("config", "check", "pipe"), 2), (("config", "show", "--config", "pipe"), 2), (("serve", "--config", "pipe"), 2),
                        (("template", "render", "pipe"), 1), (("template", "render", "x{{ .Job.ID }}", "--data", "pipe"), 1),
                        (("template", "render", "--vectors", "pipe"), 1), (("submit", *PING, "-f", "pipe"), 2),
                        (("submit", *PING, "--context", "@pipe"), 2), (("history", "replay", "pipe", "--received-at", "pipe"), 2)):
        assert "it is a pipe, not a regular file" in cli(*words, code=code).stderr, words
    (tmp_path / "secret.yaml").write_text("database: {connection_string: !file pipe}\n")
    assert "it is a pipe" in cli("config", "check", "secret.yaml", code=2).stderr
    (tmp_path / "big.yaml").write_text("# " + "x" * (4 << 20))
    assert "it is larger than 4 MiB" in cli("config", "check", "big.yaml", code=2).stderr


def test_config_schema_and_show(cli, tmp_path):
    assert json.loads(cli("config", "schema").stdout)["properties"]["server"]
    (tmp_path / "own.yaml").write_text("pool: {size: 3}\ndatabase: {connection_string: 'postgres://u:hidden-word@h/d'}\n")
    shown = cli("config", "show", "own.yaml").stdout
    assert "3" in shown and "hidden-word" not in shown


def test_a_wrong_config_refuses_the_start(new_server):
    server = new_server(config={"colour": "blue"}).launch()
    assert server.process.wait(timeout=60) != 0
    assert "colour" in server.log() and "waybill.yaml:" in server.log()


def test_migrate_makes_a_database_that_serve_takes(cli, new_server, database, binary):
    server = new_server(database=database())
    cli("migrate", "--config", server.config_file)
    server.start()
    assert server.client().submit("type:ping-sync")["status"] == "SUCCEEDED"


def test_template_render(cli, tmp_path):
    (tmp_path / "data.json").write_text('{"Outputs": {"app": "x"}}')
    assert cli("template", "render", "{{ .Outputs.app | upper }}", "--data", "data.json").stdout.rstrip("\n") == "X"


def test_a_second_server_on_one_sqlite_file_refuses_and_names_the_first(new_server):
    first = new_server().start()
    second = new_server(database=first.database).launch()
    assert second.process.wait(timeout=60) != 0
    assert str(first.process.pid) in second.log() or "another" in second.log(), second.log()
    assert first.client().submit("type:ping-sync")["status"] == "SUCCEEDED"


def test_serve_without_any_config_has_ping_and_shell(tmp_path, new_server):
    server = new_server(config="server: {addr: '127.0.0.1:{port}', grpc_addr: ''}\n")
    server.start()
    names = {row["name"] for row in server.client().get("/commands").json["data"]}
    assert {"ping", "shell"} <= names
    assert [row["name"] for row in server.client().get("/clusters").json["data"]] == ["localhost"]
