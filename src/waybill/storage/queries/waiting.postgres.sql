-- The next jobs of the queue; what another instance is just taking is skipped.
select id, username from jobs
where status = 1 and host_local = :host_local and not_before <= waybill_now()
order by priority desc, created_at, id limit :places
for update skip locked
