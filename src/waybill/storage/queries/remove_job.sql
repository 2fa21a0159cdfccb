delete from jobs where id = :id and status in (4, 5, 6, 8)
