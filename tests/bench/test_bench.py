"""The short form of ./x bench: it finishes and prints figures. How good they are is no test."""
import json
import subprocess
import sys

import pytest

from waybill_testing import BINARY, ROOT


@pytest.mark.parametrize("database", ["postgresql", "sqlite"])
def test_the_short_form_measures_everything(database):
    done = subprocess.run([sys.executable, ROOT / "bench/run.py", "--short", "--only", database], capture_output=True,
                          text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = json.loads((ROOT / "build/bench/short.json").read_text())["lines"]
    said = {line["what"].split(": ", 1)[-1] for line in lines}
    for what in ("submits, 1 connections", "submits, 32 connections", "bulk submit, 100 a request, 8 conn.",
                 "ping, submit to finished, 1 in flight", "GET job, 8 connections", "RSS idle", "start to first answer",
                 "list, no filter by id", "list, rare tag by created_at"):
        assert what in said, (what, said)
    assert all(line["figure"] > 0 for line in lines if line["unit"] != "%"), lines


@pytest.mark.parametrize("database", ["postgresql", "sqlite"])
def test_the_short_form_measures_the_run_history(database):
    done = subprocess.run([sys.executable, ROOT / "bench/run.py", "--short", "--only", f"{database}-history"],
                          capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = json.loads((ROOT / "build/bench/short.json").read_text())["lines"]
    said = {line["what"].split(": ", 1)[-1] for line in lines}
    for what in ("events recorded, one core", "2,000 objects listed and recorded", "2,000 objects listed again and compared",
                 "RSS with 500 live runs", "RSS after 3 s of 300 events a second", "a page of a feature table's records"):
        assert what in said, (what, said)
    assert {line["against_what"] for line in lines} >= {"Boost.JSON, the same bytes", "plain upserts, the same rows"}
    assert all(line["figure"] > 0 for line in lines), lines


def test_the_short_form_measures_templates():
    done = subprocess.run([sys.executable, ROOT / "bench/run.py", "--short", "--only", "templates"], capture_output=True,
                          text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = json.loads((ROOT / "build/bench/short.json").read_text())["lines"]
    said = {line["what"] for line in lines}
    assert "attributes: ten of a job, at start, output and end" in said
    assert len([what for what in said if what.startswith("template: execute/")]) == 5, said
    assert all(line["figure"] > 0 for line in lines)


def test_the_load_generator_counts_errors():
    done = subprocess.run([BINARY.parent / "waybill_load", "--port", "1", "--requests", "3"], capture_output=True, text=True)
    assert done.returncode == 1 and json.loads(done.stdout)["errors"] >= 1
