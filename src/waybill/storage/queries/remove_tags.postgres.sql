delete from job_tags where job_id = :id and tag in (
  select json_array_elements_text(cast(j.tags as json)) from jobs j where j.id = :id)
