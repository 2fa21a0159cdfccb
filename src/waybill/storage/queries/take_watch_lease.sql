-- A row if :holder has it now.
insert into watch_leases (cluster, scope, holder, renewed_at, watched_at)
values (:cluster, :scope, :holder, waybill_now(), case when cast(:watching as integer) = 1 then waybill_now() else 0 end)
on conflict (cluster, scope) do update set holder = excluded.holder, renewed_at = excluded.renewed_at,
  watched_at = case when cast(:watching as integer) = 1 then excluded.watched_at else watch_leases.watched_at end
where watch_leases.holder = excluded.holder
  or watch_leases.renewed_at < waybill_now() - cast(:lease_us as bigint)
returning holder
