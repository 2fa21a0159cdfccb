delete from events where position <= (select position from event_horizon)
