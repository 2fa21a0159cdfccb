select r.info from jobs j left join job_results r on r.job_id = j.id where j.id = :id
