-- put_attempt for many.
insert into job_attempts (job_id, number, cluster_id, handle, started_at, finished_at, status, reason, error)
select * from unnest(cast(:id as text[]), cast(:number as integer[]), cast(:cluster_id as text[]),
  cast(:handle as text[]), cast(:started_at as bigint[]), cast(:finished_at as bigint[]), cast(:status as smallint[]),
  cast(:reason as text[]), cast(:error as text[]))
on conflict (job_id, number) do update set handle = excluded.handle, started_at = excluded.started_at,
  finished_at = excluded.finished_at, status = excluded.status, reason = excluded.reason, error = excluded.error
