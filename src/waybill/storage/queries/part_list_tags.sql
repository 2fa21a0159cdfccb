job_tags t
