select kind, id, body, status, base_revision, username, created_at, updated_at from catalog_overrides
order by kind, id
