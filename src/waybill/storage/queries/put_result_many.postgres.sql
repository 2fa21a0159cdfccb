-- put_result for many.
insert into job_results (job_id, info) select * from unnest(cast(:id as text[]), cast(:info as text[]))
on conflict (job_id) do update set info = excluded.info
