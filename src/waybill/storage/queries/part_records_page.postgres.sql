select {part_record_columns}, s.k from ({stream}) s cross join records r
where r.id = s.id {where} {outer_order} limit {rows}
