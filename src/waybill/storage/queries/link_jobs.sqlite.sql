-- The records of these jobs, oldest first.
update jobs as j set record_ids = (select json_group_array(s.id) from
  (select r.id from records r where r.gateway_job = j.id and r.gateway_job <> '' order by r.opened_at, r.id) s)
from {part_words} where j.id = x.value
