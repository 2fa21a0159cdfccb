-- The records of a batch, one at a time, as a table x.
(select :id as id, :cluster as cluster, :uid as uid, :number as number, :namespace as namespace,
  :name as name, :status as status, :reason as reason, :type as type, :project as project,
  :table_name as table_name, :hash as hash, :start_time as start_time, :end_time as end_time,
  :bucket as bucket, :window_from as window_from, :window_to as window_to,
  :spark_application_id as spark_application_id, :gateway_job as gateway_job, :manifest as manifest,
  :has_outcome as has_outcome, :start_is_attempt as start_is_attempt, :awaits_status as awaits_status,
  :attempts as attempts, :submission_id as submission_id, :attempt_time as attempt_time, :state as state,
  :driver_end as driver_end, :opened_at as opened_at, :seen_at as seen_at,
  :unwatched_since as unwatched_since, :type_word as type_word, :driver_pod as driver_pod,
  :web_ui_address as web_ui_address, :output_location as output_location, :feature_refs as feature_refs,
  :attributes as attributes, :attribute_errors as attribute_errors, :error as error) x
