-- insert_job for many: each parameter is an array with a place for each job.
insert into jobs (
  id, status, username, name, version, description, tags, context, command_criteria, cluster_criteria,
  store_result_sync, queue, priority, timeout_us, max_attempts, idempotency_key, rerun_of, command_id,
  command_name, cluster_id, cluster_name, plugin, is_sync, host_local, command_revision, cluster_revision,
  attempt, lease_epoch, lease_owner, host, handle, status_reason, error, canceled_by, not_before, started_at,
  finished_at, duration_us, extra_job_attributes, attribute_errors, record_ids, created_at, updated_at)
select
  j.id, j.status, j.username, j.name, j.version, j.description, j.tags, j.context, j.command_criteria,
  j.cluster_criteria, j.store_result_sync, j.queue, j.priority, j.timeout_us, j.max_attempts,
  j.idempotency_key, j.rerun_of, j.command_id, j.command_name, j.cluster_id, j.cluster_name, j.plugin,
  j.is_sync, j.host_local, j.command_revision, j.cluster_revision, j.attempt, j.lease_epoch, j.lease_owner,
  j.host, j.handle, j.status_reason, j.error, j.canceled_by,
  case when j.delay_us > 0 then waybill_now() + j.delay_us else 0 end, j.started_at, j.finished_at,
  j.duration_us, cast(j.attributes as jsonb), j.attribute_errors, j.record_ids, j.created_at,
  case when j.status = 1 then j.created_at else waybill_now() end
from unnest(
  cast(:id as text[]), cast(:status as smallint[]), cast(:username as text[]), cast(:name as text[]),
  cast(:version as text[]), cast(:description as text[]), cast(:tags as text[]), cast(:context as text[]),
  cast(:command_criteria as text[]), cast(:cluster_criteria as text[]), cast(:store_result_sync as smallint[]),
  cast(:queue as text[]), cast(:priority as integer[]), cast(:timeout_us as bigint[]),
  cast(:max_attempts as integer[]), cast(:idempotency_key as text[]), cast(:rerun_of as text[]),
  cast(:command_id as text[]), cast(:command_name as text[]), cast(:cluster_id as text[]),
  cast(:cluster_name as text[]), cast(:plugin as text[]), cast(:is_sync as smallint[]),
  cast(:host_local as smallint[]), cast(:command_revision as text[]), cast(:cluster_revision as text[]),
  cast(:attempt as integer[]), cast(:lease_epoch as bigint[]), cast(:lease_owner as text[]),
  cast(:host as text[]), cast(:handle as text[]), cast(:status_reason as text[]), cast(:error as text[]),
  cast(:canceled_by as text[]), cast(:delay_us as bigint[]), cast(:started_at as bigint[]),
  cast(:finished_at as bigint[]), cast(:duration_us as bigint[]), cast(:attributes as text[]),
  cast(:attribute_errors as text[]), cast(:record_ids as text[]), cast(:created_at as bigint[])) as j (
  id, status, username, name, version, description, tags, context, command_criteria, cluster_criteria,
  store_result_sync, queue, priority, timeout_us, max_attempts, idempotency_key, rerun_of, command_id,
  command_name, cluster_id, cluster_name, plugin, is_sync, host_local, command_revision, cluster_revision,
  attempt, lease_epoch, lease_owner, host, handle, status_reason, error, canceled_by, delay_us, started_at,
  finished_at, duration_us, attributes, attribute_errors, record_ids, created_at)
