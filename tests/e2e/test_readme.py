"""What the README promises, typed as it stands there."""
import os
import re
import signal
import socket
import subprocess

import pytest
import yaml

from waybill_testing import BINARY, ROOT
from waybill_testing.waiting import free_port, wait_until

README = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = len(README.split())


def demo(*arguments):
    return subprocess.Popen([ROOT / "x", "demo", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True)


def test_the_demo_counts_the_words_of_the_readme_and_leaves_nothing_behind():
    running = demo("--exit")
    said, _ = running.communicate(timeout=600)
    assert running.returncode == 0, said
    assert f"{WORDS} words\n" in said, "the job's log"
    assert re.search(rf"value: .*{WORDS} words, counted for", said), "the rendered text"
    assert re.search(rf"https://docs\.example\.com/reports/[0-9a-f-]{{36}}\?words={WORDS}\b", said), "the rendered link"
    assert "SUCCEEDED" in said and "/api/v1/job/" in said
    folder = re.search(r"/tmp/waybill-demo-\w+", said).group(0)
    assert not os.path.exists(folder)


def test_the_demo_takes_another_port_when_9090_is_taken_and_serves_until_ctrl_c():
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            holder.bind(("127.0.0.1", 9090))
            holder.listen()
        except OSError:
            pass  # somebody else holds it, which is as good
        running = demo()
        said = ""
        try:
            while "serving until Ctrl-C" not in said:
                line = running.stdout.readline()
                assert line, said
                said += line
            url = re.search(r"(http://127\.0\.0\.1:\d+)/openapi\.json", said).group(1)
            assert not url.endswith(":9090")
            assert subprocess.run(["curl", "-fsS", url + "/healthz"], capture_output=True).returncode == 0
        finally:
            os.killpg(running.pid, signal.SIGINT)
            running.wait(timeout=60)
        wait_until(lambda: subprocess.run(["curl", "-fsS", url + "/healthz"], capture_output=True).returncode != 0,
                   "the demo's server to be gone")


def test_an_unknown_word_is_an_error():
    running = demo("--forever")
    assert running.wait(timeout=60) != 0
    assert "--forever" in running.stdout.read()
    assert subprocess.run([ROOT / "x", "frobnicate"], capture_output=True).returncode == 2


@pytest.fixture
def readme_server(tmp_path):
    """The README's config, only with a port of its own."""
    config = yaml.safe_load(re.search(r"```yaml\n(.*?)```", README, re.DOTALL).group(1))
    port = free_port()
    config["server"] = {"addr": f"127.0.0.1:{port}", "grpc_addr": ""}
    (tmp_path / "waybill.yaml").write_text(yaml.safe_dump(config))
    (tmp_path / "README.md").write_text("one two three\n")
    server = subprocess.Popen([BINARY, "serve", "--config", "waybill.yaml"], cwd=tmp_path, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: subprocess.run(["curl", "-fsS", url + "/readyz"], capture_output=True).returncode == 0,
                   "the server of the README")
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_the_readmes_example_runs(readme_server, tmp_path):
    typed = re.search(r"build/release/waybill (submit .*?--follow)", README, re.DOTALL).group(1).replace("\\\n", " ")
    typed = typed.replace("README.md", str(tmp_path / "README.md"))
    environment = {**os.environ, "WAYBILL_URL": readme_server, "WAYBILL_USER": "reader"}
    done = subprocess.run(f"{BINARY} {typed}", shell=True, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run([BINARY, "list", "jobs", "-o", "json"], capture_output=True, text=True, env=environment)
    assert "3 words for reader" in shown.stdout, shown.stdout + shown.stderr


def test_links_of_the_docs_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "SECURITY.md", *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page}: {target}"
