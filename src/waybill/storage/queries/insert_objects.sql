-- Objects that were not known. Another watcher may have been first: the uids of those that were written.
insert into objects (cluster, uid, namespace, name, scope, rv, record_id, spec_hash, submission_id, attempt_time, run_number,
  gone, outside, seen_at)
select :cluster, x.uid, x.namespace, x.name, x.scope, x.rv, x.record_id, x.spec_hash, x.submission_id,
  x.attempt_time, x.run_number, x.gone, x.outside, x.seen_at
from {part_object_rows} where x.decided_on is null
on conflict (cluster, uid) do nothing
returning uid
