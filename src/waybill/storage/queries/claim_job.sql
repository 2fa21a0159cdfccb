-- Nothing if another instance was first.
update jobs as j set status = 2, lease_owner = :owner, lease_epoch = lease_epoch + 1,
  host = case when host_local = 1 then cast(:host as text) else '' end, not_before = 0, updated_at = waybill_now()
where id = :id and status = 1
returning {part_returned_columns}
