delete from job_tags where job_id = :id and tag in (
  select t.value from jobs j, json_each(j.tags) t where j.id = :id)
