-- The next jobs of every user that waits, at most :per_user of each, so that the cost is that of the users and
-- not of the longest backlog. Users are found by stepping from one to the next in the index.
with recursive users (username) as (
  (select username from jobs where status = 1 order by username limit 1)
  union all
  select (select j.username from jobs j where j.status = 1 and j.username > u.username order by j.username limit 1)
  from users u where u.username is not null)
select j.id, j.username, j.priority from users u cross join lateral (
  select w.id, w.username, w.priority from jobs w
  where w.status = 1 and w.username = u.username and w.host_local = :host_local and w.not_before <= waybill_now()
  order by w.priority desc, w.id limit cast(:per_user as bigint)) j
where u.username is not null
order by j.priority desc, j.id
