-- Servers on this database; a lease is as old as its owner's heartbeat.
create table instances (
  id text primary key,
  host text not null,
  roles text not null,
  version text not null,
  started_at bigint not null,
  heartbeat_at bigint not null
);
