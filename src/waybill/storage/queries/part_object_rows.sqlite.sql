-- The objects of a batch, one at a time, as a table x.
(select :uid as uid, :namespace as namespace, :name as name, :scope as scope, :rv as rv,
  :record_id as record_id, :spec_hash as spec_hash, :submission_id as submission_id,
  :attempt_time as attempt_time, :run_number as run_number, :gone as gone, :outside as outside,
  :seen_at as seen_at, :decided_on as decided_on) x
