select 1, count(*) from jobs where status = 1
union all
select status, count(*) from jobs where status in (2, 3, 7) group by status
