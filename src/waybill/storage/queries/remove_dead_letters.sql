delete from dead_letters where (cluster, subject) in (
  select d.cluster, d.subject from dead_letters d where d.last_at < :before order by d.last_at limit :most)
