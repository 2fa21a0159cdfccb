update records as r set unwatched_since = null
where r.end_time is null and r.unwatched_since is not null and exists (
  select 1 from objects o join watch_leases l on l.cluster = o.cluster and l.scope = o.scope
  where o.cluster = r.cluster and o.uid = r.uid and l.watched_at > waybill_now() - cast(:patience_us as bigint))
