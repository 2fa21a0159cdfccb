"""What the database does without us: the same row, one insert a commit, by the tools that come with it."""
import os
import pathlib
import re
import sqlite3
import subprocess
import time

from waybill_testing.postgres import BIN

import rows


def percentile(values, share):
    values = sorted(values)
    return values[round(share * (len(values) - 1))] if values else 0


class Pgbench:
    """pgbench's single-row inserts of a job's row into two copies of the table: `indexed` with all indexes that lists
    need, as the server's own table has them (what the goals are measured against), and `bare` with its primary key
    alone."""

    def __init__(self, postgres, url, folder):
        self.postgres, self.database, self.folder = postgres, url.rsplit("/", 1)[1].split("?")[0], pathlib.Path(folder)
        self.user = url.split("://")[1].split("@")[0]
        postgres.sql("create table bench_bare (like jobs including defaults, primary key (id))", self.database)
        postgres.sql("create table bench_indexed (like jobs including all)", self.database)
        # pgbench takes every `:word` for a variable of its own, also within quotes.
        values = re.sub(r"(?<!:):(?=[a-z])", ":' || '", " ".join(rows.values("gen_random_uuid()::text").split()))
        for table in ("bench_bare", "bench_indexed"):
            (self.folder / f"{table}.sql").write_text(
                "\\set n random(1, 1000000000)\n"
                f"insert into {table} ({' '.join(rows.COLUMNS.split())}) "
                f"select {values} from (select :n::bigint as n) one;\n")

    def run(self, table, clients, seconds):
        log = self.folder / f"{table}-{clients}"
        for longer in (1, 4, 16):  # a disk that is very busy may let nothing through in half a second
            for old in self.folder.glob(f"{log.name}.*"):
                old.unlink()
            done = subprocess.run([BIN / "pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, 2)),
                                   "-T", str(max(1, round(seconds * longer))), "-f", self.folder / f"{table}.sql", "-l",
                                   "--log-prefix", log, "-h", "127.0.0.1", "-p", str(self.postgres.port), "-U", self.user,
                                   self.database],
                                  capture_output=True, text=True, cwd=self.folder, env={"PATH": os.environ["PATH"]})
            found = re.search(r"tps = ([\d.]+)", done.stdout)
            if found:
                break
        if not found:
            raise RuntimeError(f"pgbench: {done.stderr or done.stdout}")
        # Third column of its log: microseconds of each transaction.
        latencies = [int(line.split()[2]) / 1000 for part in self.folder.glob(f"{log.name}.*")
                     for line in part.read_text().splitlines()]
        return {"per_second": float(found.group(1)), "p50_ms": percentile(latencies, 0.5),
                "p99_ms": percentile(latencies, 0.99)}


def sqlite_inserts(folder, schema_of, seconds, indexed):
    """One insert a commit, WAL, synchronous=FULL, into a copy of the table, with or without its indexes."""
    with sqlite3.connect(schema_of) as source:
        schema = [row[0] for row in source.execute("select sql from sqlite_master where tbl_name = 'jobs' and sql is not "
                                                   "null and type in ('table', 'index') order by type desc")]
    path = pathlib.Path(folder) / "baseline.db"
    for old in path.parent.glob(path.name + "*"):
        old.unlink()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    for statement in schema if indexed else schema[:1]:
        connection.execute(statement)
    insert = (f"insert into jobs ({rows.COLUMNS}) select {rows.values('lower(hex(randomblob(16)))')} "
              "from (select ? as n)")
    latencies, end = [], time.monotonic() + seconds
    begin = now = time.monotonic()
    while now < end:
        connection.execute(insert, (len(latencies),))
        after = time.monotonic()
        latencies.append((after - now) * 1000)
        now = after
    connection.close()
    return {"per_second": len(latencies) / (now - begin), "p50_ms": percentile(latencies, 0.5),
            "p99_ms": percentile(latencies, 0.99)}


def fsyncs(folder, seconds=1.0):
    """fsyncs of a small append a second: what no durable commit can pass."""
    path, count, end = pathlib.Path(folder) / "fsync", 0, time.monotonic() + seconds
    with open(path, "wb", buffering=0) as file:
        while time.monotonic() < end:
            file.write(b"x" * 512)
            os.fdatasync(file.fileno())
            count += 1
    path.unlink()
    return count / seconds
