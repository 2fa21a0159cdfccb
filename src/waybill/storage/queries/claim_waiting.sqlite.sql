-- Takes the next jobs of the queue.
update jobs as j set {part_claimed}
where id in (
  select w.id from jobs w
  where w.status = 1 and w.host_local = :host_local and w.not_before <= waybill_now()
  order by w.priority desc, w.id limit :places)
returning {part_returned_columns}
