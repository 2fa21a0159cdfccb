"""What the package promises before it meets a server: types, examples, old Pythons, and that its messages are those of
proto/."""
import os
import pathlib
import subprocess
import sys

SDK = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(sys.executable).parent


def run(*command, **more):
    return subprocess.run([str(word) for word in command], cwd=SDK, capture_output=True, text=True, **more)


def test_it_is_typed_strictly(tmp_path):
    done = run(BIN / "mypy", f"--cache-dir={tmp_path}")
    assert done.returncode == 0, done.stdout


def test_python_3_9_can_run_it():
    done = run(BIN / "vermin", "--no-tips", "-t=3.9-", "--violations", "src")
    assert done.returncode == 0, done.stdout


def test_its_examples_are_true(tmp_path):
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "src",
               env={**os.environ, "PYTHONPATH": str(SDK / "src"), "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stdout
    assert "failed" not in done.stdout and "passed" in done.stdout


def test_the_wheel_has_the_types_and_both_clients(tmp_path):
    done = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ".")
    assert done.returncode == 0, done.stdout + done.stderr
    wheel, = tmp_path.glob("waybill_sdk-*-py3-none-any.whl")
    names = run(sys.executable, "-m", "zipfile", "-l", wheel).stdout
    for name in ("waybill/py.typed", "waybill/_client.py", "waybill/featurestore/_descriptors.py"):
        assert name in names


def test_without_grpc_the_import_says_what_to_install():
    hidden = "import sys; sys.modules['grpc'] = None; sys.path.insert(0, 'src'); import waybill; import waybill.featurestore"
    done = run(sys.executable, "-c", hidden)
    assert done.returncode != 0 and "pip install 'waybill-sdk[grpc]'" in done.stderr
