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

from waybill_testing.kube import Kube, ScriptedOperator  # noqa: E402


class Bed:
    def __init__(self, folder, *options):
        self.folder = folder
        subprocess.run(["bash", TESTBED / "up", folder, *options], check=True, timeout=600)
        self.kubeconfig = str(folder / "kubeconfig")
        self.kube = Kube(folder / "kubeconfig-token")
        self.kube_text = lambda path: self.kube.call("GET", path, text=True)
        self.operator = ScriptedOperator(self.kube)
        self.template = folder / "spark-pi.yaml"
        self.template.write_text((TESTBED / "examples/spark-pi.yaml").read_text())

    def part(self, name, action):
        subprocess.run(["bash", TESTBED / "part", self.folder, name, action], check=True, timeout=120)

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
    started = Bed(tmp_path_factory.mktemp("bed"), "--operator")
    yield started
    started.down()


@pytest.fixture(scope="session")
def plain_bed(tmp_path_factory):
    """Without an operator: tests write what it would."""
    started = Bed(tmp_path_factory.mktemp("plain"))
    yield started
    started.down()
