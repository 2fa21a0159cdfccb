"""The recorded scenarios, each as a test, on both databases. README.md says what they are."""
import contextlib
import importlib.util
import io
import json
import pathlib
import re

import pytest

from waybill_testing.server import Server

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = sorted(HERE.glob("*.json"))

_spec = importlib.util.spec_from_file_location("parity_check", HERE / "check.py")
check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check)


def config():
    """config.yaml with what a harness may replace: address, connection string, directories."""
    text = (HERE / "config.yaml").read_text(encoding="utf-8")
    for pattern, value in ((r"addr: .*", 'addr: "127.0.0.1:{port}"'),
                           (r"connection_string: .*", 'connection_string: "{database}"'),
                           (r"jobs_directory: .*", "jobs_directory: {folder}/jobs"),
                           (r"archive_directory: .*", "archive_directory: {folder}/archive"),
                           (r"result_directory: .*", "result_directory: {folder}/result")):
        text, count = re.subn(pattern, value, text)
        assert count == 1, pattern
    return text


@pytest.fixture(scope="module")
def base_url(database, binary):
    # The config has no key for the port of gRPC; the default one may be taken on a machine that builds many things.
    with Server(database=database(), config=config()) as server:
        yield f"http://127.0.0.1:{server.port}"


def test_the_server_has_all_commands_and_clusters_of_the_config(base_url):
    assert check.preflight(base_url, HERE / "config.yaml") == []


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_answers_as_recorded(base_url, scenario):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        passed, failed = check.check_scenario(base_url, json.loads(scenario.read_text(encoding="utf-8")), "waybill", False)
    assert failed == 0 and passed > 0, "\n" + said.getvalue()
