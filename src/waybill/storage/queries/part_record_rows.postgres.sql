-- The records of a batch, as a table x.
json_to_recordset(cast(:rows as json)) as x (id text, cluster text, uid text, number integer, namespace text, name text, status smallint, reason text,
  type smallint, project text, table_name text, hash text, start_time bigint, end_time bigint,
  bucket integer, window_from bigint, window_to bigint, spark_application_id text, gateway_job text,
  manifest text, has_outcome smallint, start_is_attempt smallint, awaits_status smallint, attempts bigint,
  submission_id text, attempt_time bigint, state text, driver_end bigint, opened_at bigint, seen_at bigint,
  unwatched_since bigint, type_word text, driver_pod text, web_ui_address text, output_location text,
  feature_refs text, attributes text, attribute_errors text, error text)
