-- insert_job of a job that waits and has no past: all of its state is the same.
insert into jobs (id, status, username, name, version, description, tags, context, command_criteria,
  cluster_criteria, store_result_sync, queue, priority, timeout_us, max_attempts, idempotency_key, rerun_of,
  command_id, command_name, cluster_id, cluster_name, plugin, is_sync, host_local, command_revision,
  cluster_revision, attempt, lease_epoch, lease_owner, host, handle, status_reason, error, canceled_by,
  not_before, duration_us, created_at, updated_at)
values (:id, 1, :username, :name, :version, :description, :tags, :context, :command_criteria,
  :cluster_criteria, :store_result_sync, :queue, :priority, :timeout_us, :max_attempts, :idempotency_key,
  :rerun_of, :command_id, :command_name, :cluster_id, :cluster_name, :plugin, :is_sync, :host_local,
  :command_revision, :cluster_revision, 1, 0, '', '', '', '', '', '', 0, -1, :created_at, :created_at)
