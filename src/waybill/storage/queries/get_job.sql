select {part_job_columns} from jobs j where j.id = :id
