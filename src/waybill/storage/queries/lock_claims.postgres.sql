-- With a limit per user only one instance claims at a time, so that both don't count the same free place.
select 1 from (select pg_advisory_xact_lock(hashtextextended('waybill claim', 0))) l
