o.cluster, o.uid, o.namespace, o.name, o.scope, o.rv, o.record_id, o.spec_hash, o.submission_id,
o.attempt_time, o.run_number, o.gone, o.outside
