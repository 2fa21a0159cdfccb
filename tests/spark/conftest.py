"""A real API server and Spark operator of its own for these tests; no container runs (tests/testbed/README.md)."""
import os
import pathlib
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support/python"))
sys.path.insert(0, str(ROOT / "sdk/python/src"))
TESTBED = ROOT / "tests/testbed"


class Bed:
    def __init__(self, folder):
        self.folder = folder
        subprocess.run(["bash", TESTBED / "up", folder, "--operator"], check=True, timeout=600)
        self.kubeconfig = str(folder / "kubeconfig")

    def kubectl(self, *words, **options):
        built = os.environ.get("WAYBILL_TESTBED") or pathlib.Path.home() / ".cache/waybill-testbed"
        return subprocess.run([pathlib.Path(built) / "bin/kubectl", "--kubeconfig", self.kubeconfig, *words], check=True,
                              timeout=120, capture_output=True, text=True, **options).stdout

    def create(self, manifest):
        self.kubectl("create", "-f", "-", input=yaml.safe_dump(manifest))

    def example(self, name):
        return yaml.safe_load((TESTBED / "examples" / f"{name}.yaml").read_text())

    def down(self):
        subprocess.run(["bash", TESTBED / "down", self.folder], check=True, timeout=120)


@pytest.fixture(scope="session")
def bed(tmp_path_factory):
    started = Bed(tmp_path_factory.mktemp("bed"))
    yield started
    started.down()
