update records as r set namespace = x.namespace, name = x.name, status = x.status, reason = x.reason, type = x.type,
  project = x.project, table_name = x.table_name, hash = x.hash, start_time = x.start_time,
  end_time = x.end_time, bucket = x.bucket, window_from = x.window_from, window_to = x.window_to,
  spark_application_id = x.spark_application_id, gateway_job = x.gateway_job, manifest = x.manifest,
  has_outcome = x.has_outcome, start_is_attempt = x.start_is_attempt, awaits_status = x.awaits_status,
  attempts = x.attempts, submission_id = x.submission_id, attempt_time = x.attempt_time, state = x.state,
  driver_end = x.driver_end, opened_at = x.opened_at, seen_at = x.seen_at,
  unwatched_since = x.unwatched_since, type_word = x.type_word, driver_pod = x.driver_pod,
  web_ui_address = x.web_ui_address, output_location = x.output_location, feature_refs = x.feature_refs,
  attributes = x.attributes, attribute_errors = x.attribute_errors, error = x.error
from {part_record_rows} where r.id = x.id
