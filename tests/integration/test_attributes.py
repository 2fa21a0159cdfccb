"""The life of a job's attributes, from start to end and after it, on the real server."""
import subprocess

import pytest

from waybill_testing.server import BASE_CONFIG, SH, Server, command
from waybill_testing.waiting import wait_until

ATTRIBUTES = {  # of the cluster
    "State": {"value": "{{ .Job.Status }}"},
    "App": {"kind": "link", "value": "https://spark.example.com/{{ .Outputs.app }}"},
    "Never": {"kind": "link", "value": "https://x.example.com/{{ .Outputs.never }}"},
    "Raw": {"kind": "text", "value": '{{ get .Outputs "raw" }}'},
    "Target": {"kind": "link", "value": '{{ get .Outputs "target" | default "https://docs.example.com" }}'},
    "Live": {"kind": "link", "show": "running", "value": "https://live.example.com/{{ .Job.ID }}"},
    "After": {"kind": "link", "show": "finished", "value": "https://after.example.com/{{ .Job.ID }}"},
    "Why": {"show": "failed", "value": "{{ .Job.Error }}"},
    "Secret": {"value": "{{ .Cluster.password }} {{ .Command.api_token }} {{ get .Job.Context \"token\" }}"},
    "Owner": {"value": "cluster"},
}
OF_COMMAND = {"Tool": {"value": "{{ .Command.tool }}"}, "Owner": {"value": "command"}}


def config(attributes=None, **more):
    commands = BASE_CONFIG["commands"] + [
        command("work", "shell", context={"command": SH, "tool": "sh", "api_token": "t0ken-9"}, attributes=OF_COMMAND)]
    clusters = [{"name": "local", "version": "1", "tags": ["type:local"], "context": {"password": "hunter2-9"},
                 "attributes": attributes or ATTRIBUTES}]
    return {"commands": commands, "clusters": clusters, **more}


@pytest.fixture(scope="module")
def server(database, binary):
    with Server(database=database(), config=config()) as running:
        yield running


@pytest.fixture
def user(server):
    return server.client()


class Steps:
    """A job that waits for a sign before each of its steps."""

    def __init__(self, client, folder, *steps, **members):
        self.client, self.folder = client, folder
        lines = []
        for n, step in enumerate(steps):
            lines += [f"while [ ! -e {folder}/{n} ]; do sleep 0.02; done" if n else "", step]
        self.id = client.submit("type:work", context={"arguments": ["\n".join(lines)]}, **members)["id"]

    def go(self, n):
        (self.folder / str(n)).touch()

    def attributes(self):
        return self.client.job(self.id).get("extra_job_attributes", {})

    def wait_for(self, label, value):
        wait_until(lambda: self.attributes().get(label, {}).get("value") == value, f"{label} to become {value}")


def publish(key, value):
    return f"echo '{key}={value}' >> \"$WAYBILL_OUTPUT\""


def done(client, output="", statuses=("SUCCEEDED",), **members):
    """A job that published these lines and has ended."""
    line = f"cat > \"$WAYBILL_OUTPUT\" <<'EOF'\n{output}\nEOF" if output else "true"
    return client.wait_for(client.submit("type:work", context={"arguments": [line]}, **members)["id"], set(statuses))


ENDS = {"SUCCEEDED": "exit 0", "FAILED": "exit 3", "CANCELED": "sleep 300", "KILLED": "sleep 300"}


@pytest.mark.parametrize("end", ["SUCCEEDED", "FAILED", "CANCELED"])
def test_attributes_are_rendered_at_the_start_at_each_output_and_at_the_end(user, tmp_path, end):
    job = Steps(user, tmp_path, "true", publish("app", "one"), publish("app", "two"), ENDS[end])
    job.wait_for("State", "RUNNING")
    assert "App" not in job.attributes()
    for n, word in ((1, "one"), (2, "two")):
        job.go(n)
        job.wait_for("App", f"https://spark.example.com/{word}")
        seen = user.job(job.id)
        assert seen["status"] == "RUNNING"
        assert "Never" not in seen["extra_job_attributes"] and "attribute_errors" not in seen, "it may still come"
    job.go(3)
    if end == "CANCELED":
        assert user.post(f"/job/{job.id}/cancel").status == 200
    seen = user.wait_for(job.id, {end})
    assert seen["extra_job_attributes"]["State"]["value"] == end
    assert seen["extra_job_attributes"]["App"] == {"kind": "link", "position": 2,
                                                   "value": "https://spark.example.com/two"}
    assert list(seen["attribute_errors"]) == ["Never"] and "never" in seen["attribute_errors"]["Never"]
    if end == "FAILED":
        assert "exit status 3" in seen["extra_job_attributes"]["Why"]["value"]


def test_a_killed_job_has_its_attributes(user):
    job = user.submit("type:work", context={"arguments": [publish("app", "one") + "\nsleep 300"]}, timeout_seconds=2)
    seen = user.wait_for(job["id"], {"KILLED"})
    assert seen["extra_job_attributes"]["State"]["value"] == "KILLED"
    assert seen["extra_job_attributes"]["App"]["value"] == "https://spark.example.com/one"
    assert list(seen["attribute_errors"]) == ["Never"]


def test_a_job_canceled_in_the_queue_has_its_attributes(database, new_server):
    server = new_server(database=database(), config=config(pool={"size": 1})).start()
    user = server.client()
    running = user.submit("type:work", context={"arguments": ["sleep 300"]})["id"]
    user.wait_for(running, {"RUNNING"})
    waiting = user.submit("type:work", context={"arguments": ["true"]})["id"]
    assert user.post(f"/job/{waiting}/cancel").status == 200
    seen = user.wait_for(waiting, {"CANCELED"})
    assert seen["extra_job_attributes"]["State"]["value"] == "CANCELED"
    assert "App" in seen["attribute_errors"]
    user.post(f"/job/{running}/cancel")


def test_what_a_job_publishes_right_before_its_end_is_not_lost(user):
    assert done(user, "app=last")["extra_job_attributes"]["App"]["value"] == "https://spark.example.com/last"


@pytest.mark.parametrize("target, kept", [
    ("docs.example.com/x", True), ("//docs.example.com/x", True), ("javascript:alert(1)", True),
    ("JavaScript://%0aalert(1)", True), ("data:text/html,<script>alert(1)</script>", True), ("ftp://x.example.com/", True),
    ("https://", True), ('https://x.example.com/"onclick="alert(1)', True), ("https://x.example.com/a b", True),
    ("https://x.example.com/<script>", True)])
def test_what_is_no_link_becomes_text_with_an_error(user, target, kept):
    seen = done(user, f"target={target}")
    assert seen["extra_job_attributes"]["Target"] == {"kind": "text", "value": target, "position": 5}
    assert "is not a link: it must begin with http:// or https://" in seen["attribute_errors"]["Target"]
    assert seen["extra_job_attributes"]["Tool"]["value"] == "sh", "the others are not touched"


def test_other_schemes_may_be_allowed(database, new_server):
    server = new_server(database=database(), config=config(attribute_link_schemes=["https", "s3"])).start()
    seen = done(server.client(), "target=s3://bucket/key")
    assert seen["extra_job_attributes"]["Target"]["kind"] == "link" and "Target" not in seen["attribute_errors"]
    seen = done(server.client(), "target=http://x.example.com/")
    assert seen["extra_job_attributes"]["Target"]["kind"] == "text"
    assert "it must begin with https:// or s3://" in seen["attribute_errors"]["Target"]


def test_order_position_and_show_are_those_of_the_config(user):
    seen = done(user, "app=one\nnever=come")["extra_job_attributes"]
    # The command's own first, then the cluster's in the order of the file.
    assert list(seen) == ["Tool", *ATTRIBUTES]
    assert [one.get("position", 0) for one in seen.values()] == list(range(len(seen)))
    assert {label: one["show"] for label, one in seen.items() if "show" in one} == {
        "Live": "running", "After": "finished", "Why": "failed"}
    assert "kind" not in seen["State"] and seen["Raw"]["kind"] == "text" and seen["App"]["kind"] == "link"


def test_a_label_of_the_cluster_wins_over_the_commands(user):
    seen = done(user)["extra_job_attributes"]
    assert seen["Owner"]["value"] == "cluster" and seen["Tool"]["value"] == "sh"


def test_the_command_line_shows_what_the_state_wants_shown(server, user, binary, tmp_path):
    job = Steps(user, tmp_path, publish("app", "one"), "exit 0")
    job.wait_for("App", "https://spark.example.com/one")

    def shown():
        run = subprocess.run([binary, "get", "job", job.id, "--url", f"http://127.0.0.1:{server.port}", "--user", "alice"],
                             capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return run.stdout
    running = shown()
    assert "https://live.example.com/" in running and "https://after.example.com/" not in running
    job.go(1)
    user.succeeded(job.id)
    ended = shown()
    assert "https://live.example.com/" not in ended and "https://after.example.com/" in ended


def test_templates_see_no_secret(user):
    job = user.submit("type:work", context={"arguments": ["true"], "token": "s3cret-9"})
    seen = user.succeeded(job["id"])
    assert seen["extra_job_attributes"]["Secret"]["value"] == "*** *** ***"


@pytest.mark.parametrize("value, why", [
    ("a" * 8193, "8192"), ("a\x1b[31mb", "control character"), ("a\x7fb", "control character"),
    ("a\u0085b", "control character"), ("a\tb", "control character")])
def test_hostile_outputs_are_refused_and_touch_no_other(user, value, why):
    seen = done(user, f"raw={value}\napp=one")
    assert "Raw" not in seen["extra_job_attributes"] and why in seen["attribute_errors"]["Raw"]
    assert seen["extra_job_attributes"]["App"]["value"] == "https://spark.example.com/one"


@pytest.mark.parametrize("value", ["a" * 8192, "<script>alert(1)</script>", "{{ .Cluster.password }}", "“ü” \U0001f600", "%s%n"])
def test_outputs_are_data_and_nothing_else(user, value):
    assert done(user, f"raw={value}")["extra_job_attributes"]["Raw"]["value"] == value


def test_a_running_job_keeps_the_templates_that_it_started_with(database, new_server, tmp_path):
    server = new_server(database=database(), config=config()).start()
    user, admin = server.client(), server.client("admin")
    job = Steps(user, tmp_path, "true", publish("app", "one"))
    job.wait_for("State", "RUNNING")
    before = user.job(job.id)
    assert before["command_revision"] == user.get("/command/work").json["revision"]
    assert before["cluster_revision"] == user.get("/cluster/local").json["revision"]
    server.write_config(config({"App": {"kind": "link", "value": "https://new.example.com/{{ .Outputs.app }}"}}))
    assert admin.post("/admin/reload").status == 200
    job.go(1)
    after = user.succeeded(job.id)
    assert after["extra_job_attributes"]["App"]["value"] == "https://spark.example.com/one"
    assert after["extra_job_attributes"]["State"]["value"] == "SUCCEEDED"
    assert after["cluster_revision"] == before["cluster_revision"] != user.get("/cluster/local").json["revision"]
    fresh = done(user, "app=two")
    assert fresh["extra_job_attributes"]["App"]["value"] == "https://new.example.com/two"
    assert fresh["cluster_revision"] == user.get("/cluster/local").json["revision"]
    assert fresh["command_revision"] == before["command_revision"]
    assert "cluster_revision" not in user.get(f"/jobs?id={job.id}").json["data"][0], "rows of lists are short"


@pytest.mark.parametrize("keep_outputs", [True, False])
def test_an_admin_renders_a_finished_job_again(database, new_server, keep_outputs):
    server = new_server(database=database(), config=config(keep_outputs=keep_outputs)).start()
    user, admin = server.client(), server.client("admin")
    sent = done(user, "app=one")
    changed = {"App": {"kind": "link", "value": "https://new.example.com/{{ .Outputs.app }}"},
               "Docs": {"kind": "link", "value": "https://docs.example.com/{{ .Job.Status }}"},
               "Other": {"value": "{{ .Outputs.app }}"}}
    server.write_config(config(changed, keep_outputs=keep_outputs))
    assert admin.post("/admin/reload").status == 200
    path = f"/job/{sent['id']}/attributes/render"
    refused = user.post(path)
    assert refused.status == 403 and "admin" in refused.json["error"]
    answer = admin.post(path)
    assert answer.status == 200, answer
    seen = user.job(sent["id"])
    assert seen["status"] == "SUCCEEDED" and seen["extra_job_attributes"] == answer.json["extra_job_attributes"]
    attributes = {label: one["value"] for label, one in seen["extra_job_attributes"].items()}
    assert attributes["Docs"] == "https://docs.example.com/SUCCEEDED"
    if keep_outputs:
        assert attributes["App"] == "https://new.example.com/one" and attributes["Other"] == "one"
        assert "attribute_errors" not in seen
    else:
        # What needs the outputs stays as it was; what is new and needs them can't be made.
        assert attributes["App"] == "https://spark.example.com/one" and "Other" not in attributes
        assert "keep_outputs" in seen["attribute_errors"]["Other"]
    assert admin.post("/job/01900000-0000-7000-8000-000000000000/attributes/render").status == 404


def preview(server, binary, *words):
    return subprocess.run([binary, "attributes", "preview", *words, "--url", f"http://127.0.0.1:{server.port}",
                           "--user", "alice", "--no-headers"], capture_output=True, text=True)


def test_a_preview_over_a_job_knows_its_kept_outputs(database, new_server, binary):
    server = new_server(database=database(), config=config(keep_outputs=True)).start()
    sent = done(server.client(), "app=one")
    answer = server.client().post("/attributes/preview", {"job_id": sent["id"], "outputs": {"never": "now"}}).json
    assert answer["attributes"]["App"]["value"] == "https://spark.example.com/one"
    assert answer["attributes"]["Never"]["value"] == "https://x.example.com/now" and answer["errors"] == []
    run = preview(server, binary, "--job", sent["id"], "--outputs", "never=now", "app=two")
    assert run.returncode == 0, run.stderr
    assert "https://spark.example.com/two" in run.stdout and "https://x.example.com/now" in run.stdout


def test_a_preview_of_a_config_knows_what_the_server_does_not(server, binary, tmp_path):
    file = tmp_path / "new.yaml"
    file.write_text("""
commands:
  - {name: tool, plugin: ping, context: {tool: hammer}, attributes: {Tool: {value: "{{ .Command.tool }}"}}}
clusters:
  - name: brand-new
    context: {url: "${env:WAYBILL_TEST_URL:-https://new.example.com}", number: 010, password: hunter2-9}
    attributes:
      App: {kind: link, value: "{{ .Cluster.url }}/{{ .Outputs.app }}"}
      Number: {value: "{{ .Cluster.number }}"}
      Secret: {value: "{{ .Cluster.password }}"}
      Late:
        value: "{{ .Outputs.late }}"
""")
    words = ("-c", str(file), "--cluster", "brand-new")
    run = preview(server, binary, *words, "--command", "tool", "--outputs", "app=a b", "late=x")
    assert "https://new.example.com/a b" in run.stdout and "is not a link" in run.stdout and run.returncode == 1
    run = preview(server, binary, *words, "--command", "tool", "--outputs", "app=ab", "late=x")
    assert run.returncode == 0, run.stderr
    rows = {line.split()[0]: line.split()[-1] for line in run.stdout.splitlines()}
    assert rows == {"Tool": "hammer", "App": "https://new.example.com/ab", "Number": "8", "Secret": "***", "Late": "x"}
    run = preview(server, binary, *words, "--outputs", "app=ab")
    assert run.returncode == 1 and '1:12: template: Late:1:11' in run.stdout
    file.write_text(file.read_text().replace(".Outputs.late }}", ".Outputs.late | nope }}"))
    run = preview(server, binary, *words)
    assert run.returncode == 2
    assert f'{file}:12:36: clusters[0].attributes.Late.value: the template does not parse: function "nope"' in run.stderr


def test_a_preview_is_bounded(user):
    many = {f"A{n}": {"value": "x"} for n in range(101)}
    assert user.post("/attributes/preview", {"attributes": many}).status == 400
    long = user.post("/attributes/preview", {"attributes": {"A": {"value": "x" * 16385}}})
    assert long.status == 400 and "16384" in long.json["error"]
    endless = {"A": {"value": "{{ range 10000000 }}{{ end }}"}, "B": {"value": "fine"}}
    answer = user.post("/attributes/preview", {"attributes": endless})
    assert answer.json["attributes"]["B"]["value"] == "fine" and "100000 steps" in answer.json["errors"][0]["error"]


def test_slow_templates_delay_no_other_jobs(database, new_server):
    work = "{{ range 300 }}{{ $x := sha256sum $.Outputs.big }}{{ end }}done"
    slow = {f"Slow {n}": {"value": work} for n in range(10)}
    setup = config(pool={"size": 16})
    setup["clusters"].append({"name": "slow", "version": "1", "tags": ["type:slow"], "attributes": slow})
    setup["commands"].append({**command("slow", "shell", context={"command": SH}), "cluster_tags": ["type:slow"]})
    server = new_server(database=database(), config=setup).start()
    user = server.client()
    big = "printf 'big=%65000s\\n' x | tr ' ' x >> \"$WAYBILL_OUTPUT\""
    jobs = [{"command_criteria": ["type:slow"], "cluster_criteria": ["type:slow"], "context": {"arguments": [big]}}] * 14
    user.wait_for(user.post("/job", jobs[0]).json["id"], {"SUCCEEDED"}, seconds=300)  # now they are known to be slow
    # A busy machine may start the quick one late once; one that waits for the slow ones is late each time.
    for _ in range(5):
        sent = [one["id"] for one in user.post("/jobs", {"jobs": jobs}).json["data"]]
        quick = done(user, "app=one")
        assert quick["extra_job_attributes"]["App"]["value"] == "https://spark.example.com/one"
        ended = [user.wait_for(job, {"SUCCEEDED"}, seconds=300) for job in sent]
        if quick["finished_at"] < max(job["finished_at"] for job in ended):
            break
    else:
        raise AssertionError("the quick one ended after all slow ones, each time")
    last = ended[-1]
    assert last["extra_job_attributes"]["Slow 9"]["value"] == "done"
