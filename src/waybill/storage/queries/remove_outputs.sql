delete from job_outputs where job_id = :id
