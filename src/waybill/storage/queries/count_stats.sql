insert into stats_hourly (hour, username, command, cluster, status, bucket, shard, jobs)
values (:hour, :username, :command, :cluster, :status, :bucket, :shard, :jobs)
on conflict (hour, username, command, cluster, status, bucket, shard)
do update set jobs = stats_hourly.jobs + excluded.jobs
