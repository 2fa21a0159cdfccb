-- Of these, the ones that are gone and have no record left.
delete from objects where gone = 1 and (cluster, uid) in (select x.cluster, x.uid from {part_key_rows})
  and not exists (select 1 from records r where r.cluster = objects.cluster and r.uid = objects.uid)
