exists (select 1 from job_tags t where t.tag = :{value} and t.job_id = j.id)
