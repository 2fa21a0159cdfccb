select endpoint, request_hash, job_ids from idempotency_keys
where caller = :caller and key = :key and expires_at > waybill_now()
