delete from job_results where job_id = :id
