-- The horizon, the end of what can be, the last position that no open transaction can come before.
select h.position, cast(cast(pg_snapshot_xmax(s.now) as text) as bigint) << 20,
  greatest(h.position, coalesce((select max(e.position) from events e
    where e.position < cast(cast(pg_snapshot_xmin(s.now) as text) as bigint) << 20), 0))
from event_horizon h, (select pg_current_snapshot() as now) s
