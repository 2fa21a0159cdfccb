-- The horizon goes up in order, so that nothing older than it is kept.
update event_horizon set position = coalesce((
  select max(position) from (select position, at from events order by position limit :most) e where at < :before
), position)
