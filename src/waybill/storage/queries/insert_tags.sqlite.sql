insert into job_tags (tag, created_at, job_id)
select t.value, j.created_at, j.id from jobs j, json_each(:tags) t where j.id = :id
