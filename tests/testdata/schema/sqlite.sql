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
CREATE TABLE database_mark (id text primary key) strict;
CREATE TABLE dead_letters (
  cluster text not null,
  -- The uid, or a hash of what came where that could not be read.
  subject text not null,
  scope text not null,
  namespace text not null,
  name text not null,
  rv text not null,
  size integer not null,
  reason text not null,
  times integer not null,
  first_at integer not null,
  last_at integer not null,
  primary key (cluster, subject)
) strict, without rowid;
CREATE TABLE event_horizon (position integer not null) strict;
CREATE TABLE events (
  position integer primary key autoincrement,
  type text not null,
  subject text not null,
  at integer not null,
  body text not null
) strict;
CREATE TABLE history_key (
  one integer primary key check (one = 1),
  key text not null
) strict, without rowid;
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
, directories text not null default '[]');
CREATE TABLE job_attempts (
  job_id text not null,
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
  job_id text primary key,
  outputs text not null
) strict, without rowid;
CREATE TABLE job_results (
  job_id text primary key,
  info text not null
) strict, without rowid;
CREATE TABLE job_tags (
  tag text not null,
  job_id text not null,
  primary key (tag, job_id)
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
CREATE TABLE objects (
  cluster text not null,
  uid text not null,
  namespace text not null,
  name text not null,
  -- Of the watch that saw it last: the namespace or nothing, a slash, the selector.
  scope text not null,
  rv integer not null,
  record_id text not null,
  -- Keyed (history_key), because the spec is hashed with its secrets in it.
  spec_hash text not null,
  submission_id text not null,
  attempt_time integer,
  run_number integer not null,
  gone integer not null,
  -- It left the selection while a run was open.
  outside integer not null,
  seen_at integer not null,
  primary key (cluster, uid)
) strict, without rowid;
CREATE TABLE record_manifests (
  hash text primary key,
  body text not null,
  -- When a record let go of it; nothing may point to it any more.
  loose_since integer
) strict;
CREATE TABLE records (
  id text primary key,
  cluster text not null,
  uid text not null,
  number integer not null,
  namespace text not null,
  name text not null,
  status integer not null check (status between 1 and 4),
  reason text not null,
  type integer not null,
  project text not null,
  table_name text not null,
  hash text not null,
  start_time integer not null,
  end_time integer,
  -- Of the duration's histogram; -1 for a run that is not DONE.
  bucket integer not null,
  window_from integer,
  window_to integer,
  spark_application_id text not null,
  gateway_job text not null,
  manifest text not null,
  has_outcome integer not null,
  start_is_attempt integer not null,
  awaits_status integer not null,
  attempts integer not null,
  submission_id text not null,
  attempt_time integer,
  state text not null,
  driver_end integer,
  opened_at integer not null,
  seen_at integer not null,
  unwatched_since integer,
  type_word text not null,
  driver_pod text not null,
  web_ui_address text not null,
  output_location text not null,
  feature_refs text not null,
  attributes text not null,
  attribute_errors text not null,
  error text not null
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
CREATE TABLE watch_cursors (
  cluster text not null,
  scope text not null,
  rv text not null,
  at integer not null,
  primary key (cluster, scope)
) strict, without rowid;
CREATE TABLE watch_leases (
  cluster text not null,
  scope text not null,
  holder text not null,
  renewed_at integer not null,
  -- When its watch was last known to see the cluster.
  watched_at integer not null,
  primary key (cluster, scope)
) strict, without rowid;
CREATE INDEX audit_log_by_time on audit_log (at);
CREATE INDEX dead_letters_by_time on dead_letters (last_at);
CREATE INDEX events_by_subject on events (subject, position);
CREATE INDEX idempotency_keys_by_expiry on idempotency_keys (expires_at);
CREATE INDEX jobs_by_cluster on jobs (cluster_name, id);
CREATE INDEX jobs_by_command on jobs (command_name, id);
CREATE INDEX jobs_by_duration on jobs (duration_us, id);
CREATE INDEX jobs_by_finished on jobs (finished_at, id) where finished_at is not null;
CREATE INDEX jobs_by_name on jobs (name, id);
CREATE INDEX jobs_by_status on jobs (status, id);
CREATE INDEX jobs_by_updated on jobs (updated_at, id);
CREATE INDEX jobs_by_username on jobs (username, id);
CREATE INDEX jobs_by_version on jobs (version, id);
CREATE INDEX jobs_due_later on jobs (not_before) where status = 1 and not_before > 0;
CREATE INDEX jobs_live on jobs (lease_owner, username) where status in (2, 3, 7);
CREATE INDEX jobs_waiting on jobs (host_local, priority desc, id) where status = 1;
CREATE INDEX jobs_waiting_by_user on jobs (username, host_local, priority desc, id) where status = 1;
CREATE INDEX objects_by_name on objects (cluster, namespace, name) where gone = 0;
CREATE INDEX objects_by_scope on objects (cluster, scope, uid) where gone = 0;
CREATE INDEX objects_outside on objects (cluster, scope, uid) where outside = 1 and gone = 0;
CREATE INDEX record_manifests_loose on record_manifests (loose_since) where loose_since is not null;
CREATE INDEX records_by_application on records (spark_application_id, start_time, id)
  where spark_application_id <> '';
CREATE INDEX records_by_cluster on records (cluster, start_time, id);
CREATE INDEX records_by_gateway_job on records (gateway_job, start_time, id) where gateway_job <> '';
CREATE INDEX records_by_hash on records (hash, start_time, id) where hash <> '';
CREATE INDEX records_by_manifest on records (manifest) where manifest <> '';
CREATE INDEX records_by_name on records (name, start_time, id);
CREATE INDEX records_by_namespace on records (namespace, start_time, id);
CREATE INDEX records_by_project on records (project, start_time, id);
CREATE INDEX records_by_project_table on records (project, table_name, start_time, id);
CREATE INDEX records_by_reason on records (reason, start_time, id);
CREATE INDEX records_by_start on records (start_time, id);
CREATE INDEX records_by_status on records (status, start_time, id);
CREATE INDEX records_by_table on records (table_name, start_time, id);
CREATE INDEX records_by_type on records (type, start_time, id);
CREATE INDEX records_ended on records (end_time, id) where end_time is not null;
CREATE UNIQUE INDEX records_of_object on records (cluster, uid, number);
CREATE INDEX records_open on records (cluster, uid) where end_time is null;
CREATE INDEX records_unwatched on records (unwatched_since) where unwatched_since is not null and end_time is null;
CREATE INDEX records_waiting on records (opened_at) where awaits_status = 1 and end_time is null;
CREATE INDEX records_without_outcome on records (cluster, uid, submission_id) where has_outcome = 0;
