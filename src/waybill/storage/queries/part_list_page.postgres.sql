select {part_job_columns}, s.k from ({stream}) s cross join jobs j
where j.id = s.id {where} {outer_order} limit {rows}
