status = 2, lease_owner = :owner, lease_epoch = lease_epoch + 1,
  host = case when host_local = 1 then cast(:host as text) else '' end, not_before = 0, updated_at = waybill_now()
