insert into record_manifests (hash, body) select x.hash, x.body from {part_manifest_rows} where true
on conflict (hash) do update set loose_since = null
