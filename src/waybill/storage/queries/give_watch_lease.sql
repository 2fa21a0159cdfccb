update watch_leases set renewed_at = 0 where cluster = :cluster and scope = :scope and holder = :holder
