select id from jobs where finished_at < :before and status in (4, 5, 6, 8)
order by finished_at limit :most
