-- No more than :most are counted.
select count(*) from (select 1 from jobs where status = 1 and username = :username limit :most) w
