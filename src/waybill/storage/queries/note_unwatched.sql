-- Open runs that no watch has been able to see for :patience_us.
update records as r set unwatched_since = waybill_now()
where r.end_time is null and r.unwatched_since is null and not exists (
  select 1 from objects o join watch_leases l on l.cluster = o.cluster and l.scope = o.scope
  where o.cluster = r.cluster and o.uid = r.uid and l.watched_at > waybill_now() - cast(:patience_us as bigint))
