-- The next jobs of the queue.
select id, username from jobs
where status = 1 and host_local = :host_local and not_before <= waybill_now()
order by priority desc, created_at, id limit :places
