select t.value from json_array_elements_text(cast(:ids as json)) t
where not exists (select 1 from jobs j where j.id = t.value collate "C")
