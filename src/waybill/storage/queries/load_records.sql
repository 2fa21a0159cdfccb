-- The newest of each object, and those that an outcome may still come for.
select {part_record_columns} from {part_words} cross join objects o cross join records r
where o.cluster = :cluster and o.uid = x.value and r.cluster = :cluster and r.uid = x.value and r.number = o.run_number
union all
select {part_record_columns} from {part_words} cross join objects o cross join records r
where o.cluster = :cluster and o.uid = x.value and r.cluster = :cluster and r.uid = x.value and r.has_outcome = 0
  and r.submission_id = o.submission_id and r.submission_id <> '' and r.number < o.run_number
