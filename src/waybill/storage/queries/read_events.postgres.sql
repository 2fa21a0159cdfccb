-- Rows of a transaction that is older than one still open only.
select position, type, subject, at, body from events
where position > :after
  and position < (select cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint) << 20)
order by position limit :most
