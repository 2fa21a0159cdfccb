select {part_job_columns} from jobs j where j.status in (2, 3, 7) and j.lease_owner = :owner order by j.id
