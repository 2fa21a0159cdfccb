delete from job_attempts where job_id = :id
