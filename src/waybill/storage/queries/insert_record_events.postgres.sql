-- x.n numbers the rows of this transaction.
insert into events (position, type, subject, at, body)
select (cast(cast(pg_current_xact_id() as text) as bigint) << 20) + x.n, 'record', x.subject, waybill_now(), x.body
from {part_event_rows} order by x.n
