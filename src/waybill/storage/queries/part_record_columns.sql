r.id, r.cluster, r.uid, r.number, r.namespace, r.name, r.status, r.reason, r.type, r.project, r.table_name,
r.hash, r.start_time, r.end_time, r.bucket, r.window_from, r.window_to, r.spark_application_id,
r.gateway_job, r.manifest, r.has_outcome, r.start_is_attempt, r.awaits_status, r.attempts, r.submission_id,
r.attempt_time, r.state, r.driver_end, r.opened_at, r.seen_at, r.unwatched_since, r.type_word,
r.driver_pod, r.web_ui_address, r.output_location, r.feature_refs, r.attributes, r.attribute_errors, r.error
