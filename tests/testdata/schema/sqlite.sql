CREATE TABLE audit_log (
  id integer primary key autoincrement,
  at integer not null,
  who text not null,
  what text not null,
  origin text not null,
  outcome text not null
) strict;
CREATE TABLE catalog_overrides (
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
CREATE TABLE catalog_revisions (
  hash text primary key,
  kind text not null,
  body text not null
);
CREATE TABLE event_horizon (position integer not null) strict;
CREATE TABLE events (
  position integer primary key autoincrement,
  type text not null,
  subject text not null,
  at integer not null,
  body text not null
) strict;
CREATE TABLE idempotency_keys (
  caller text not null,
  key text not null,
  endpoint text not null,
  request_hash text not null,
  job_ids text not null,
  expires_at integer not null,
  primary key (caller, key)
) strict, without rowid;
CREATE TABLE instances (
  id text primary key,
  host text not null,
  roles text not null,
  version text not null,
  started_at bigint not null,
  heartbeat_at bigint not null
);
CREATE TABLE job_attempts (
  job_id text not null references jobs (id) on delete cascade,
  number integer not null,
  cluster_id text not null,
  handle text not null,
  started_at integer,
  finished_at integer,
  status integer not null,
  reason text not null,
  error text not null,
  primary key (job_id, number)
) strict, without rowid;
CREATE TABLE job_outputs (
  job_id text primary key references jobs (id) on delete cascade,
  outputs text not null
) strict, without rowid;
CREATE TABLE job_results (
  job_id text primary key references jobs (id) on delete cascade,
  info text not null
) strict, without rowid;
CREATE TABLE job_tags (
  tag text not null,
  created_at integer not null,
  job_id text not null references jobs (id) on delete cascade,
  primary key (tag, created_at, job_id)
) strict, without rowid;
CREATE TABLE jobs (
  id text primary key,
  status integer not null check (status between 1 and 8),
  username text not null,
  name text not null,
  version text not null,
  description text not null,
  tags text not null,
  context text,
  command_criteria text,
  cluster_criteria text,
  store_result_sync integer not null,
  queue text not null,
  priority integer not null,
  timeout_us integer not null,
  max_attempts integer not null,
  idempotency_key text not null,
  rerun_of text not null,
  command_id text not null,
  command_name text not null,
  cluster_id text not null,
  cluster_name text not null,
  plugin text not null,
  is_sync integer not null,
  host_local integer not null,
  command_revision text not null,
  cluster_revision text not null,
  attempt integer not null,
  lease_epoch integer not null,
  lease_owner text not null,
  host text not null,
  handle text not null,
  status_reason text not null,
  error text not null,
  canceled_by text not null,
  not_before integer not null,
  started_at integer,
  finished_at integer,
  -- Of a finished job that was started; -1 otherwise.
  duration_us integer not null,
  extra_job_attributes text not null default '{}' check (json_valid(extra_job_attributes)),
  attribute_errors text not null default '{}',
  record_ids text not null default '[]',
  has_result integer not null default 0,
  created_at integer not null,
  updated_at integer not null
) strict;
CREATE TABLE schema_migrations (
  number bigint primary key,
  name text not null,
  checksum text not null,
  applied_at bigint not null
);
CREATE TABLE stats_hourly (
  hour bigint not null,
  username text not null,
  command text not null,
  cluster text not null,
  status integer not null,
  bucket integer not null,
  shard integer not null,
  jobs bigint not null,
  primary key (hour, username, command, cluster, status, bucket, shard)
);
CREATE TABLE tombstones (
  job_id text primary key,
  removed_at integer not null
) strict, without rowid;
CREATE INDEX audit_log_by_time on audit_log (at);
CREATE INDEX events_by_subject on events (subject, position);
CREATE INDEX events_by_time on events (at);
CREATE INDEX idempotency_keys_by_expiry on idempotency_keys (expires_at);
CREATE INDEX job_tags_by_id on job_tags (tag, job_id);
CREATE INDEX job_tags_of_job on job_tags (job_id);
CREATE INDEX jobs_by_cluster_name_created on jobs (cluster_name, created_at, id);
CREATE INDEX jobs_by_cluster_name_id on jobs (cluster_name, id);
CREATE INDEX jobs_by_command_name_created on jobs (command_name, created_at, id);
CREATE INDEX jobs_by_command_name_id on jobs (command_name, id);
CREATE INDEX jobs_by_created on jobs (created_at, id);
CREATE INDEX jobs_by_duration on jobs (duration_us, id);
CREATE INDEX jobs_by_finished on jobs (finished_at, created_at, id) where finished_at is not null;
CREATE INDEX jobs_by_name_created on jobs (name, created_at, id);
CREATE INDEX jobs_by_name_id on jobs (name, id);
CREATE INDEX jobs_by_status_created on jobs (status, created_at, id);
CREATE INDEX jobs_by_status_id on jobs (status, id);
CREATE INDEX jobs_by_updated on jobs (updated_at, id);
CREATE INDEX jobs_by_username_created on jobs (username, created_at, id);
CREATE INDEX jobs_by_username_id on jobs (username, id);
CREATE INDEX jobs_by_version_created on jobs (version, created_at, id);
CREATE INDEX jobs_by_version_id on jobs (version, id);
CREATE INDEX jobs_due_later on jobs (not_before) where status = 1 and not_before > 0;
CREATE INDEX jobs_live on jobs (lease_owner, username) where status in (2, 3, 7);
CREATE INDEX jobs_waiting on jobs (host_local, priority desc, created_at, id) where status = 1;
CREATE INDEX jobs_waiting_by_user on jobs (username, host_local, priority desc, created_at, id) where status = 1;
