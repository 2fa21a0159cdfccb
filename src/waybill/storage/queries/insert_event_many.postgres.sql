-- insert_event for many.
insert into events (position, type, subject, at, body)
select (cast(cast(pg_current_xact_id() as text) as bigint) << 20) + e.n, e.type, e.subject, waybill_now(), e.body
from unnest(cast(:n as bigint[]), cast(:type as text[]), cast(:subject as text[]), cast(:body as text[]))
  as e (n, type, subject, body)
