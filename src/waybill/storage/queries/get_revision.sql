select hash, kind, body from catalog_revisions where hash = :hash
