j.id, j.status, j.username, j.name, j.version, j.description, j.tags, {part_context}, j.command_criteria,
j.cluster_criteria, j.store_result_sync, j.queue, j.priority, j.timeout_us, j.max_attempts, j.idempotency_key,
j.rerun_of, j.command_id, j.command_name, j.cluster_id, j.cluster_name, j.plugin, j.is_sync, j.host_local,
j.command_revision, j.cluster_revision, j.attempt, j.lease_epoch, j.lease_owner, j.host, j.handle,
j.status_reason, j.error, j.canceled_by, j.not_before, j.started_at, j.finished_at, j.extra_job_attributes,
j.attribute_errors, j.record_ids, j.has_result, j.created_at, j.updated_at
