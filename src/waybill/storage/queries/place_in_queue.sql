select count(w.id) from jobs j left join jobs w on w.status = 1 and w.host_local = j.host_local
  and (w.priority > j.priority or (w.priority = j.priority and w.id < j.id))
where j.id = :id group by j.id
