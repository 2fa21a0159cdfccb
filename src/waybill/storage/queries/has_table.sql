select 1 as one from records r where r.project = :project and r.table_name = :table limit 1
