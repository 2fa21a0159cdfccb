"""Finished jobs straight into the tables, as many as wanted: for lists at sizes that no one would submit one by one.

The rows look like a year of use: 200 users, 1,000 names, 5 versions, 97 % succeeded; each has two tags, one of them
rare. Ids are uuid v7 of their creation times, one second apart."""
import sqlite3

COLUMNS = """id, status, username, name, version, description, tags, context, command_criteria, cluster_criteria,
store_result_sync, queue, priority, timeout_us, max_attempts, idempotency_key, rerun_of, command_id, command_name,
cluster_id, cluster_name, plugin, is_sync, host_local, command_revision, cluster_revision, attempt, lease_epoch,
lease_owner, host, handle, status_reason, error, canceled_by, not_before, started_at, finished_at, duration_us,
created_at, updated_at"""

# `n` counts from 1; the newest is a minute ago. The dialects differ in how they count, format and hash.
FIRST_MS = "(1790000000000 + n * 1000)"
VALUES = """{id}, case when n % 33 = 0 then 4 else 6 end, 'user-' || (n % 200), 'name-' || (n % 1000), '1.' || (n % 5), '',
'["rare:' || (n / 100) || '","team:' || (n % 50) || '"]', '{{"arguments":["run","' || n || '"]}}', '["type:ping"]',
'["type:local"]', 0, '', 0, 0, 1, '', '', 'ping', 'ping', 'local', 'local', 'ping', 0, 0, '{command_revision}',
'{cluster_revision}', 1, 1, '', '', '', '', '', '', 0, {first} * 1000, {first} * 1000 + n % 100000 * 1000,
n % 100000 * 1000, {first} * 1000, {first} * 1000 + n % 100000 * 1000"""

TAGS = ("'rare:' || ((created_at / 1000000 - 1790000000) / 100)", "'team:' || ((created_at / 1000000 - 1790000000) % 50)")


def values(new_id):
    return VALUES.format(id=new_id, first=FIRST_MS, command_revision="0" * 64, cluster_revision="0" * 64)


def fill_postgres(postgres, database, first, last):
    stamp = f"lpad(to_hex({FIRST_MS}), 12, '0')"
    tail = "md5(n::text)"
    new_id = (f"substr({stamp}, 1, 8) || '-' || substr({stamp}, 9, 4) || '-7' || substr({tail}, 1, 3) || '-8' || "
              f"substr({tail}, 4, 3) || '-' || substr({tail}, 7, 12)")
    numbers = f"generate_series({first}::bigint, {last}) n"
    postgres.sql(f"insert into jobs ({COLUMNS}) select {values(new_id)} from {numbers}", database)
    for tag in TAGS:
        postgres.sql(f"insert into job_tags (tag, job_id) select {tag}, id from jobs "
                     f"where created_at > {1790000000 + first - 1} * 1000000::bigint and created_at <= "
                     f"{1790000000 + last} * 1000000::bigint", database)
    postgres.sql("vacuum analyze", database)


def fill_sqlite(path, first, last):
    stamp = f"printf('%012x', {FIRST_MS})"
    new_id = (f"substr({stamp}, 1, 8) || '-' || substr({stamp}, 9, 4) || '-7' || substr(lower(hex(randomblob(2))), 1, 3)"
              " || '-8' || substr(lower(hex(randomblob(2))), 1, 3) || '-' || lower(hex(randomblob(6)))")
    numbers = f"with recursive numbers(n) as (select {first} union all select n + 1 from numbers where n < {last})"
    with sqlite3.connect(path) as connection:
        connection.execute("pragma synchronous = off")
        connection.execute(f"insert into jobs ({COLUMNS}) {numbers} select {values(new_id)} from numbers")
        for tag in TAGS:
            connection.execute(f"insert into job_tags (tag, job_id) select {tag}, id from jobs "
                               "where created_at > ? and created_at <= ?",
                               ((1790000000 + first - 1) * 1000000, (1790000000 + last) * 1000000))
    connection.execute("analyze")
    connection.close()


# The run history of a feature table that is filled every minute: runs of a quarter of an hour, 3 % of which failed.
RECORD_COLUMNS = """id, cluster, uid, number, namespace, name, status, reason, type, project, table_name, hash, start_time, end_time,
bucket, window_from, window_to, spark_application_id, gateway_job, manifest, has_outcome, start_is_attempt, awaits_status,
attempts, submission_id, attempt_time, state, driver_end, opened_at, seen_at, unwatched_since, type_word, driver_pod,
web_ui_address, output_location, feature_refs, attributes, attribute_errors, error"""
RECORD_VALUES = """'record-' || n, 'eks', 'uid-' || n, 1, 'spark', 'caraml-' || (n % 50), case when n % 33 = 0 then 4 else 3 end,
case when n % 33 = 0 then 'Failed' else 'Succeeded' end, 1, 'sample', 'driver_quality', '', {at}, {at} + 900000000, 40, {at} - 86400000000,
{at}, 'spark-' || n, '', '', 1, 1, 0, 1, 'submission-' || n, {at}, 'COMPLETED', {at} + 900000000, {at}, {at} + 900000000, null,
'BATCH_INGESTION_JOB', 'driver-' || n, '', '', '[]',
'{{"Logs":{{"kind":"link","value":"https://logs.example.com/' || n || '"}}}}', '{{}}', ''""".format(at="(1700000000 + n * 60) * 1000000")


def fill_records_postgres(postgres, database, first, last):
    postgres.sql(f"insert into records ({RECORD_COLUMNS}) select {RECORD_VALUES} from generate_series({first}::bigint, {last}) n",
                 database)
    postgres.sql("vacuum analyze records", database)


def fill_records_sqlite(path, first, last):
    numbers = f"with recursive numbers(n) as (select {first} union all select n + 1 from numbers where n < {last})"
    with sqlite3.connect(path) as connection:
        connection.execute("pragma synchronous = off")
        connection.execute(f"insert into records ({RECORD_COLUMNS}) {numbers} select {RECORD_VALUES} from numbers")
    connection.execute("analyze")
    connection.close()
