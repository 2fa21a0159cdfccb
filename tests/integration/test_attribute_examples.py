"""examples/attributes: every config is right and renders what its expected.json says the target system wants."""
import json
import subprocess

import pytest
import yaml

from waybill_testing import ROOT
from waybill_testing.server import BASE_CONFIG, Server

EXAMPLES = sorted(path for path in (ROOT / "examples/attributes").iterdir() if path.is_dir())


def entries(section):
    found = {}
    for example in EXAMPLES:
        for entry in yaml.safe_load((example / "waybill.yaml").read_text())[section]:
            found[entry["name"]] = entry
    return list(found.values())


@pytest.fixture(scope="module")
def server(binary):
    with Server(config={section: BASE_CONFIG[section] + entries(section) for section in ("commands", "clusters")}) as running:
        yield running


def test_there_are_examples():
    assert len(EXAMPLES) == 8


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_examples_config_is_right(example, binary):
    done = subprocess.run([binary, "config", "check", example / "waybill.yaml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout + done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_renders_what_it_says(example, server):
    answer = server.client().post("/attributes/preview", json.loads((example / "preview.json").read_text()))
    assert answer.status == 200, answer
    assert answer.json["errors"] == []
    expected = json.loads((example / "expected.json").read_text())
    assert answer.json["attributes"] == expected
    assert list(answer.json["attributes"]) == list(expected), "the order of the config"
