-- The horizon, the end of what can be, the last position.
select position, max(position, coalesce((select max(position) from events), 0)),
  max(position, coalesce((select max(position) from events), 0))
from event_horizon
