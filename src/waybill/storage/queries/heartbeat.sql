insert into instances (id, host, roles, version, directories, started_at, heartbeat_at)
values (:id, :host, :roles, :version, :directories, waybill_now(), waybill_now())
on conflict (id) do update set host = excluded.host, roles = excluded.roles, version = excluded.version,
  directories = excluded.directories, heartbeat_at = excluded.heartbeat_at
