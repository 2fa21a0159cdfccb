"""Figures of the run history: what a watch's bytes cost until they are rows, and what a server that records needs."""
import json
import pathlib
import subprocess
import time

from waybill_testing.kube_api import ApiServer, application
from waybill_testing.server import Server
from waybill_testing.waiting import wait_until

ROOT = pathlib.Path(__file__).resolve().parents[1]
RECORDING = ROOT / "tests/testdata/spark/recorded/success.json"


def _run(program, *arguments):
    done = subprocess.run([str(word) for word in (program, "--recording", RECORDING, "--one-core", *arguments)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)


def recording(report, kind, program, new_database, short):
    """From bytes to committed rows, beside the limits of the same run. `new_database()`: the URL of an empty one."""
    figures = _run(program, "--database", new_database(), "--count", 1000 if short else 20_000, "events",
                   "--other-database", new_database(), "--rounds", 1 if short else 3)
    limits = {"Boost.JSON, the same bytes": figures["parsed_per_second"], "plain upserts, the same rows": figures["plain_per_second"]}
    for what, figure in limits.items():
        slower = figure == min(limits.values())
        report.add(f"{kind}: events recorded, one core", figures["per_second"], "/s", figure, what, goal=0.6 if slower else None)
    report.add(f"{kind}: events recorded, one core, beside the goal", figures["per_second"], "/s", 10_000, "goal", goal=1)
    report.add(f"{kind}: events recorded a second of processor time", figures["per_cpu_second"], "/s")
    lists = _run(program, "--database", new_database(), "--count", 2000 if short else 50_000, "lists")
    objects = f"{lists['objects']:,} objects"
    report.add(f"{kind}: {objects} listed and recorded", lists["recorded_seconds"], "s", 60, "limit", goal=1, at_least=False)
    report.add(f"{kind}: {objects} listed again and compared", lists["compared_seconds"], "s", lists["recorded_seconds"], "recorded")


def _rss(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def _recorded(server):
    return sum(server.client().get("/stats/records?from=2026-07-01&to=2026-07-02").json["counts"].values())


def memory(report, kind, database, short):
    """A server that records many live runs, and then hears of one after the other for minutes."""
    runs, seconds, rate = (500, 3, 300) if short else (10_000, 300, 300)
    api = ApiServer()
    api.objects = {f"app-u{n}": application(f"u{n}", n + 1, "RUNNING") for n in range(runs)}
    api.version = runs + 1
    try:
        with Server(database=database) as server:
            server.stop()
            server.write_config({"clusters": [{"name": "spark"}], "log": {"level": "warn"}, "history": [
                {"cluster": "spark", "kubernetes": {"kubeconfig": api.kubeconfig(server.folder)}}]})
            server.start()
            wait_until(lambda: _recorded(server) == runs, "all runs to be recorded", 300)
            report.add(f"{kind}: RSS with {runs:,} live runs", _rss(server), "MB", 300, "limit", goal=1, at_least=False)
            rss, begin, version = [], time.monotonic(), runs + 1
            while time.monotonic() < begin + seconds:
                tick = time.monotonic()
                for _ in range(rate // 10):
                    version += 1
                    run = application(f"u{version * 7919 % runs}", version, "RUNNING")
                    run["status"]["executionAttempts"] = version
                    api.send("MODIFIED", run)
                rss.append(_rss(server))
                wait_until(lambda: time.monotonic() >= tick + 0.1, "the next tenth of a second", every=0.01)
            first = max(rss[:max(1, len(rss) // 3)])
            report.add(f"{kind}: RSS after {seconds} s of {rate} events a second", max(rss[-max(1, len(rss) // 10):]), "MB",
                       first, "in the first third", goal=1.05, at_least=False)
    finally:
        api.close()
