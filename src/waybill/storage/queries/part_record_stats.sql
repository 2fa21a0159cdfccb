select (r.start_time - cast(:from as bigint)) / cast(:slot_us as bigint) as slot, r.status,
  case when r.reason = 'Lost' then 1 else 0 end as is_unknown, r.bucket, count(*)
from records r where {where} and r.start_time >= :from and r.start_time < :to
group by slot, r.status, is_unknown, r.bucket order by slot
