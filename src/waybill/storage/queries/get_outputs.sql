select o.outputs from jobs j left join job_outputs o on o.job_id = j.id where j.id = :id
