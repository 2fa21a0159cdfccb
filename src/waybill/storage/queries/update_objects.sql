-- Compare-and-set on the version that was decided on: the uids of those that were written.
update objects set namespace = x.namespace, name = x.name, scope = x.scope, rv = x.rv, record_id = x.record_id,
  spec_hash = x.spec_hash, submission_id = x.submission_id, attempt_time = x.attempt_time,
  run_number = x.run_number, gone = x.gone, outside = x.outside, seen_at = x.seen_at
from {part_object_rows}
where objects.cluster = :cluster and objects.uid = x.uid and objects.rv = x.decided_on
returning objects.uid
