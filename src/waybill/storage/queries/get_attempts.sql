select number, cluster_id, handle, started_at, finished_at, status, reason, error
from job_attempts where job_id = :id order by number
