select {part_object_columns} from records r
join objects o on o.cluster = r.cluster and o.uid = r.uid and o.run_number = r.number
where r.unwatched_since is not null and r.end_time is null and r.unwatched_since <= :since
order by r.unwatched_since limit :most
