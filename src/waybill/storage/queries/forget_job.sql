delete from tombstones where job_id = :id
