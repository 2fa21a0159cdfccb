"""The five minutes of docs/attributes.md, typed as they are written."""
import os
import pathlib
import re
import shlex
import subprocess

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "attributes.md"


@pytest.fixture
def guide():
    text = PAGE.read_text()
    return text[text.index("## A link in five minutes"):text.index("## What a template sees")]


def test_the_guide_works_as_it_is_written(guide, new_server, binary, tmp_path):
    written = re.search(r"```yaml\n(.*?)```", guide, re.DOTALL).group(1)
    own = 'server: {addr: "127.0.0.1:{port}", grpc_addr: ""}\n'
    server = new_server(config=own + written).start()
    (tmp_path / "waybill.yaml").write_text(written)
    (tmp_path / "job.json").write_text(re.search(r"`(\{\"Job\".*?\}\})`", guide).group(1))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "waybill").symlink_to(binary)
    environment = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "WAYBILL_USER": "alice",
                   "WAYBILL_URL": f"http://127.0.0.1:{server.port}", "HOME": str(tmp_path)}
    job = ""
    seen = {}
    for line in re.findall(r"^\$ (waybill .*)$", guide, re.MULTILINE):
        if " serve " in line:
            continue
        words = [job if word == "ID" else word for word in shlex.split(line)]
        run = subprocess.run(["/usr/bin/env", *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, (line, run.stdout, run.stderr)
        seen[" ".join(words[1:3])] = run.stdout
        job = job or "".join(re.findall(r"^id: +(\S+)", run.stdout, re.MULTILINE))
    assert seen["submit --name"].splitlines()[-1].endswith(f"https://docs.example.com/reports/{job}?rows=42")
    assert f"https://docs.example.com/reports/{job}?rows=42" in seen["attributes preview"]
    assert seen["template render"] == "daily-orders"
