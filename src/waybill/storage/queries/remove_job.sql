-- Side rows go with it.
delete from jobs where id = :id and status in (4, 5, 6, 8) returning id
