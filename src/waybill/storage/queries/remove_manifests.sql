delete from record_manifests where hash in (select x.value from {part_words})
  and loose_since is not null and loose_since < :before
  and not exists (select 1 from records r where r.manifest = record_manifests.hash and r.manifest <> '')
