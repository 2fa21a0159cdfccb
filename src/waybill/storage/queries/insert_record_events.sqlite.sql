insert into events (type, subject, at, body)
select 'record', x.subject, waybill_now(), x.body from {part_event_rows} order by x.n
