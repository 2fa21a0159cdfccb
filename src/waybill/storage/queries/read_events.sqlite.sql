select position, type, subject, at, body from events where position > :after order by position limit :most
