-- Two writers must not count one user's jobs at the same time.
select 1 from (select pg_advisory_xact_lock(hashtextextended('waybill user ' || cast(:username as text), 0))) l
