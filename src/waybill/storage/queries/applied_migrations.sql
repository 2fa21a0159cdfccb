select number, name, checksum from schema_migrations order by number
