select at, body from events where subject = :id and type = 'job' order by position
