-- insert_new_job for many: each parameter is an array with a place for each job.
insert into jobs (id, status, username, name, version, description, tags, context, command_criteria,
  cluster_criteria, store_result_sync, queue, priority, timeout_us, max_attempts, idempotency_key, rerun_of,
  command_id, command_name, cluster_id, cluster_name, plugin, is_sync, host_local, command_revision,
  cluster_revision, attempt, lease_epoch, lease_owner, host, handle, status_reason, error, canceled_by,
  not_before, duration_us, created_at, updated_at)
select j.id, 1, j.username, j.name, j.version, j.description, j.tags, j.context, j.command_criteria,
  j.cluster_criteria, j.store_result_sync, j.queue, j.priority, j.timeout_us, j.max_attempts, j.idempotency_key,
  j.rerun_of, j.command_id, j.command_name, j.cluster_id, j.cluster_name, j.plugin, j.is_sync, j.host_local,
  j.command_revision, j.cluster_revision, 1, 0, '', '', '', '', '', '', 0, -1, j.created_at, j.created_at
from unnest(
  cast(:id as text[]), cast(:username as text[]), cast(:name as text[]), cast(:version as text[]),
  cast(:description as text[]), cast(:tags as text[]), cast(:context as text[]), cast(:command_criteria as text[]),
  cast(:cluster_criteria as text[]), cast(:store_result_sync as smallint[]), cast(:queue as text[]),
  cast(:priority as integer[]), cast(:timeout_us as bigint[]), cast(:max_attempts as integer[]),
  cast(:idempotency_key as text[]), cast(:rerun_of as text[]), cast(:command_id as text[]),
  cast(:command_name as text[]), cast(:cluster_id as text[]), cast(:cluster_name as text[]), cast(:plugin as text[]),
  cast(:is_sync as smallint[]), cast(:host_local as smallint[]), cast(:command_revision as text[]),
  cast(:cluster_revision as text[]), cast(:created_at as bigint[])) as j (
  id, username, name, version, description, tags, context, command_criteria, cluster_criteria, store_result_sync,
  queue, priority, timeout_us, max_attempts, idempotency_key, rerun_of, command_id, command_name, cluster_id,
  cluster_name, plugin, is_sync, host_local, command_revision, cluster_revision, created_at)
