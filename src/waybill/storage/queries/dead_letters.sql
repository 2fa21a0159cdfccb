-- The newest first.
select d.cluster, d.scope, d.namespace, d.name, d.subject, d.rv, d.size, d.reason, d.times, d.first_at, d.last_at
from dead_letters d order by d.last_at desc, d.cluster, d.subject limit :most
