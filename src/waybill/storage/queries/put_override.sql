insert into catalog_overrides (kind, id, body, status, base_revision, username, created_at, updated_at)
values (:kind, :id, :body, :status, :base_revision, :username, waybill_now(), waybill_now())
on conflict (kind, id) do update set body = excluded.body, status = excluded.status,
  base_revision = excluded.base_revision, username = excluded.username, updated_at = excluded.updated_at
returning kind, id, body, status, base_revision, username, created_at, updated_at
