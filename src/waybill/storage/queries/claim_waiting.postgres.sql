-- Takes the next jobs of the queue; what another instance is just taking is skipped.
with next as (
  select w.id from jobs w
  where w.status = 1 and w.host_local = cast(:host_local as smallint) and w.not_before <= waybill_now()
  order by w.priority desc, w.id limit cast(:places as bigint)
  for update skip locked)
update jobs as j set {part_claimed}
from next where j.id = next.id
returning {part_job_columns}
