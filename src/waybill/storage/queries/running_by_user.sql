select username, count(*) from jobs where status in (2, 3, 7) group by username
