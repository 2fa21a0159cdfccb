select rv from watch_cursors where cluster = :cluster and scope = :scope
