insert into instances (id, host, roles, version, started_at, heartbeat_at)
values (:id, :host, :roles, :version, waybill_now(), waybill_now())
on conflict (id) do update set host = excluded.host, roles = excluded.roles, version = excluded.version,
  heartbeat_at = excluded.heartbeat_at
