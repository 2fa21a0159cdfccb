insert into job_results (job_id, info) values (:id, :info)
on conflict (job_id) do update set info = excluded.info
