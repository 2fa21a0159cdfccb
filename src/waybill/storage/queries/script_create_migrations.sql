create table if not exists schema_migrations (
  number bigint primary key,
  name text not null,
  checksum text not null,
  applied_at bigint not null
)
