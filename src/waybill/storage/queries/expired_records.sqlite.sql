select r.id, r.cluster, r.uid, r.manifest from records r
where r.end_time is not null and r.end_time < :before order by r.end_time, r.id limit :most
