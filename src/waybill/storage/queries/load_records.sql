-- The newest of each object, and those that an outcome may still come for.
select {part_record_columns} from {part_words}
join objects o on o.cluster = :cluster and o.uid = x.value
join records r on r.cluster = o.cluster and r.uid = o.uid and r.number = o.run_number
union all
select {part_record_columns} from {part_words}
join objects o on o.cluster = :cluster and o.uid = x.value
join records r on r.cluster = o.cluster and r.uid = o.uid and r.has_outcome = 0 and r.submission_id = o.submission_id
where r.submission_id <> '' and r.number < o.run_number
