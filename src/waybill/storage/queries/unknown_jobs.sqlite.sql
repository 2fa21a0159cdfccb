select t.value from json_each(:ids) t where not exists (select 1 from jobs j where j.id = t.value)
