-- :delay_us (0: none) is how long from now it must wait. What a lease is measured by is the database's time.
insert into jobs (id, status, username, name, version, description, tags, context, command_criteria,
  cluster_criteria, store_result_sync, queue, priority, timeout_us, max_attempts, idempotency_key, rerun_of,
  command_id, command_name, cluster_id, cluster_name, plugin, is_sync, host_local, command_revision,
  cluster_revision, attempt, lease_epoch, lease_owner, host, handle, status_reason, error, canceled_by,
  not_before, started_at, finished_at, duration_us, extra_job_attributes, attribute_errors, record_ids,
  created_at, updated_at)
values (:id, :status, :username, :name, :version, :description, :tags, :context, :command_criteria,
  :cluster_criteria, :store_result_sync, :queue, :priority, :timeout_us, :max_attempts, :idempotency_key,
  :rerun_of, :command_id, :command_name, :cluster_id, :cluster_name, :plugin, :is_sync, :host_local,
  :command_revision, :cluster_revision, :attempt, :lease_epoch, :lease_owner, :host, :handle, :status_reason,
  :error, :canceled_by,
  case when cast(:delay_us as bigint) > 0 then waybill_now() + cast(:delay_us as bigint) else 0 end,
  :started_at, :finished_at, :duration_us, :attributes, :attribute_errors, :record_ids,
  cast(:created_at as bigint), case when cast(:status as smallint) = 1 then cast(:created_at as bigint) else waybill_now() end)
