"""Figures of the template engine: Google Benchmark's beside those of `go test -bench`, where there is Go."""
import json
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def google_benchmark(program, seconds):
    """Nanoseconds of processor time by benchmark."""
    done = subprocess.run([program, "--benchmark_format=json", f"--benchmark_min_time={seconds}"], cwd=ROOT,
                          capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["benchmarks"]
    for row in rows:
        if row.get("error_occurred"):
            raise RuntimeError(f"{program}: {row['name']}: {row['error_message']}")
    return {row["name"]: row["cpu_time"] for row in rows}


def go_benchmark(seconds):
    """The same of bench/template_go; empty without Go."""
    if not shutil.which("go"):
        return {}
    done = subprocess.run(["go", "test", "-bench", ".", "-benchtime", f"{seconds}s"], cwd=ROOT / "bench/template_go",
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"go test: {done.stdout}{done.stderr}")
    found = re.findall(r"^Benchmark(\w+)/(\S+?)(?:-\d+)?\s.*?([\d.]+) cpu-ns/op", done.stdout, re.MULTILINE)
    return {f"{what.lower()}/{name}": float(time) for what, name, time in found}


def measure(report, programs, seconds):
    job = google_benchmark(programs / "attributes_bench", seconds)["ten_attributes_of_a_job"]
    report.add("attributes: ten of a job, at start, output and end", job / 1000, "us", 100, "limit", goal=1, at_least=False)
    ours, go = google_benchmark(programs / "template_bench", seconds), go_benchmark(seconds)
    for name, time in ours.items():
        report.add(f"template: {name}", time, "ns", go.get(name), "Go's text/template" if name in go else "",
                   goal=1 if name in go and name.startswith("execute/") else None, at_least=False)
