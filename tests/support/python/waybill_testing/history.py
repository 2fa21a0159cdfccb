"""Runs that no cluster has to run: rows of the history, written straight into a server's database."""
import datetime as dt
import hashlib
import json
import sqlite3
import urllib.parse
import uuid

# Every column, as a batch ingestion that ended well. Times are given as datetimes.
START = dt.datetime(2026, 7, 1, 8, tzinfo=dt.timezone.utc)
DEFAULTS = {
    "cluster": "local", "number": 1, "namespace": "spark", "name": "batch-driver", "status": 3, "reason": "Succeeded",
    "type": 1, "type_word": "BATCH_INGESTION_JOB", "project": "sample", "table_name": "driver", "hash": "",
    "start_time": START, "end_time": None, "bucket": -1, "window_from": None, "window_to": None,
    "spark_application_id": "", "gateway_job": "", "manifest": "", "has_outcome": 1, "start_is_attempt": 1,
    "awaits_status": 0, "attempts": 1, "submission_id": "", "attempt_time": None, "state": "COMPLETED",
    "driver_end": None, "opened_at": START, "seen_at": START, "unwatched_since": None, "driver_pod": "",
    "web_ui_address": "", "output_location": "", "feature_refs": "[]", "attributes": "{}", "attribute_errors": "{}",
    "error": ""}
TIMES = [name for name, value in DEFAULTS.items() if isinstance(value, dt.datetime)] + [
    "end_time", "window_from", "window_to", "attempt_time", "driver_end", "unwatched_since"]


def _micros(time):
    return None if time is None else (time - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)) // dt.timedelta(microseconds=1)


class History:
    """The run history of a server that has started once."""

    def __init__(self, server, postgres=None):
        self.server, self.postgres = server, postgres

    def add(self, manifest=None, **columns):
        """Stores a run and answers its id. Columns as in the table `records`; JSON columns as values."""
        row = {**DEFAULTS, "id": str(uuid.uuid4()), "uid": str(uuid.uuid4()), **columns}
        if manifest is not None:
            body = json.dumps(manifest, sort_keys=True, separators=(",", ":"))
            row["manifest"] = hashlib.sha256(body.encode()).hexdigest()
            self._insert("record_manifests", {"hash": row["manifest"], "body": body}, unless_there=True)
        for name, value in row.items():
            if name in TIMES:
                row[name] = _micros(value)
            elif isinstance(value, (dict, list)):
                row[name] = json.dumps(value)
        self._insert("records", row)
        return row["id"]

    def _insert(self, table, row, unless_there=False):
        suffix = " on conflict do nothing" if unless_there else ""
        names = ", ".join(row)
        if self.postgres is None:
            connection = sqlite3.connect(self.server.database.split(":", 1)[1], timeout=60)
            with connection:
                connection.execute(f"insert into {table} ({names}) values ({', '.join('?' * len(row))}){suffix}",
                                   list(row.values()))
            connection.close()
            return
        values = ", ".join("null" if value is None else str(value) if isinstance(value, int)
                           else "'" + value.replace("'", "''") + "'" for value in row.values())
        database = urllib.parse.urlparse(self.server.database).path[1:]
        self.postgres.sql(f"insert into {table} ({names}) values ({values}){suffix}", database)
