-- The objects of a batch, as a table x.
json_to_recordset(cast(:rows as json)) as x (uid text, namespace text, name text, scope text, rv bigint, record_id text, spec_hash text,
  submission_id text, attempt_time bigint, run_number integer, gone smallint, outside smallint,
  seen_at bigint, decided_on bigint)
