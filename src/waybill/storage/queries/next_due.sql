-- How long from now, in microseconds.
select not_before - waybill_now() from jobs
where status = 1 and not_before > waybill_now() order by not_before limit 1
