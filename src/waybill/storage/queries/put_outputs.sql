insert into job_outputs (job_id, outputs) values (:id, :outputs)
on conflict (job_id) do update set outputs = excluded.outputs
