select hour, status, bucket, sum(jobs) from stats_hourly
where hour >= :from and hour < :to
  and (:any_user = 1 or username = :user) and (:any_command = 1 or command = :command)
  and (:any_cluster = 1 or cluster = :cluster)
group by hour, status, bucket order by hour
