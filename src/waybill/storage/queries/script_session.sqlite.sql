-- Full durability. LIKE is case-sensitive, as PostgreSQL's is.
pragma journal_mode = wal;
pragma synchronous = full;
pragma foreign_keys = on;
pragma case_sensitive_like = on;
pragma temp_store = memory;
pragma cache_size = -16000;
