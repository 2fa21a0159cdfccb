-- The jobs and what belongs to one. An id is a uuid v7, and created_at is the millisecond in it: one order. Times are
-- microseconds since 1970; 0 and 1 are no and yes.
-- Texts are ordered by bytes. Contexts are text, not jsonb, which would turn 3.0 into 3.

-- The one clock that instances share. Tests put another in its place to move time.
create function waybill_now() returns bigint language sql stable
  as 'select (extract(epoch from statement_timestamp()) * 1000000)::bigint';

create table jobs (
  id text collate "C" primary key,
  status smallint not null check (status between 1 and 8),
  username text collate "C" not null,
  name text collate "C" not null,
  version text collate "C" not null,
  description text collate "C" not null,
  tags text collate "C" not null,
  context text collate "C",
  command_criteria text collate "C",
  cluster_criteria text collate "C",
  store_result_sync smallint not null,
  queue text collate "C" not null,
  priority integer not null,
  timeout_us bigint not null,
  max_attempts integer not null,
  idempotency_key text collate "C" not null,
  rerun_of text collate "C" not null,
  command_id text collate "C" not null,
  command_name text collate "C" not null,
  cluster_id text collate "C" not null,
  cluster_name text collate "C" not null,
  plugin text collate "C" not null,
  is_sync smallint not null,
  host_local smallint not null,
  command_revision text collate "C" not null,
  cluster_revision text collate "C" not null,
  attempt integer not null,
  lease_epoch bigint not null,
  lease_owner text collate "C" not null,
  host text collate "C" not null,
  handle text collate "C" not null,
  status_reason text collate "C" not null,
  error text collate "C" not null,
  canceled_by text collate "C" not null,
  not_before bigint not null,
  started_at bigint,
  finished_at bigint,
  -- Of a finished job that was started; -1 otherwise.
  duration_us bigint not null,
  extra_job_attributes jsonb not null default '{}',
  attribute_errors text collate "C" not null default '{}',
  record_ids text collate "C" not null default '[]',
  has_result smallint not null default 0,
  created_at bigint not null,
  updated_at bigint not null
);

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
  tag text collate "C" not null,
  job_id text collate "C" not null,
  primary key (tag, job_id)
);

create table job_attempts (
  job_id text collate "C" not null,
  number integer not null,
  cluster_id text collate "C" not null,
  handle text collate "C" not null,
  started_at bigint,
  finished_at bigint,
  status smallint not null,
  reason text collate "C" not null,
  error text collate "C" not null,
  primary key (job_id, number)
);

-- What is known of a stored result; the rows lie in a file.
create table job_results (
  job_id text collate "C" primary key,
  info text collate "C" not null
);

-- Only where keep_outputs is on.
create table job_outputs (
  job_id text collate "C" primary key,
  outputs text collate "C" not null
);

-- Jobs that retention removed and whose files are still there.
create table tombstones (
  job_id text collate "C" primary key,
  removed_at bigint not null
);

-- Outlive their jobs.
create table idempotency_keys (
  caller text collate "C" not null,
  key text collate "C" not null,
  endpoint text collate "C" not null,
  request_hash text collate "C" not null,
  job_ids text collate "C" not null,
  expires_at bigint not null,
  primary key (caller, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
