select m.hash from record_manifests m where m.loose_since is not null and m.loose_since < :before
order by m.loose_since limit :most
