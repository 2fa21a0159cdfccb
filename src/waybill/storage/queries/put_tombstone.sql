insert into tombstones (job_id, removed_at) values (:id, waybill_now()) on conflict (job_id) do nothing
