-- Of an owner that never had a row, the job's own last change counts.
select {part_job_columns} from jobs j left join instances i on i.id = j.lease_owner
where j.status in (2, 3, 7) and j.lease_owner <> :by and (j.host_local = 0 or j.host = :host)
  and coalesce(i.heartbeat_at, j.updated_at) < waybill_now() - cast(:lease_us as bigint)
order by j.id limit :most
