-- What was PUT over the config. kind: 'command' or 'cluster'; body: the whole entry, or null for a mere status.
create table catalog_overrides (
  kind text not null,
  id text not null,
  body text,
  status text not null,
  base_revision text not null,
  username text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (kind, id)
);

-- Entries as they were when a job was submitted, secret references unresolved.
create table catalog_revisions (
  hash text primary key,
  kind text not null,
  body text not null
);
