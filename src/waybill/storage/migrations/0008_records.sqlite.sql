-- Runs of SparkApplications as they were seen, and what a watcher needs to go on after a restart. Times are
-- microseconds since 1970; 0 and 1 are no and yes.

-- What is known of a watched object, as long as it exists, whatever retention does to its records.
create table objects (
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
create index objects_by_name on objects (cluster, namespace, name) where gone = 0;
create index objects_by_scope on objects (cluster, scope, uid) where gone = 0;
create index objects_outside on objects (cluster, scope, uid) where outside = 1 and gone = 0;

create table record_manifests (
  hash text primary key,
  body text not null,
  -- When a record let go of it; nothing may point to it any more.
  loose_since integer
) strict;
create index record_manifests_loose on record_manifests (loose_since) where loose_since is not null;

create table records (
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
create unique index records_of_object on records (cluster, uid, number);

-- Lists: each filter alone, with the order.
create index records_by_start on records (start_time, id);
create index records_by_project on records (project, start_time, id);
create index records_by_project_table on records (project, table_name, start_time, id);
create index records_by_table on records (table_name, start_time, id);
create index records_by_hash on records (hash, start_time, id) where hash <> '';
create index records_by_type on records (type, start_time, id);
create index records_by_status on records (status, start_time, id);
create index records_by_reason on records (reason, start_time, id);
create index records_by_cluster on records (cluster, start_time, id);
create index records_by_namespace on records (namespace, start_time, id);
create index records_by_name on records (name, start_time, id);
create index records_by_gateway_job on records (gateway_job, start_time, id) where gateway_job <> '';
create index records_by_application on records (spark_application_id, start_time, id)
  where spark_application_id <> '';

-- Retention, what refers to a manifest, and what a clock must look at.
create index records_ended on records (end_time, id) where end_time is not null;
create index records_by_manifest on records (manifest) where manifest <> '';
create index records_waiting on records (opened_at) where awaits_status = 1 and end_time is null;
create index records_without_outcome on records (cluster, uid, submission_id) where has_outcome = 0;
create index records_open on records (cluster, uid) where end_time is null;
create index records_unwatched on records (unwatched_since) where unwatched_since is not null and end_time is null;

-- Up to where a watch has been recorded.
create table watch_cursors (
  cluster text not null,
  scope text not null,
  rv text not null,
  at integer not null,
  primary key (cluster, scope)
) strict, without rowid;

-- Objects that could not be handled, the last time each.
create table dead_letters (
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
create index dead_letters_by_time on dead_letters (last_at);

-- Who watches a scope. Two at once are harmless; one is enough.
create table watch_leases (
  cluster text not null,
  scope text not null,
  holder text not null,
  renewed_at integer not null,
  -- When its watch was last known to see the cluster.
  watched_at integer not null,
  primary key (cluster, scope)
) strict, without rowid;

-- Of the hashes of specifications; made once.
create table history_key (
  one integer primary key check (one = 1),
  key text not null
) strict, without rowid;
