insert into schema_migrations (number, name, checksum, applied_at) values (:number, :name, :checksum, waybill_now())
