select 1 from jobs where id = :id
