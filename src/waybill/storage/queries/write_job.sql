-- Compare-and-set on status and epoch. A null leaves what is there.
update jobs as j set status = :status, attempt = :attempt, lease_epoch = :lease_epoch, lease_owner = :lease_owner,
  host = :host, handle = :handle, status_reason = :status_reason, error = :error, canceled_by = :canceled_by,
  not_before = case when cast(:delay_us as bigint) > 0 then waybill_now() + cast(:delay_us as bigint) else 0 end,
  started_at = :started_at, finished_at = :finished_at, duration_us = :duration_us,
  extra_job_attributes = coalesce(:attributes, extra_job_attributes),
  attribute_errors = coalesce(:attribute_errors, attribute_errors),
  has_result = case when :has_result = 1 then 1 else has_result end,
  updated_at = waybill_now()
where id = :id and status = :expected_status and lease_epoch = :expected_epoch
returning {part_returned_columns}
