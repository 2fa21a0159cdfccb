-- The jobs and what belongs to one. An id is a uuid v7, and created_at is the millisecond in it: one order. Times are
-- microseconds since 1970; 0 and 1 are no and yes.
-- waybill_now() is a function of the program's own connections.

create table jobs (
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

-- Lists: each guaranteed filter in the order of ids, which is that of created_at; and the other orders.
create index jobs_by_updated on jobs (updated_at, id);
create index jobs_by_duration on jobs (duration_us, id);
create index jobs_by_username on jobs (username, id);
create index jobs_by_name on jobs (name, id);
create index jobs_by_version on jobs (version, id);
create index jobs_by_command on jobs (command_name, id);
create index jobs_by_cluster on jobs (cluster_name, id);
create index jobs_by_status on jobs (status, id);
create index jobs_by_finished on jobs (finished_at, id) where finished_at is not null;

-- The queue, whole and by user; and what runs.
create index jobs_waiting on jobs (host_local, priority desc, id) where status = 1;
create index jobs_waiting_by_user on jobs (username, host_local, priority desc, id) where status = 1;
create index jobs_due_later on jobs (not_before) where status = 1 and not_before > 0;
create index jobs_live on jobs (lease_owner, username) where status in (2, 3, 7);

-- What follows belongs to a job and is written and removed with it, in one transaction; a foreign key would only cost
-- a look at its row for each.

-- Without the system tags, which are columns of jobs.
create table job_tags (
  tag text not null,
  job_id text not null,
  primary key (tag, job_id)
) strict, without rowid;

create table job_attempts (
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

-- What is known of a stored result; the rows lie in a file.
create table job_results (
  job_id text primary key,
  info text not null
) strict, without rowid;

-- Only where keep_outputs is on.
create table job_outputs (
  job_id text primary key,
  outputs text not null
) strict, without rowid;

-- Jobs that retention removed and whose files are still there.
create table tombstones (
  job_id text primary key,
  removed_at integer not null
) strict, without rowid;

-- Outlive their jobs.
create table idempotency_keys (
  caller text not null,
  key text not null,
  endpoint text not null,
  request_hash text not null,
  job_ids text not null,
  expires_at integer not null,
  primary key (caller, key)
) strict, without rowid;
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
