id, status, username, name, version, description, tags, context, command_criteria,
cluster_criteria, store_result_sync, queue, priority, timeout_us, max_attempts, idempotency_key,
rerun_of, command_id, command_name, cluster_id, cluster_name, plugin, is_sync, host_local,
command_revision, cluster_revision, attempt, lease_epoch, lease_owner, host, handle,
status_reason, error, canceled_by, not_before, started_at, finished_at, extra_job_attributes,
attribute_errors, record_ids, has_result, created_at, updated_at
