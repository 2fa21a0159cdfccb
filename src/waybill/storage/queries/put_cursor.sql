insert into watch_cursors (cluster, scope, rv, at) values (:cluster, :scope, :rv, waybill_now())
on conflict (cluster, scope) do update set rv = excluded.rv, at = excluded.at
