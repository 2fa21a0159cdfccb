-- A row if the key is now ours: it was free or out of date. Waits for another transaction that takes it.
insert into idempotency_keys (caller, key, endpoint, request_hash, job_ids, expires_at)
values (:caller, :key, :endpoint, :request_hash, :job_ids, waybill_now() + cast(:keep_us as bigint))
on conflict (caller, key) do update set endpoint = excluded.endpoint, request_hash = excluded.request_hash,
  job_ids = excluded.job_ids, expires_at = excluded.expires_at
where idempotency_keys.expires_at <= waybill_now()
returning 1
