insert into catalog_revisions (hash, kind, body) values (:hash, :kind, :body) on conflict (hash) do nothing
