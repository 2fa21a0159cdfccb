select job_id from tombstones order by job_id limit :most
