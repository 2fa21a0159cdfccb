select {part_job_columns} from jobs j left join instances i on i.id = j.lease_owner
where j.status in (2, 3, 7) and j.host_local = 1 and j.host <> :host
  and coalesce(i.heartbeat_at, j.updated_at) < waybill_now() - cast(:away_us as bigint)
order by j.id limit :most
