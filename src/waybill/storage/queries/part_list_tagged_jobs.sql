job_tags t join jobs j on j.id = t.job_id
