insert into job_tags (tag, job_id) values (:tag, :id)
