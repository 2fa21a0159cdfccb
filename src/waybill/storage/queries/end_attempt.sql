-- The attempt before the one that now waits has ended, unless that is known already.
insert into job_attempts (job_id, number, cluster_id, handle, finished_at, status, reason, error)
values (:id, :number, :cluster_id, '', waybill_now(), 5, :reason, :error)
on conflict (job_id, number) do update set finished_at = excluded.finished_at, status = excluded.status,
  reason = excluded.reason, error = excluded.error
where job_attempts.finished_at is null
