-- New records whose ids are free; those that were written.
insert into records (id, cluster, uid, number, namespace, name, status, reason, type, project, table_name, hash, start_time,
  end_time, bucket, window_from, window_to, spark_application_id, gateway_job, manifest, has_outcome,
  start_is_attempt, awaits_status, attempts, submission_id, attempt_time, state, driver_end, opened_at,
  seen_at, unwatched_since, type_word, driver_pod, web_ui_address, output_location, feature_refs,
  attributes, attribute_errors, error)
select x.id, x.cluster, x.uid, x.number, x.namespace, x.name, x.status, x.reason, x.type, x.project, x.table_name,
  x.hash, x.start_time, x.end_time, x.bucket, x.window_from, x.window_to, x.spark_application_id,
  x.gateway_job, x.manifest, x.has_outcome, x.start_is_attempt, x.awaits_status, x.attempts,
  x.submission_id, x.attempt_time, x.state, x.driver_end, x.opened_at, x.seen_at, x.unwatched_since,
  x.type_word, x.driver_pod, x.web_ui_address, x.output_location, x.feature_refs, x.attributes,
  x.attribute_errors, x.error
from {part_record_rows} where true
on conflict (id) do nothing
returning id, uid, number
