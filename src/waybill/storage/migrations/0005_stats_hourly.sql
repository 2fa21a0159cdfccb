-- Finished jobs. bucket: of the duration's histogram (storage/histogram.h), -1 for a job that never started.
-- shard: the writer that counts, so that two don't wait for each other's rows.
create table stats_hourly (
  hour bigint not null,
  username text not null,
  command text not null,
  cluster text not null,
  status integer not null,
  bucket integer not null,
  shard integer not null,
  jobs bigint not null,
  primary key (hour, username, command, cluster, status, bucket, shard)
);
