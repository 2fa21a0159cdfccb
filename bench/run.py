"""./x bench: measures the server beside the databases themselves, in one run, since absolute times say little on a
shared machine. Full durability everywhere: PostgreSQL with fsync and synchronous_commit, SQLite with synchronous=FULL.

    run.py [--short] [--rows N] [--seconds S] [--only WORD]
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/support/python"))

import baselines  # noqa: E402
import histories  # noqa: E402
import rows  # noqa: E402
import templates  # noqa: E402
from report import Report  # noqa: E402
from waybill_testing import BINARY  # noqa: E402
from waybill_testing.client import FINAL, job  # noqa: E402
from waybill_testing.postgres import Postgres  # noqa: E402
from waybill_testing.server import Server  # noqa: E402
from waybill_testing.waiting import wait_until  # noqa: E402

LOAD = BINARY.parent / "waybill_load"
# Nothing but the API where only submits are measured: workers would share the two cores.
API_ONLY = {"roles": ["api"], "janitor": {"finished_job_retention_days": 0}, "log": {"level": "warn"}}
WITH_WORKERS = {**API_ONLY, "roles": ["api", "worker"], "pool": {"size": 16}}


def body(**members):
    return json.dumps(job("type:ping", name="load-{n}", tags=["team:bench", "rare:{n}"],
                          context={"arguments": ["run", "{n}"]}, **members))


class Bench:
    def __init__(self, options):
        self.options, self.seconds = options, options.seconds
        self.report = Report(ROOT / "build/bench")

    def load(self, server, **arguments):
        command = [str(LOAD), "--port", str(server.port)]
        for name, value in {"seconds": self.seconds, **arguments}.items():
            command += ["--" + name, str(value)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr or done.stdout}\n{server.log()[-2000:]}")
        figures = json.loads(done.stdout)
        if figures["errors"]:
            raise RuntimeError(f"{figures['errors']} errors of {figures['requests']}: {figures.get('first_error')}\n"
                               f"{server.log()[-2000:]}")
        return figures

    # Writes -------------------------------------------------------------------------------------------------------
    def submits(self, kind, server, baseline):
        """`baseline(clients)`: figures of one insert a commit of the same row by so many clients, right after ours."""
        goal = 2 if kind == "PostgreSQL" else 5
        for clients in (1, 8, 32):
            ours = self.load(server, method="POST", path="/api/v1/job", body=body(), connections=clients)
            theirs = baseline(clients)
            self.report.add(f"{kind}: submits, {clients} connections", ours["per_second"], "/s", theirs["per_second"],
                            theirs["what"], goal=goal if clients == 32 else None, p50_ms=ours["p50_ms"],
                            p99_ms=ours["p99_ms"])
            self.report.add("  beside a table with a primary key alone", ours["per_second"], "/s",
                            theirs["bare"]["per_second"], theirs["what"])
        bulk = '{"jobs":[' + ",".join([body()] * 100) + "]}"
        ours = self.load(server, method="POST", path="/api/v1/jobs", body=bulk, connections=8)
        theirs = baseline(8)
        self.report.add(f"{kind}: bulk submit, 100 a request, 8 conn.", ours["per_second"] * 100, "/s",
                        theirs["per_second"], theirs["what"], goal=5, p50_ms=ours["p50_ms"], p99_ms=ours["p99_ms"])

    def finishing(self, kind, server, baseline):
        single = baseline(1)
        for flight in (1, 32):
            ours = self.load(server, method="POST", path="/api/v1/job", body=body(), connections=flight,
                             follow="/api/v1/events")
            self.report.add(f"{kind}: ping, submit to finished, {flight} in flight", ours["p50_ms"], "ms",
                            single["p50_ms"], single["what"] + ", p50", goal=5 if flight == 1 else None, at_least=False,
                            p50_ms=ours["p50_ms"], p99_ms=ours["p99_ms"])
            self.report.add(f"{kind}: jobs finished, {flight} in flight", ours["per_second"], "/s", single["per_second"],
                            single["what"])
        self.backlog(kind, server, single)

    def backlog(self, kind, server, single):
        count = 200 if self.options.short else 5000
        client = server.client("bench")
        for at in range(0, count, 1000):
            jobs = [job("type:ping", name=f"backlog-{at + n}", tags=["backlog:1"]) for n in range(min(1000, count - at))]
            assert client.post("/jobs", {"jobs": jobs}).status == 200
        begin, before = time.monotonic(), self.open_jobs(client)
        wait_until(lambda: self.open_jobs(client) == 0, "the backlog's end", seconds=300)
        self.report.add(f"{kind}: jobs finished, a backlog of {count}", before / (time.monotonic() - begin), "/s",
                        single["per_second"], single["what"])

    @staticmethod
    def open_jobs(client):
        open_states = "NEW,ACCEPTED,RUNNING,CANCELING"
        return len(client.pages("/jobs", {"status": open_states, "order_by": "id"}))

    # Reads --------------------------------------------------------------------------------------------------------
    def reads(self, kind, server, some_id):
        connections = 8
        nothing = self.load(server, path="/healthz", connections=connections)
        ours = self.load(server, path=f"/api/v1/job/{some_id}", connections=connections)
        self.report.add(f"{kind}: GET job, 8 connections", ours["per_second"], "/s", nothing["per_second"], "GET /healthz",
                        p50_ms=ours["p50_ms"], p99_ms=ours["p99_ms"])

    def list_times(self, server, newest):
        """p99 of a page for every guaranteed filter with both orders."""
        filters = {"no filter": "", "id": f"id={newest['id']}", "user": "username=user-7", "name": "name=name-7",
                   "name prefix": "name=name-77%25", "version": "version=1.3", "command": "command=ping",
                   "cluster": "cluster=local", "status": "status=FAILED", "rare tag": "tags=rare:5",
                   "common tag": "tags=team:7", "created": "from=2026-09-21T15:00:00Z&to=2026-09-21T16:00:00Z",
                   "finished": "finished_from=2026-09-21T15:00:00Z&finished_to=2026-09-21T16:00:00Z"}
        times = {}
        for name, query in filters.items():
            for order in ("created_at", "id"):
                figures = self.load(server, path=f"/api/v1/jobs?limit=50&order_by={order}&{query}",
                                    seconds=min(self.seconds, 2))
                times[f"{name} by {order}"] = figures
        return times

    def lists(self, kind, server, fill):
        small, large = (500, 2000) if self.options.short else (10_000, self.options.rows)
        times = {}
        for first, last in ((1, small), (small + 1, large)):
            server.stop()
            fill(first, last)
            server.start()
            newest = server.client().get("/jobs?limit=1&username=user-7").json["data"][0]
            times[last] = self.list_times(server, newest)
        for name, figures in times[large].items():
            before = times[small][name]
            self.report.add(f"{kind}: list, {name}", figures["p99_ms"], "ms", before["p99_ms"],
                            f"p99 at {small:,} rows, now {large:,}", goal=1.5, at_least=False, p50_ms=figures["p50_ms"],
                            p50_before_ms=before["p50_ms"])

    # Run history --------------------------------------------------------------------------------------------------
    def history(self, kind, new_database):
        histories.recording(self.report, kind, BINARY.parent / "bench/history_bench", new_database, self.options.short)
        histories.memory(self.report, kind, new_database(), self.options.short)

    def record_lists(self, kind, server, fill):
        small, large = (500, 2000) if self.options.short else (10_000, self.options.rows)
        times = []
        for first, last in ((1, small), (small + 1, large)):
            server.stop()
            fill(first, last)
            server.start()
            times.append(self.load(server, path="/api/v1/records?limit=50&project=sample&table=driver_quality",
                                   seconds=min(self.seconds, 3)))
        self.report.add(f"{kind}: a page of a feature table's records", times[1]["p99_ms"], "ms", times[0]["p99_ms"],
                        f"p99 at {small:,} rows, now {large:,}", goal=1.5, at_least=False, p50_ms=times[1]["p50_ms"],
                        p50_before_ms=times[0]["p50_ms"])

    # Idle ---------------------------------------------------------------------------------------------------------
    def idle(self, kind, server):
        server.stop()
        begin = time.monotonic()
        server.launch()
        wait_until(lambda: answers(server), "the first answer", every=0.002)
        started = (time.monotonic() - begin) * 1000
        self.report.add(f"{kind}: start to first answer", started, "ms", 200, "limit", goal=1, at_least=False)
        wait_until(server.is_ready, "readiness")
        before, at = cpu_seconds(server), time.monotonic()
        wait_until(lambda: time.monotonic() > at + min(self.seconds, 3), "some idle time", seconds=10)
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        rss = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024
        self.report.add(f"{kind}: RSS idle", rss, "MB", 40, "limit", goal=1, at_least=False)
        self.report.add(f"{kind}: CPU idle", (cpu_seconds(server) - before) / (time.monotonic() - at) * 100, "%")

    def run(self):
        only = self.options.only
        Report.head()
        for kind, measure in (("postgresql", self.on_postgres), ("sqlite", self.on_sqlite),
                              ("postgresql-history", self.on_postgres_history), ("sqlite-history", self.on_sqlite_history),
                              ("templates", self.on_templates)):
            if not only or only.lower() == kind:
                measure()
        self.report.write("short" if self.options.short else "full")

    def on_templates(self):
        templates.measure(self.report, BINARY.parent / "bench", min(self.seconds, 1))

    def on_postgres(self):
        kind, postgres = "PostgreSQL", Postgres(durable=True, settings=["shared_buffers=256MB", "max_wal_size=4GB"])
        try:
            self.report.add(f"{kind}: fsyncs of this disk", baselines.fsyncs(postgres.folder), "/s")
            url = postgres.new_database()
            with Server(database=url, config=API_ONLY) as server:
                pgbench = baselines.Pgbench(postgres, url, postgres.folder)

                def baseline(clients):
                    return {**pgbench.run("bench_indexed", clients, self.seconds), "what": f"pgbench, {clients} clients",
                            "bare": pgbench.run("bench_bare", clients, self.seconds)}
                self.submits(kind, server, baseline)
            with Server(database=postgres.new_database(), config=WITH_WORKERS) as server:
                self.finishing(kind, server, baseline)
                self.reads(kind, server, finished_job(server))
                self.idle(kind, server)
            url = postgres.new_database()
            with Server(database=url, config=API_ONLY) as server:
                name = url.rsplit("/", 1)[1].split("?")[0]
                self.lists(kind, server, lambda first, last: rows.fill_postgres(postgres, name, first, last))
        finally:
            postgres.close()

    def on_postgres_history(self):
        kind, postgres = "PostgreSQL history", Postgres(durable=True, settings=["shared_buffers=256MB", "max_wal_size=4GB"])
        try:
            self.history(kind, postgres.new_database)
            url = postgres.new_database()
            with Server(database=url, config=API_ONLY) as server:
                name = url.rsplit("/", 1)[1].split("?")[0]
                self.record_lists(kind, server,
                                  lambda first, last: rows.fill_records_postgres(postgres, name, first, last))
        finally:
            postgres.close()

    def on_sqlite(self):
        kind = "SQLite"
        with Server(config=API_ONLY) as server:
            def baseline(clients):
                inserts = lambda indexed: baselines.sqlite_inserts(server.folder, server.folder / "waybill.db",
                                                                   self.seconds, indexed)
                return {**inserts(True), "what": "one insert a commit", "bare": inserts(False)}
            self.submits(kind, server, baseline)
            with Server(config=WITH_WORKERS) as working:
                self.finishing(kind, working, baseline)
                self.reads(kind, working, finished_job(working))
                self.idle(kind, working)
        with Server(config=API_ONLY) as server:
            self.lists(kind, server, lambda first, last: rows.fill_sqlite(server.folder / "waybill.db", first, last))


    def on_sqlite_history(self):
        kind, count = "SQLite history", itertools.count()
        with tempfile.TemporaryDirectory(prefix="waybill-bench-") as folder:
            self.history(kind, lambda: f"sqlite:{folder}/{next(count)}.db")
        with Server(config=API_ONLY) as server:
            self.record_lists(kind, server,
                              lambda first, last: rows.fill_records_sqlite(server.folder / "waybill.db", first, last))


def finished_job(server):
    client = server.client("bench")
    sent = client.submit("type:ping")["id"]
    assert client.wait_for(sent)["status"] in FINAL
    return sent


def answers(server):
    try:
        return server.client().get("//healthz", timeout=5).status == 200
    except OSError:
        return False


def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="only shows that everything still works: half a second each")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the large lists")
    parser.add_argument("--seconds", type=float, help="of each figure (default 5, short 0.5)")
    parser.add_argument("--only", help="postgresql, sqlite, postgresql-history, sqlite-history or templates")
    options = parser.parse_args()
    options.seconds = options.seconds or (0.5 if options.short else 5)
    Bench(options).run()


if __name__ == "__main__":
    main()
