-- The records of these jobs, oldest first.
update jobs as j set record_ids = (select cast(coalesce(json_agg(r.id order by r.opened_at, r.id), '[]') as text)
  from records r where r.gateway_job = j.id and r.gateway_job <> '')
from {part_words} where j.id = x.value
