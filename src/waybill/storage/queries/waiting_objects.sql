select {part_object_columns} from records r
join objects o on o.cluster = r.cluster and o.uid = r.uid and o.run_number = r.number
where r.awaits_status = 1 and r.end_time is null and r.opened_at <= :before and r.reason <> 'NotAccepted'
order by r.opened_at limit :most
