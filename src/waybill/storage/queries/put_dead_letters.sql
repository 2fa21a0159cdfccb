insert into dead_letters (cluster, subject, scope, namespace, name, rv, size, reason, times, first_at, last_at)
select :cluster, x.subject, x.scope, x.namespace, x.name, x.rv, x.size, x.reason, 1, waybill_now(), waybill_now()
from {part_letter_rows} where true
on conflict (cluster, subject) do update set scope = excluded.scope, namespace = excluded.namespace,
  name = excluded.name, rv = excluded.rv, size = excluded.size, reason = excluded.reason,
  times = dead_letters.times + 1, last_at = excluded.last_at
