select r.id from records r where r.gateway_job = :job and r.gateway_job <> '' order by r.start_time, r.id
