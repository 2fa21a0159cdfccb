-- The attempt's row as it is now.
insert into job_attempts (job_id, number, cluster_id, handle, started_at, finished_at, status, reason, error)
values (:id, :number, :cluster_id, :handle, :started_at, :finished_at, :status, :reason, :error)
on conflict (job_id, number) do update set handle = excluded.handle, started_at = excluded.started_at,
  finished_at = excluded.finished_at, status = excluded.status, reason = excluded.reason, error = excluded.error
